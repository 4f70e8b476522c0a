"""From the files of a machine to what is said of it: what is healthy comes out healthy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from probe_roots import Root

from dlsetup.catalog.load import clues, load
from dlsetup.judge.registry import judge
from dlsetup.probe.look import look

GPU = "gpu NVIDIA GeForce RTX 4090|8|9|25757220864|00000000:01:00.0|-1|0\n"


def torch(root: Root, version: str = "2.7.1+cu126") -> None:
    """PyTorch in the environment of the project."""
    site = root.venv("/home/ada/project/.venv")
    root.wheel(site, "torch", version, requires="numpy", tag="cp312-cp312-manylinux_2_28_x86_64")
    root.wheel(site, "numpy", "2.1.2")


def on_bus(root: Root, driver: str = "nvidia") -> None:
    root.pci("0000:01:00.0", "10de", "2684", driver=driver)


def healthy(root: Root, stub: Path) -> None:
    root.driver_module("535.129.03")
    root.driver_libraries("535.129.03", stub)
    root.scenario(f"driver 535.129.03\ncuda 12020\n{GPU}")
    on_bus(root)
    torch(root)


def cpu_build(root: Root, stub: Path) -> None:
    healthy(root, stub)
    torch_folder = root.local(
        "/home/ada/project/.venv/lib/python3.12/site-packages/torch-2.7.1+cu126.dist-info"
    )
    torch_folder.rename(torch_folder.with_name("torch-2.7.1+cpu.dist-info"))


def updated_but_not_restarted(root: Root, stub: Path) -> None:
    root.driver_module("535.154.05")
    root.driver_libraries("535.161.07", stub)
    root.scenario("fail nvmlInitWithFlags 18\n")
    on_bus(root)
    torch(root)


def not_loaded(root: Root, stub: Path) -> None:
    root.driver_libraries("550.120", stub)
    root.scenario("fail nvmlInitWithFlags 9\n")
    on_bus(root, driver="nouveau")
    torch(root)


def container_without_gpu(root: Root, stub: Path) -> None:
    root.driver_module("550.54.15")
    root.write("/.dockerenv")
    on_bus(root)
    torch(root)


def removal_broke_off(root: Root, stub: Path) -> None:
    """The packages are gone, their metadata is not."""
    healthy(root, stub)
    site = "/home/ada/project/.venv/lib/python3.12/site-packages"
    root.write(f"{site}/torch-2.7.1+cu126.dist-info/RECORD", "torch/__init__.py,sha256=AAAA,90000\n")


def whole_files(root: Root, stub: Path) -> None:
    removal_broke_off(root, stub)
    root.write("/home/ada/project/.venv/lib/python3.12/site-packages/torch/__init__.py", "import sys\n")


def release_broke_in(root: Root, stub: Path) -> None:
    """An upgrade has written new metadata beside the old, and left what it put aside."""
    healthy(root, stub)
    site = "/home/ada/project/.venv/lib/python3.12/site-packages"
    root.wheel(site, "torch", "2.6.0+cu126", requires="numpy", tag="cp312-cp312-manylinux_2_28_x86_64")
    root.write(f"{site}/~umpy/__init__.py", "")


def office_laptop(root: Root, stub: Path) -> None:
    root.pci("0000:00:02.0", "8086", "3e92", driver="i915")
    torch(root, "2.7.1+cpu")


def wsl(root: Root, stub: Path) -> None:
    root.linux(kernel="5.15.167.4-microsoft-standard-WSL2")
    root.write("/dev/dxg")
    root.write("/usr/lib/wsl/lib/libnvidia-ml.so.1", stub.read_bytes())
    root.write("/usr/lib/wsl/lib/libcuda.so.1")
    root.environ["LD_LIBRARY_PATH"] = "/usr/lib/wsl/lib"
    root.scenario(f"driver 560.94\ncuda 12060\n{GPU}")
    torch(root)


@pytest.mark.parametrize(
    ("make", "findings"),
    [
        (healthy, []),
        (wsl, []),
        (whole_files, []),
        (removal_broke_off, [("distribution-half-removed", "error")]),
        (release_broke_in, [("distribution-metadata-twice", "warning"), ("installation-leftovers", "note")]),
        (cpu_build, [("cpu-only-torch", "error")]),
        (updated_but_not_restarted, [("nvml-driver-library-mismatch", "error")]),
        (not_loaded, [("kernel-module-not-loaded", "error")]),
        (container_without_gpu, [("container-without-gpu", "note")]),
        (office_laptop, [("no-gpu", "note")]),
    ],
)
def test_what_is_said(
    root: Root, nvml: Path, make: Callable[[Root, Path], None], findings: list[tuple[str, str]]
) -> None:
    root.linux()
    make(root, nvml)
    machine = look(root.host(), clues=clues())
    said = judge(machine, load(["torch"])).findings
    assert [(item.id, item.severity) for item in said] == findings
    assert machine.gaps == ()
