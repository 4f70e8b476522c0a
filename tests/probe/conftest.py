"""An empty machine, and an NVML library that tells what a scenario says."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from probe_roots import Root

STUB = Path(__file__).parents[1] / "nvml_stub" / "nvml_stub.c"


@pytest.fixture
def root(tmp_path: Path) -> Root:
    """An empty machine."""
    return Root(tmp_path / "root")


def build(into: Path, *options: str) -> Path:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler to build the NVML stub with")
    library = into / "libnvidia-ml.so.1"
    argv = [compiler, "-shared", "-fPIC", "-Wall", "-Werror", *options]
    subprocess.run([*argv, "-Wl,-soname,libnvidia-ml.so.1", "-o", str(library), str(STUB)], check=True)
    return library


@pytest.fixture(scope="session")
def nvml(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The stub with all functions that are asked for."""
    return build(tmp_path_factory.mktemp("nvml"))


@pytest.fixture(scope="session")
def old_nvml(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The stub without the functions that old drivers lack."""
    return build(tmp_path_factory.mktemp("old-nvml"), "-DOLD_DRIVER")


@pytest.fixture
def gpu_server(root: Root, nvml: Path) -> Callable[..., Root]:
    """A Linux machine with the NVIDIA driver, whose NVML tells the scenario."""

    def make(scenario: str, *, module: str = "535.129.03", userland: str = "535.129.03") -> Root:
        root.linux()
        root.driver_module(module)
        root.driver_libraries(userland, nvml)
        root.scenario(scenario)
        return root

    return make
