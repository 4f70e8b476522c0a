"""The doctor's words: what is, because, hint; unknown is told apart from absent; one line in sum."""

from __future__ import annotations

import pytest
from packaging.version import Version

from dlsetup.model.finding import Diagnosis, Evidence, Finding, Remedy
from dlsetup.model.machine import (
    Distribution,
    Docker,
    Driver,
    Environment,
    Gap,
    Gpu,
    Libc,
    Machine,
    System,
    Variable,
)
from dlsetup.model.versions import ComputeCapability, CudaVersion, DriverRelease, LibcVersion
from dlsetup.show.doctor import Saying, doctor_lines, finding_lines, summary
from dlsetup.show.lines import plain
from dlsetup.show.words import flowing

MACHINE = Machine(
    system=System(
        os="linux",
        name="Ubuntu 22.04.4 LTS",
        kernel="6.5.0",
        arch="x86_64",
        libc=Libc(name="glibc", version=LibcVersion("2.35")),
        memory_bytes=64 << 30,
        disk_free_bytes=500 << 30,
        container=None,
    ),
    driver=Driver(module=DriverRelease("535.129.03"), cuda_ceiling=CudaVersion("12.2"), found_via="NVML"),
    gpus=(
        Gpu(
            vendor="nvidia",
            name="NVIDIA GeForce RTX 4090",
            arch="sm_89",
            compute_capability=ComputeCapability("8.9"),
            memory_bytes=24 << 30,
        ),
    ),
    toolkits=(),
    environments=(
        Environment(
            path="/home/u/.venv",
            kind="venv",
            name="vision",
            python=Version("3.12.3"),
            examined=True,
            distributions=(
                Distribution(name="torch", version=Version("2.14.1"), variant="cu130"),
                Distribution(name="requests", version=Version("2.0")),
            ),
        ),
    ),
    docker=Docker(engine=None),
    variables=(Variable(name="CUDA_HOME", value="/opt/cuda"),),
    gaps=(Gap(fact="gpu[0].mig", reason="the driver has no such call"),),
)
TOO_OLD = Finding(
    id="driver-too-old",
    severity="error",
    role="primary",
    title="The NVIDIA driver is too old for torch 2.14.1 (cu130)",
    because="CUDA 13.0 needs driver 580.65.06 or newer, and this machine has 535.129.03",
    evidence=(Evidence(fact="driver", value="535.129.03", source="NVML"),),
    remedies=(
        Remedy(
            text="Install the CUDA 12.6 build of the same release",
            commands=("uv pip install 'torch==2.14.1'",),
        ),
        Remedy(text="Update the driver", commands=("sudo apt install nvidia-driver-580",), scope="host"),
    ),
    rests_on=("CUDA release notes (checked 2026-11-02)",),
)
OLD_SHM = Finding(
    id="shm-too-small", severity="note", role="note", title="/dev/shm is small", because="64 MiB"
)


def text(machine: Machine, diagnosis: Diagnosis, *, verbose: bool = False) -> str:
    return plain(doctor_lines(machine, diagnosis, {"torch"}, Saying(verbose=verbose)))


def test_a_diagnosis_reads_whole() -> None:
    diagnosis = Diagnosis(
        findings=(TOO_OLD, OLD_SHM),
        unknown=(Gap(fact="driver.userland", reason="no NVML", ask="nvidia-smi"),),
    )
    assert text(MACHINE, diagnosis) == (
        "This machine\n"
        "  system      Ubuntu 22.04.4 LTS, kernel 6.5.0, x86_64, glibc 2.35\n"
        "  hardware    64.0 GiB memory, 500.0 GiB disk free\n"
        "  driver      NVIDIA 535.129.03, CUDA ceiling 12.2 (from NVML)\n"
        "  GPU         NVIDIA GeForce RTX 4090, sm_89, 24.0 GiB\n"
        "  CUDA        no toolkit on disk (none is needed to run wheels)\n"
        "  environment vision (venv), Python 3.12.3: torch 2.14.1 (cu130)\n"
        "  Docker      no engine answers\n"
        "\n"
        "✗ The NVIDIA driver is too old for torch 2.14.1 (cu130)  [driver-too-old]\n"
        "  because CUDA 13.0 needs driver 580.65.06 or newer, and this machine has\n"
        "          535.129.03\n"
        "  seen    driver: 535.129.03 (from NVML)\n"
        "  hint    Install the CUDA 12.6 build of the same release\n"
        "          uv pip install 'torch==2.14.1'\n"
        "          1 other way: `dlsetup doctor -v`\n"
        "\n"
        "· /dev/shm is small  [shm-too-small]\n"
        "  because 64 MiB\n"
        "\n"
        "? driver.userland is unknown: no NVML\n"
        "  ask     nvidia-smi\n"
        "\n"
        "✗ 1 error, 1 note; 2 facts unknown (`-v` lists them). Begin with\n"
        "  `driver-too-old`.\n"
    )


def test_verbose_adds_every_way_source_and_place() -> None:
    words = text(MACHINE, Diagnosis(findings=(TOO_OLD,)), verbose=True)
    assert "sudo apt install nvidia-driver-580" in words
    assert "Update the driver (this machine)" in words
    assert "CUDA release notes (checked 2026-11-02)" in words
    assert "CUDA_HOME=/opt/cuda" in words
    assert "gpu[0].mig is unknown: the driver has no such call" in words


def test_unknown_is_not_absent() -> None:
    nothing_known = text(Machine(), Diagnosis())
    nothing_there = text(
        Machine(driver=None, gpus=(), toolkits=(), environments=(), docker=None), Diagnosis()
    )
    for label in ("driver", "GPU", "environment", "Docker"):
        known = next(row for row in nothing_there.splitlines() if row.strip().startswith(label))
        unknown = next(row for row in nothing_known.splitlines() if row.strip().startswith(label))
        assert "unknown" in unknown
        assert "unknown" not in known


def test_a_module_that_is_not_loaded_is_said() -> None:
    driver = Driver(module=None, userland=DriverRelease("550.54"), nvml_error="DRIVER_NOT_LOADED")
    words = text(Machine(driver=driver), Diagnosis())
    assert "kernel module is not loaded" in words
    assert "DRIVER_NOT_LOADED" in words


def test_the_sum_tells_how_it_stands() -> None:
    warning = Finding(id="w", severity="warning", title="w", because="")
    assert summary(Diagnosis()).text == "No problem found."
    assert summary(Diagnosis(findings=(OLD_SHM,))).text == "No problem found; 1 note."
    assert summary(Diagnosis(findings=(warning, warning))).text == "No error; 2 warnings."
    assert summary(Diagnosis(findings=(TOO_OLD,))).text == "1 error."
    told = "No problem found; 2 facts unknown"
    assert summary(Diagnosis(), unknown=2, untold=1).text == f"{told} (`-v` lists them)."
    assert summary(Diagnosis(), unknown=2).text == f"{told}."


@pytest.mark.parametrize("verbose", [False, True])
def test_every_gap_is_counted_whether_it_is_listed_or_not(verbose: bool) -> None:
    gap = Gap(fact="tools.g++.version", reason="the look failed")
    words = plain(doctor_lines(Machine(gaps=(gap,)), Diagnosis(), (), Saying(verbose=verbose)))
    assert "1 fact unknown" in words
    assert ("the look failed" in words) == verbose


def test_a_driver_that_did_not_answer_is_told_where_nothing_else_is_wrong() -> None:
    gap = Gap(fact="driver.nvml", reason="NVML gave no answer within 5 s", ask="nvidia-smi")
    machine = Machine(gaps=(gap,))
    assert "no answer within 5 s" in plain(doctor_lines(machine, Diagnosis()))
    words = plain(doctor_lines(machine, Diagnosis(findings=(TOO_OLD,))))
    assert "no answer within 5 s" not in words
    assert "1 fact unknown (`-v` lists them)" in words


def test_an_error_that_can_be_mended_names_the_command() -> None:
    words = plain(
        doctor_lines(MACHINE, Diagnosis(findings=(TOO_OLD,)), (), Saying(mend="dlsetup fix cuda-conflict"))
    )
    assert words.endswith("hint: `dlsetup fix cuda-conflict` mends what can be mended in the environment\n")


def test_what_was_seen_twice_is_said_once_and_because_flows() -> None:
    seen = Evidence(fact="GPU", value="Tesla V100", source="NVML")
    finding = Finding(id="x", severity="error", title="t", because="It holds no code.", evidence=(seen, seen))
    words = plain(finding_lines(finding))
    assert words.count("Tesla V100") == 1
    assert "because it holds no code." in words
    assert flowing("TensorFlow has none") == "TensorFlow has none"
    assert flowing("They write the same files") == "they write the same files"
