"""What Linux says of itself and of the NVIDIA module.

$ uname -a
Linux box 6.8.0-45-generic #45-Ubuntu SMP PREEMPT_DYNAMIC Fri Aug 30 12:02:04 UTC 2024 x86_64 GNU/Linux
$ cat /etc/os-release
PRETTY_NAME="Ubuntu 22.04.4 LTS"
$ ldd --version
ldd (Ubuntu GLIBC 2.35-0ubuntu3.8) 2.35
$ cat /proc/driver/nvidia/version
NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.120  Fri Sep 13 10:10:01 UTC 2024
$ modinfo -F version nvidia
550.120
$ mokutil --sb-state
SecureBoot enabled
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from dlsetup.intake.fact import Fact, shown
from dlsetup.intake.page import Line, Page
from dlsetup.intake.reading import reads
from dlsetup.model.versions import DriverRelease, LibcVersion, OsRelease

_NVRM = re.compile(
    r"NVRM version: .{0,60}?(?:Kernel Module|for \w{1,10})\s{0,60}(\d{3}\.\d{2,3}(?:\.\d{2})?)\b"
)
_UNAME = re.compile(
    r"\bLinux \S{1,64} (\d{1,2}\.\d{1,3}\.\d{1,3}[\w.+-]{0,60}) #\d{1,6}.{0,160}?\b(x86_64|aarch64)\b"
)
_KERNEL = re.compile(r"^(\d{1,2}\.\d{1,3}\.\d{1,3}[\w.+-]{0,60})(?: (x86_64|aarch64))?$")
_ASKED_KERNEL = re.compile(r"(?:^|[\s$#>])uname -\w{0,3}r\w{0,3}\s*$")
_BOOT_KERNEL = re.compile(r"BOOT_IMAGE=\S{0,80}vmlinuz-(\d{1,2}\.\d{1,3}\.\d{1,3}[\w.+-]{0,60})")
_OS_RELEASE = re.compile(r'^\W{0,4}PRETTY_NAME="?([^"\n]{2,80})"?$')
_DESCRIPTION = re.compile(r'^\W{0,4}(?:Description:\s{1,10}|DISTRIB_DESCRIPTION="?)([^"\n]{2,80})"?$')
_ISSUED = re.compile(
    r"^((?:CentOS|Red Hat Enterprise|Rocky|AlmaLinux|Alma|Fedora|Oracle|Amazon)(?: Linux)?[\w ]{0,30}"
    r" release \d[\w. ()]{0,40})$"
)
_LDD = re.compile(r"\bldd \([^)\n]{1,80}\) (\d\.\d{1,3})\b")
_SECURE_BOOT = re.compile(r"\bSecure ?[Bb]oot:? (enabled|disabled)\b")
_ON_DISK = re.compile(r"^\W{0,4}(?:version:\s{1,20})?(\d{3}\.\d{2,3}(?:\.\d{2})?)\s*$")
_MODINFO = re.compile(r"\bmodinfo\b.{0,40}\bnvidia")
_IN_USE = re.compile(r"Kernel driver in use: ([\w-]{2,20})")
_COMMAND_LINE = re.compile(r"\b(?:BOOT_IMAGE=|Command line:|Kernel command line:|/proc/cmdline)")
_IOMMU = re.compile(r"\b((?:intel_|amd_)?iommu=[\w,]{1,20})")
_DKMS = re.compile(
    r"^\W{0,4}nvidia[\w-]{0,20}[,/] ?(\d{3}\.\d{2,3}(?:\.\d{2})?)(?:, (\d\S{1,60}?), (\w{3,10}))?: (\w{4,12})"
)
_WSL_KERNEL = re.compile(r"microsoft-standard|-microsoft-|-WSL2", re.IGNORECASE)
_FIRST_WSL_KERNEL = re.compile(r"^4\.4\.\d{1,3}-\d{4,6}-Microsoft\b")


@reads(
    "the system's own words", "uname", "Linux ", "PRETTY_NAME", "DISTRIB_", "Description:", "release ", "ldd "
)
def system(page: Page) -> Iterator[Fact]:
    """Kernel, distribution, processor and C library."""
    for before, line in pairwise((Line("", 0, page.file), *page.lines)):
        if found := _UNAME.search(line.text):
            yield from _kernel(found[1], line)
            yield shown("system.arch", found[2], line)
        elif _ASKED_KERNEL.search(before.text) and (found := _KERNEL.match(line.text.strip())):
            yield from _kernel(found[1], line)
            if found[2]:
                yield shown("system.arch", found[2], line)
        if found := _OS_RELEASE.match(line.text) or _DESCRIPTION.match(line.text) or _ISSUED.match(line.text):
            yield from _distribution(found[1], line)
        if found := _LDD.search(line.text):
            yield shown("libc.version", LibcVersion(found[1]), line)
            yield shown("system.os", "linux", line)


@reads("the NVIDIA kernel module", "NVRM version", "modinfo", "ecure", "Kernel driver in use")
def kernel_module(page: Page) -> Iterator[Fact]:
    """Which module is loaded, which one lies on disk, and whether Secure Boot asks for a signature."""
    asked = False
    for line in page.lines:
        if found := _NVRM.search(line.text):
            yield shown("driver.module", DriverRelease(found[1]), line)
        if found := _SECURE_BOOT.search(line.text):
            yield shown("secure boot", found[1], line)
        if found := _IN_USE.search(line.text):
            yield shown("kernel driver in use", found[1], line)
        if asked and (found := _ON_DISK.match(line.text)):
            yield shown("module on disk", found[1], line)
        asked = bool(_MODINFO.search(line.text)) or (asked and not line.text.startswith("$"))


@reads("dkms status", "dkms", "nvidia, ", "nvidia/")
def dkms(page: Page) -> Iterator[Fact]:
    """For which kernels DKMS has built the module: `nvidia/535.183.01, 6.5.0-41, x86_64: installed`."""
    for line in page.lines:
        if found := _DKMS.match(line.text):
            state = f"{found[1]} {found[2] or 'no kernel'} {found[4]}"
            yield shown("dkms module", state, line)


@reads("kernel command line", "iommu")
def command_line(page: Page) -> Iterator[Fact]:
    """How the IOMMU was set at boot."""
    for line in page.lines:
        if _COMMAND_LINE.search(line.text) or " ro " in line.text:
            for setting in _IOMMU.findall(line.text):
                yield shown("kernel setting", setting, line)
        if found := _BOOT_KERNEL.search(line.text):
            yield from _kernel(found[1], line)


def _kernel(release: str, line: Line) -> Iterator[Fact]:
    yield shown("system.kernel", release, line)
    yield shown("system.os", "linux", line)
    if _FIRST_WSL_KERNEL.match(release):
        yield shown("wsl.version", 1, line)
    elif _WSL_KERNEL.search(release):
        yield shown("wsl.version", 2, line)


def _distribution(name: str, line: Line) -> Iterator[Fact]:
    yield shown("system.name", name.strip(), line)
    yield shown("system.os", "linux", line)
    if found := re.search(r"\d{1,4}(\.\d{1,4}){0,2}", name):
        yield shown("system.release", OsRelease(found[0]), line)
