"""Names from outside: whatever they hold, no note crashes, no script acts on them, no command changes."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from note_machines import KINDS
from note_shell import SHELL, run

from dlsetup.model.machine import (
    Docker,
    Driver,
    Environment,
    Gpu,
    Machine,
    Sighting,
    System,
    SystemPackage,
    Tool,
    Toolkit,
    Variable,
    Wsl,
)
from dlsetup.model.note import Note, NotOfKind
from dlsetup.model.versions import ComputeCapability, CudaVersion, DriverRelease, OsRelease
from dlsetup.plan.notes.finish import UNSAFE
from dlsetup.plan.notes.script import note_script

Make = Callable[[str, Machine], Note | NotOfKind]
NASTY = st.one_of(
    st.sampled_from(
        [
            "$(touch owned)",
            "`touch owned`",
            "'; touch owned; '",
            '"; touch owned; "',
            "a\ntouch owned\n",
            "END",
            "a b",
            "--help",
            "$HOME",
            "\\",
            "ä ö ü",
            "* ?",
            "a'b\"c",
            "\x1b[2J",
            "\u202e",
            "{packages}",
            "!",
            "#",
        ]
    ),
    st.text(max_size=30),
)
pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no POSIX shell")


@st.composite
def machines(draw: Any) -> Machine:
    """A machine whose names somebody made up."""
    text = lambda: draw(NASTY)  # noqa: E731
    vendor = draw(st.sampled_from(["nvidia", "nvidia", "amd", "ascend"]))
    distribution = draw(
        st.sampled_from(["Ubuntu 22.04", "Debian 12", "Rocky 9", "Fedora 43", "SUSE 15", "Arch", ""])
    )
    wsl = draw(st.booleans())
    release = DriverRelease(draw(st.sampled_from(["470.1.1", "535.183.01", "580.95.05"])))
    return Machine(
        system=System(
            os="linux",
            name=distribution + text(),
            release=OsRelease(draw(st.sampled_from(["22.04", "12", "9.4", "43"]))),
            kernel=draw(st.sampled_from(["", "5.4.0-"])) + text(),
            arch=draw(st.sampled_from(["x86_64", "aarch64"])),
            wsl=Wsl(version=draw(st.sampled_from([1, 2])), distribution=text()) if wsl else None,
            container=draw(st.sampled_from([None, None, "docker"])),
        ),
        driver=draw(
            st.sampled_from([None, Driver(module=release, userland=release, nvml_error=None, found_via="x")])
        ),
        gpus=(
            Gpu(
                vendor=vendor,
                name=text(),
                arch=draw(st.sampled_from(["gfx1031", "ascend910b"])) if vendor != "nvidia" else "sm_86",
                compute_capability=ComputeCapability("8.6") if vendor == "nvidia" else None,
                mig=draw(st.booleans()),
                found_via=text(),
            ),
        )
        * 2,
        toolkits=(
            Toolkit(version=CudaVersion("12.4"), path=text(), default=False),
            Toolkit(version=CudaVersion("11.8"), path=text(), default=True),
        ),
        environments=(Environment(path=text(), kind="venv", examined=True, distributions=()),),
        tools=(
            Tool(name="gcc", path=text(), version="15." + text()),
            Tool(name="podman", path=text(), version=text()),
        ),
        docker=draw(
            st.sampled_from(
                [None, Docker(engine=text(), runtimes=(text(),), nvidia_toolkit=None, snap=False)]
            )
        ),
        packages=(
            SystemPackage(name=f"nvidia-driver-535{draw(st.sampled_from(['', '-open']))}", version=text()),
            SystemPackage(name="ascend-cann" + text(), version=text()),
            SystemPackage(name="nvidia-l4t-core", version="36.4.3" + text()),
        ),
        variables=(Variable(name="HSA_OVERRIDE_GFX_VERSION", value=text()),),
        sightings=(
            Sighting(fact="secure boot", value=text(), source=text()),
            Sighting(fact="jetson.linux", value=text(), source=text()),
            Sighting(fact="kernel setting", value=text() + "=on", source=text()),
        ),
    )


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(machine=machines())
def test_a_script_acts_on_no_name(
    kind: str, machine: Machine, of: Make, tmp_path_factory: pytest.TempPathFactory
) -> None:
    note = of(kind, machine)
    if not isinstance(note, Note):
        return
    script = note_script(note)
    place = tmp_path_factory.mktemp("hostile")
    path = place / "note.sh"
    path.write_text(script, encoding="utf-8", errors="replace")
    assert subprocess.run([SHELL, "-n", str(path)], capture_output=True).stderr == b""
    done, log = run(script.encode("utf-8", "replace").decode(), place, "n\n" * 200)
    assert (done.returncode, done.stderr, log) == (0, "", [])
    assert not (place / "owned").exists()
    assert all(
        text.isprintable() for step in note.steps for text in (*step.commands, *step.check, *step.undo)
    )


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=NASTY)
def test_a_folder_reaches_the_shell_as_it_is(name: str, of: Make, tmp_path: Path) -> None:
    """The path of a toolkit, in the lines that a person pastes."""
    folder = f"/opt/{name}/cuda"
    other = Toolkit(version=CudaVersion("11.8"), path="/opt/other", default=True)
    machine = Machine(
        system=System(
            os="linux",
            name="Ubuntu 22.04",
            release=OsRelease("22.04"),
            arch="x86_64",
            wsl=None,
            container=None,
        ),
        driver=Driver(module=DriverRelease("550.54.15"), cuda_ceiling=CudaVersion("12.4")),
        gpus=(Gpu(vendor="nvidia", compute_capability=ComputeCapability("8.9")),),
        toolkits=(Toolkit(version=CudaVersion("12.4"), path=folder, default=False), other),
    )
    note = of("cuda-toolkit", machine)
    assert isinstance(note, Note)
    step = next(item for item in note.steps if item.id == "toolkit-path")
    if not folder.isprintable():
        assert step.commands == ()
        assert UNSAFE in step.why
        return
    lines = [*step.commands, 'printf "%s|%s" "$CUDA_HOME" "$PATH"']
    done = subprocess.run(
        [SHELL, "-c", "\n".join(lines)], capture_output=True, text=True, env={"PATH": "/bin"}, cwd=tmp_path
    )
    assert done.stdout == f"{folder}|{folder}/bin:/bin"
    assert list(tmp_path.iterdir()) == []


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(kernel=NASTY.filter(bool))
def test_a_kernel_is_one_word_of_the_command(kernel: str, of: Make) -> None:
    machine = Machine(
        system=System(
            os="linux",
            name="Debian GNU/Linux 12",
            release=OsRelease("12"),
            kernel=kernel,
            arch="x86_64",
            wsl=None,
            container=None,
        ),
        driver=None,
        gpus=(Gpu(vendor="nvidia", name="RTX 4090", compute_capability=ComputeCapability("8.9")),),
    )
    note = of("driver", machine)
    assert isinstance(note, Note)
    step = next(item for item in note.steps if item.id == "kernel-headers")
    if kernel.isprintable():
        assert shlex.split(step.commands[1])[-1] == f"linux-headers-{kernel}"
    else:
        assert all("linux-headers-a" in text or "update" in text for text in step.commands)


def test_a_distribution_of_wsl_that_is_no_word_is_left_to_the_person(of: Make) -> None:
    machine = Machine(
        system=System(os="linux", wsl=Wsl(version=1, distribution="a; shutdown"), container=None)
    )
    note = of("wsl", machine)
    assert isinstance(note, Note)
    step = next(item for item in note.steps if item.id == "wsl-version")
    assert step.commands == ("wsl --list --verbose", "wsl --set-version DISTRIBUTION 2")
    named = replace(machine, system=replace(machine.system, wsl=Wsl(version=1, distribution="Ubuntu-22.04")))
    note = of("wsl", named)
    assert isinstance(note, Note)
    assert (
        next(item for item in note.steps if item.id == "wsl-version").commands[1]
        == "wsl --set-version Ubuntu-22.04 2"
    )
