"""Linux, macOS and Windows, out of files and small programs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from probe_roots import Root

from dlsetup.model.machine import Cpu, Libc, Wsl
from dlsetup.model.record import UNKNOWN
from dlsetup.model.versions import LibcVersion, OsRelease
from dlsetup.probe.binary import architecture
from dlsetup.probe.confinement import container, wsl
from dlsetup.probe.host import Host
from dlsetup.probe.notes import Notes, printable, whole_number
from dlsetup.probe.system import system


def test_linux(root: Root) -> None:
    root.linux()
    root.folder_at("/home/ada/project")
    notes = Notes()
    found = system(root.host(), notes)
    assert (found.os, found.name, found.release) == ("linux", "Ubuntu 24.04.2 LTS", OsRelease("24.04"))
    assert (found.kernel, found.arch) == ("6.8.0-51-generic", "x86_64")
    assert found.libc == Libc(name="glibc", version=LibcVersion("2.39"))
    assert found.cpu == Cpu(model="AMD EPYC 7763 64-Core Processor", cores=2, threads=4)
    assert (found.memory_bytes, found.shm_bytes) == (65536000 * 1024, 16 << 30)
    assert (found.wsl, found.container) == (None, None)
    assert isinstance(found.disk_free_bytes, int)
    assert notes.gaps == []


def test_a_machine_that_tells_nothing_is_unknown_and_says_so(root: Root) -> None:
    root.folder_at("/")
    notes = Notes()
    found = system(root.host(folder="/nowhere"), notes)
    assert found.name is UNKNOWN
    assert found.libc is UNKNOWN
    assert found.memory_bytes is UNKNOWN
    assert {gap.fact for gap in notes.gaps} == {
        "system.libc",
        "system.memory_bytes",
        "system.disk_free_bytes",
    }


def test_musl_tells_its_version_when_it_is_asked(root: Root) -> None:
    root.linux(name="Alpine 3.20.0")
    root.local("/lib/x86_64-linux-gnu/libc.so.6").unlink()
    root.program("/lib/ld-musl-x86_64.so.1", "echo 'musl libc (x86_64)\nVersion 1.2.5' >&2; exit 1")
    assert system(root.host(), Notes()).libc == Libc(name="musl", version=LibcVersion("1.2.5"))


def test_arm_lists_no_cores_but_tells_who_shares_the_first(root: Root) -> None:
    root.linux()
    root.write("/proc/cpuinfo", "".join(f"processor\t: {n}\nBogoMIPS\t: 50.0\n\n" for n in range(64)))
    root.write("/sys/devices/system/cpu/cpu0/topology/thread_siblings_list", "0-1\n")
    found = system(root.host(arch="aarch64"), Notes())
    assert (found.arch, found.cpu) == ("aarch64", Cpu(threads=64, cores=32))


@pytest.mark.parametrize("text", ["²", "0-²", "x-1", "9" * 5000])
def test_siblings_that_are_no_numbers_leave_the_cores_unknown(root: Root, text: str) -> None:
    root.linux()
    root.write("/proc/cpuinfo", "processor\t: 0\nBogoMIPS\t: 50.0\n\n")
    root.write("/sys/devices/system/cpu/cpu0/topology/thread_siblings_list", text)
    assert system(root.host(arch="aarch64"), Notes()).cpu == Cpu(threads=1)


def test_no_shared_memory_is_absent(root: Root) -> None:
    root.linux()
    with root.local("/proc/self/mountinfo").open("a") as mounts:
        mounts.write("99 26 0:40 / /dev/shm rw - tmpfs tmpfs rw,size=1024k\n")
    assert system(root.host(), Notes()).shm_bytes == 1 << 20
    root.local("/dev/shm").rmdir()
    assert system(root.host(), Notes()).shm_bytes is None


@pytest.mark.parametrize(
    ("kernel", "files", "expected"),
    [
        ("5.15.167.4-microsoft-standard-WSL2", (), Wsl(version=2, distribution="Ubuntu-22.04")),
        ("4.4.0-19041-Microsoft", (), Wsl(version=1, distribution="Ubuntu-22.04")),
        ("6.6.1-own", ("/run/WSL/1", "/dev/dxg"), Wsl(version=2, distribution="Ubuntu-22.04")),
        ("6.6.1-microsoft-of-mine", (), Wsl(distribution="Ubuntu-22.04")),
        ("6.8.0-51-generic", (), None),
    ],
)
def test_wsl(root: Root, kernel: str, files: tuple[str, ...], expected: Wsl | None) -> None:
    root.linux(kernel=kernel)
    root.environ["WSL_DISTRO_NAME"] = "Ubuntu-22.04"
    for file in files:
        root.write(file)
    assert wsl(root.host()) == expected


@pytest.mark.parametrize(
    ("files", "environ", "kind"),
    [
        ({}, {}, None),
        ({"/.dockerenv": ""}, {}, "docker"),
        ({"/run/.containerenv": ""}, {}, "podman"),
        ({"/.dockerenv": ""}, {"KUBERNETES_SERVICE_HOST": "10.0.0.1"}, "kubernetes"),
        ({"/.singularity.d/env": ""}, {}, "apptainer"),
        ({"/run/systemd/container": "systemd-nspawn\n"}, {}, "systemd-nspawn"),
        ({}, {"container": "lxc"}, "lxc"),
        ({"/proc/1/cgroup": "0::/kubepods.slice/pod1\n"}, {}, "kubernetes"),
        ({"/proc/1/cgroup": "0::/init.scope\n"}, {}, None),
    ],
)
def test_containers(root: Root, files: dict[str, str], environ: dict[str, str], kind: str | None) -> None:
    for path, text in files.items():
        root.write(path, text)
    root.environ.update(environ)
    assert container(root.host()) == kind


PLIST = "<plist><dict><key>ProductVersion</key>\n\t<string>14.5</string></dict></plist>"
SYSCTL = """\
echo 'machdep.cpu.brand_string: Apple M2'
echo 'hw.physicalcpu: 8'
echo 'hw.logicalcpu: 8'
echo 'hw.memsize: 17179869184'
echo 'hw.optional.arm64: 1'"""


def test_macos_sees_the_processor_behind_rosetta(root: Root) -> None:
    root.write("/System/Library/CoreServices/SystemVersion.plist", PLIST)
    root.program("/usr/sbin/sysctl", SYSCTL)
    found = system(root.host(platform="darwin", arch="x86_64", release="23.5.0"), Notes())
    assert (found.os, found.name, found.release) == ("macos", "macOS 14.5", OsRelease("14.5"))
    assert (found.arch, found.kernel, found.libc) == ("aarch64", "23.5.0", None)
    assert (found.cpu, found.memory_bytes) == (Cpu(model="Apple M2", cores=8, threads=8), 16 << 30)


@pytest.mark.parametrize(("build", "name"), [("10.0.22631", "Windows 11"), ("10.0.19045", "Windows 10")])
def test_windows(root: Root, build: str, name: str) -> None:
    found = system(root.host(platform="win32", arch="AMD64", release=build), Notes())
    assert (found.os, found.name, found.release) == ("windows", name, OsRelease(build))
    assert (found.arch, found.wsl) == ("x86_64", None)
    assert isinstance(found.memory_bytes, int)


def test_another_system_is_named_as_the_reason() -> None:
    notes = Notes()
    assert system(Host("/", platform="freebsd14"), notes).os is UNKNOWN
    assert "freebsd14" in notes.gaps[0].reason


@pytest.mark.parametrize(
    ("head", "arch"),
    [
        (b"\x7fELF\x02\x01\x01" + bytes(11) + b"\x3e\x00", "x86_64"),
        (b"\x7fELF\x02\x01\x01" + bytes(11) + b"\xb7\x00", "aarch64"),
        (b"\xcf\xfa\xed\xfe\x07\x00\x00\x01", "x86_64"),
        (b"\xcf\xfa\xed\xfe\x0c\x00\x00\x01", "aarch64"),
        (b"MZ" + bytes(58) + b"\x40\0\0\0PE\0\0\x64\x86", "x86_64"),
        (b"#!/bin/sh\n", UNKNOWN),
        (b"", UNKNOWN),
    ],
)
def test_architectures_of_programs(head: bytes, arch: object) -> None:
    assert architecture(head) == arch


@given(st.binary(max_size=300))
def test_any_bytes_have_an_architecture_or_none(head: bytes) -> None:
    architecture(head)


@given(st.text(max_size=400))
def test_text_from_outside_is_one_bounded_line(text: str) -> None:
    clean = printable(text)
    assert clean.isprintable()
    assert len(clean) <= 300


@given(st.text(max_size=30) | st.integers().map(str))
def test_a_whole_number_is_read_or_it_is_none(text: str) -> None:
    number = whole_number(text)
    assert number is None or (number >= 0 and str(number) == str(int(text)))


def test_what_only_looks_like_a_number_is_none() -> None:
    assert [whole_number(text) for text in ("²", "", "-1", "1 ", "9" * 19)] == [None] * 5
    assert whole_number("012") == 12
