"""Machines made in a folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from dlsetup.probe.host import Host


class Root:
    """A machine's file system below a folder. Paths are those of the machine."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environ: dict[str, str] = {"PATH": "/usr/bin", "HOME": "/home/ada"}

    def local(self, path: str) -> Path:
        return self.folder / path.lstrip("/")

    def write(self, path: str, text: str | bytes = "") -> None:
        file = self.local(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)

    def link(self, path: str, target: str) -> None:
        file = self.local(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.symlink_to(target)

    def folder_at(self, path: str) -> None:
        self.local(path).mkdir(parents=True, exist_ok=True)

    def program(self, path: str, text: str = "exit 0") -> None:
        self.write(path, f"#!/bin/sh\n{text}\n")
        self.local(path).chmod(0o755)

    def host(self, **more: str) -> Host:
        words = {"arch": "x86_64", "folder": "/home/ada/project", **more}
        return Host(self.folder, self.environ, **words)

    def pci(self, address: str, vendor: str, device: str, kind: str = "0x030000", driver: str = "") -> None:
        """A device on the bus."""
        folder = f"/sys/bus/pci/devices/{address}"
        self.write(f"{folder}/vendor", f"0x{vendor}\n")
        self.write(f"{folder}/device", f"0x{device}\n")
        self.write(f"{folder}/class", f"{kind}\n")
        if driver:
            self.link(f"{folder}/driver", f"../../../bus/pci/drivers/{driver}")

    def linux(self, *, kernel: str = "6.8.0-51-generic", name: str = "Ubuntu 24.04.2 LTS") -> None:
        """What every Linux has."""
        version = name.split()[1] if " " in name else ""
        self.write("/etc/os-release", f'NAME="{name}"\nPRETTY_NAME="{name}"\nVERSION_ID="{version[:5]}"\n')
        self.write("/proc/sys/kernel/osrelease", f"{kernel}\n")
        self.write("/proc/meminfo", "MemTotal:       65536000 kB\nMemFree: 1 kB\n")
        cores = "".join(
            f"processor\t: {index}\nmodel name\t: AMD EPYC 7763 64-Core Processor\n"
            f"physical id\t: 0\nsiblings\t: 4\ncore id\t\t: {index // 2}\n\n"
            for index in range(4)
        )
        self.write("/proc/cpuinfo", cores)
        text = b"\x7fELF\0GNU C Library (Ubuntu GLIBC 2.39-0ubuntu8.4) stable release version 2.39.\n\0"
        self.write("/lib/x86_64-linux-gnu/libc.so.6", text)
        self.folder_at("/dev/shm")
        mount = "26 24 0:23 / /dev/shm rw,nosuid - tmpfs tmpfs rw,size=16777216k,inode64\n"
        self.write("/proc/self/mountinfo", mount)
        self.folder_at("/sys/module")
        self.folder_at("/sys/bus/pci/devices")
        self.write("/var/lib/dpkg/status", "Package: bash\nStatus: install ok installed\nVersion: 5.2\n\n")

    def driver_module(self, release: str) -> None:
        """A loaded NVIDIA module."""
        self.write("/sys/module/nvidia/version", f"{release}\n")
        line = f"NVRM version: NVIDIA UNIX x86_64 Kernel Module  {release}  Thu Oct 19 18:56:32 UTC 2023\n"
        self.write("/proc/driver/nvidia/version", line + "GCC version:  gcc version 12.2.0\n")

    def driver_libraries(self, release: str, stub: Path | None = None) -> None:
        """The driver's libraries, NVML being the stub where one is given."""
        folder = "/usr/lib/x86_64-linux-gnu"
        for name in ("libnvidia-ml", "libcuda"):
            real = f"{folder}/{name}.so.{release}"
            self.write(real, stub.read_bytes() if stub and name == "libnvidia-ml" else b"\x7fELF")
            self.link(f"{folder}/{name}.so.1", f"{name}.so.{release}")

    def scenario(self, text: str) -> None:
        """What the stub tells."""
        file = self.folder / "scenario"
        file.write_text(text)
        self.environ["NVML_STUB_SCENARIO"] = str(file)

    def venv(self, path: str, version: str = "3.12.3") -> str:
        """A virtual environment; gives its site-packages."""
        self.write(f"{path}/pyvenv.cfg", f"home = /usr/bin\nversion = {version}\n")
        self.program(f"{path}/bin/python")
        site = f"{path}/lib/python{'.'.join(version.split('.')[:2])}/site-packages"
        self.folder_at(site)
        return site

    def wheel(
        self, site: str, name: str, version: str, files: Mapping[str, str] | None = None, **more: str
    ) -> None:
        """An installed distribution: `requires`, `tag` and `installer` in words, files with RECORD lines."""
        folder = f"{site}/{name.replace('-', '_')}-{version}.dist-info"
        requires = "".join(
            f"Requires-Dist: {item}\n" for item in more.get("requires", "").split("\n") if item
        )
        head = f"Metadata-Version: 2.4\nName: {name}\nVersion: {version}\n{requires}\n"
        self.write(f"{folder}/METADATA", f"{head}Requires-Dist: not-a-field\n")
        self.write(f"{folder}/WHEEL", f"Wheel-Version: 1.0\nTag: {more.get('tag', 'py3-none-any')}\n")
        self.write(f"{folder}/INSTALLER", more.get("installer", "pip") + "\n")
        record = "".join(f"{path},{words}\n" for path, words in (files or {}).items())
        self.write(f"{folder}/RECORD", record)


Builder = Callable[..., Root]
