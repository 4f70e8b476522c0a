"""A saved machine may hold anything its schema admits: no check falls over it."""

from __future__ import annotations

import shlex
from collections.abc import Callable

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from judge_machines import commands, environment, machine, system
from packaging.version import Version

from dlsetup.model.finding import Diagnosis
from dlsetup.model.machine import (
    Distribution,
    Docker,
    Driver,
    Gpu,
    Library,
    Machine,
    Owner,
    SharedFiles,
    Sighting,
    SystemPackage,
    Variable,
    Wsl,
)
from dlsetup.model.record import UNKNOWN
from dlsetup.model.versions import ComputeCapability, CudaVersion, DriverRelease

NAMES = [
    "torch",
    "torchvision",
    "torchaudio",
    "tensorflow",
    "tensorflow-cpu",
    "jax",
    "jaxlib",
    "jax-cuda12-plugin",
    "jax-cuda13-pjrt",
    "numpy",
    "onnxruntime",
    "onnxruntime-gpu",
    "opencv-python",
    "opencv-python-headless",
    "nvidia-cudnn-cu12",
    "nvidia-cudnn-cu13",
    "nvidia-nccl-cu12",
    "nvidia-nccl-cu13",
    "cpuonly",
    "lightning",
    "$(reboot)",
]
VERSIONS = [
    "2.14.1",
    "2.14.1+cpu",
    "2.9.1",
    "0.29.1",
    "2.16.1",
    "0.10.2",
    "1.26.4",
    "2.1.0",
    "9.24.0.43",
    "0",
    "1!9999.0rc1",
    "2.5.0a0+nv24.08",
]
REQUIREMENTS = (
    "torch==2.14.1",
    "jaxlib<=0.10.2,>=0.10.1",
    "numpy<2",
    "nvidia-cudnn-cu12==9.1.0.70",
    "nvidia-cudnn-cu12===any; rm",
    "nvidia-cudnn-cu12==9.*",
    "numpy ~= 1.0 ; python_version ~= 'x'",
    "numpy; platform_release ~= 'x'",
    "nvidia-nccl-cu12 @ https://example.org/x.whl",
    "\x1b[31m",
    "torch==",
    "",
)
words = st.one_of(
    st.sampled_from(["cpu", "cu126", "cu130", "cu1", "rocm6.4", "xpu", ""]), st.text(max_size=8)
)


def maybe(values: st.SearchStrategy) -> st.SearchStrategy:
    return st.one_of(st.just(UNKNOWN), values)


distributions = st.builds(
    Distribution,
    name=st.sampled_from(NAMES),
    version=st.sampled_from(VERSIONS).map(Version),
    variant=maybe(words),
    requires=maybe(st.lists(st.sampled_from(REQUIREMENTS), max_size=3).map(tuple)),
    tags=maybe(st.sampled_from([(), ("cp311-cp311-manylinux_2_28_x86_64",), ("x",), ("-",)])),
    installer=maybe(st.sampled_from(["pip", "uv", "conda", "\n"])),
    origin=maybe(st.text(max_size=12)),
    location=st.sampled_from(["/a", "/b", ""]),
)
releases = st.sampled_from(["470.256.02", "535.129.03", "580.95.05", "1", "999999999"]).map(DriverRelease)
drivers = st.builds(
    Driver,
    module=maybe(st.one_of(st.none(), releases)),
    userland=maybe(st.one_of(st.none(), releases)),
    cuda_ceiling=maybe(st.sampled_from(["11.4", "12.2", "13.0", "99.9"]).map(CudaVersion)),
    nvml_error=maybe(st.sampled_from([None, "LIB_RM_VERSION_MISMATCH", "UNKNOWN", "GPU_IS_LOST", "\x00"])),
)
gpus = st.builds(
    Gpu,
    vendor=st.sampled_from(["nvidia", "amd", "intel", "apple", "ascend", "google"]),
    name=maybe(st.text(max_size=8)),
    arch=maybe(st.text(max_size=8)),
    compute_capability=maybe(st.sampled_from(["3.5", "6.1", "7.0", "8.9", "12.0"]).map(ComputeCapability)),
)
libraries = st.builds(
    Library,
    library=st.sampled_from(["cudnn", "cudart"]),
    version=maybe(st.sampled_from(["9.1.0", "12.4"]).map(Version)),
    soname=st.sampled_from(["libcudnn.so.9", "libcudart.so.12", "", ".so."]),
    path=st.sampled_from(["/a/libcudnn.so.9", "", "/"]),
    owner=st.builds(Owner, kind=st.sampled_from(["wheel", "system", "nobody"])),
    environment=st.sampled_from([None, "/home/ada/env", "/a"]),
)
shared = st.builds(
    SharedFiles,
    owners=st.lists(st.sampled_from(NAMES), max_size=3).map(tuple),
    count=st.integers(-1, 100),
    example=st.text(max_size=8),
    damaged=maybe(st.lists(st.sampled_from(NAMES), max_size=2).map(tuple)),
)
variables = st.builds(
    Variable,
    name=st.sampled_from(["LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "VIRTUAL_ENV"]),
    value=st.one_of(
        st.sampled_from(["/a:/b:", "0,1", "-1", "٣", "9" * 400, "PCI_BUS_ID"]), st.text(max_size=8)
    ),
)
sightings = st.builds(
    Sighting,
    fact=st.sampled_from(["driver.module", "gpu[0].name", "secure boot"]),
    value=st.text(max_size=6),
    source=st.text(max_size=6),
)
packages = st.builds(
    SystemPackage,
    name=st.sampled_from(
        ["libnvidia-compute-550", "nvidia-dkms-535", "cuda-compat-13-0", "cuda-drivers", "`x`"]
    ),
    version=st.text(max_size=4),
)
dockers = st.builds(
    Docker,
    engine=maybe(st.one_of(st.none(), st.text(max_size=4))),
    runtimes=maybe(st.lists(st.text(max_size=4), max_size=2).map(tuple)),
    nvidia_toolkit=maybe(st.one_of(st.none(), st.text(max_size=4))),
    snap=maybe(st.booleans()),
)
systems = st.builds(
    system,
    os=maybe(st.sampled_from(["linux", "windows", "macos"])),
    arch=maybe(st.sampled_from(["x86_64", "aarch64", "riscv64"])),
    kernel=maybe(st.text(max_size=8)),
    name=maybe(st.text(max_size=8)),
    wsl=maybe(
        st.one_of(
            st.none(), st.builds(Wsl, version=maybe(st.sampled_from([1, 2])), distribution=maybe(words))
        )
    ),
    container=maybe(st.one_of(st.none(), st.text(max_size=4))),
    shm_bytes=maybe(st.integers(0, 2**30)),
)
environments = st.builds(
    lambda items, parts, path, kind: environment(*items, shared_files=parts, path=path, kind=kind),
    st.lists(distributions, max_size=8),
    st.one_of(st.just(UNKNOWN), st.lists(shared, max_size=2).map(tuple)),
    st.sampled_from(["/home/ada/env", "$(reboot)/'\"", "~/x y", "", "C:\\Program Files\\env"]),
    st.sampled_from(["venv", "conda", "system", "uv", "other"]),
)


def listed(values: st.SearchStrategy, most: int = 3) -> st.SearchStrategy:
    return st.one_of(st.just(UNKNOWN), st.lists(values, max_size=most).map(tuple))


machines = st.builds(
    machine,
    system=systems,
    driver=maybe(st.one_of(st.none(), drivers)),
    gpus=listed(gpus),
    environments=st.lists(environments, min_size=1, max_size=1).map(tuple),
    libraries=listed(libraries),
    variables=listed(variables, 4),
    packages=listed(packages),
    docker=maybe(st.one_of(st.none(), dockers)),
    sightings=st.lists(sightings, max_size=3).map(tuple),
)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(machines)
def test_no_machine_makes_a_check_fail(judged: Callable[[Machine], Diagnosis], any_machine: Machine) -> None:
    diagnosis = judged(any_machine)
    assert [gap for gap in diagnosis.unknown if gap.fact.startswith("check ")] == []
    for finding in diagnosis.findings:
        for command in commands(finding):
            assert "reboot)" not in command or any("$(reboot)" in word for word in shlex.split(command))
