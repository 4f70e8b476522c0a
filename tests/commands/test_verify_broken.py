"""Environments that are broken on purpose: `dlsetup verify` ends each in the right finding."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path

import pytest
from elf_maker import Maker, compiler
from tiny import real
from tiny.confined import little_memory, little_shared_memory
from tiny.proving import Verified, lend, make, site, verify, xformers
from tiny.wheels import TinyWheel
from tiny.world import torch, torchvision

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="environments as POSIX has them")

IMPORT = "xformers-import"
COMPILED = "from xformers import _C\n"
AS_NUMPY_1_DOES = "import numpy.core._multiarray_umath as umath\numath._ARRAY_API\n"
"""What `import_array` does in an extension that was compiled for NumPy 1."""
GREEDY = "held = [bytearray(b'x' * (8 << 20)) for _ in range(128)]\n"
HANGS = "import threading\n\n\ndef wait():\n    threading.Event().wait()\n\n\nwait()\n"


@pytest.fixture
def maker(tmp_path: Path) -> Maker:
    if compiler() is None or sys.platform != "linux":
        pytest.skip("it takes gcc and ELF")
    (tmp_path / "made").mkdir()
    return Maker(tmp_path / "made")


def failed(found: Verified, name: str = IMPORT) -> Verified:
    assert found.code == 1
    assert not found.document["ok"]
    assert found.of(name)["verdict"] == "no"
    return found


def extension(environment: Path) -> Path:
    return site(environment) / "xformers" / f"_C{sysconfig.get_config_var('EXT_SUFFIX')}"


@pytest.mark.parametrize(
    ("symbol", "finding"),
    [
        ("_ZN3c105ErrorC2ENS_14SourceLocationESs", "extension-cxx11-abi-mismatch"),
        ("_ZN3c104cuda14ExchangeDeviceEa", "extension-built-for-other-torch"),
    ],
)
def test_an_extension_of_another_torch(tmp_path: Path, maker: Maker, symbol: str, finding: str) -> None:
    place = make(tmp_path / "env", xformers(COMPILED), torch("2.14.1", None)[0])
    maker.library(extension(place), calls=[symbol])
    found = failed(verify(place, "--only", "xformers"))
    assert f"undefined symbol: {symbol}" in found.of(IMPORT)["because"]
    assert found.findings(IMPORT) == [finding]
    assert "undefined-symbol" in found.explained(IMPORT)


@pytest.mark.parametrize(
    ("library", "beside", "explained", "finding"),
    [
        ("libcudnn.so.9", (), "cudnn-missing", "cudnn-major-mismatch"),
        ("libcublas.so.12", (torch("2.14.1", "13.0")[0],), "cuda-library-missing", "mixed-cuda-majors"),
    ],
)
def test_a_library_that_is_not_there(
    tmp_path: Path, maker: Maker, library: str, beside: tuple[TinyWheel, ...], explained: str, finding: str
) -> None:
    place = make(tmp_path / "env", xformers(COMPILED), *beside)
    maker.library(extension(place), needs=[library])
    found = failed(verify(place, "--only", "xformers"))
    assert f"{library}: cannot open shared object file" in found.of(IMPORT)["because"]
    assert found.findings(IMPORT) == [finding]
    assert explained in found.explained(IMPORT)


def test_torchvision_of_another_torch(tmp_path: Path) -> None:
    place = make(tmp_path / "env", torch("2.14.1", None)[0], torchvision("0.28.0", "2.13.0")[0])
    found = failed(verify(place, "--only", "torchvision"), "torchvision-import")
    assert found.findings("torchvision-import") == ["torchvision-torch-mismatch"]
    assert found.of("torchvision-ops")["verdict"] == "unknown"


@pytest.mark.network
def test_code_for_numpy_1_meets_the_real_numpy_2(tmp_path: Path) -> None:
    place = make(tmp_path / "env", xformers(AS_NUMPY_1_DOES))
    lend(place, real.small(), "numpy")
    found = failed(verify(place))
    assert found.findings(IMPORT) == ["numpy2-abi"]


@pytest.mark.network
def test_little_shared_memory() -> None:
    before = little_shared_memory()
    found = verify(real.torch(), "--only", "torch-dataloader", before=before, CUDA_VISIBLE_DEVICES="")
    failed(found, "torch-dataloader")
    assert found.findings("torch-dataloader") == ["shm-too-small"]
    assert "/dev/shm has 1 MiB" in found.of("torch-dataloader")["findings"][0]["because"]


def test_a_control_group_without_memory(tmp_path: Path) -> None:
    place = make(tmp_path / "env", xformers(GREEDY))
    with little_memory() as before:
        found = failed(verify(place, before=before))
    assert "SIGKILL; meanwhile the kernel ended a process for want of memory" in found.of(IMPORT)["because"]
    assert found.explained(IMPORT)[0] == "host-memory"
    assert any("192.0 MiB" in text for text in found.of(IMPORT)["explained"][0]["here"])


def test_a_kill_by_somebody_else_is_no_want_of_memory(tmp_path: Path) -> None:
    place = make(tmp_path / "env", xformers("import os\nos.kill(os.getpid(), 9)\n"))
    found = failed(verify(place))
    assert found.of(IMPORT)["because"].endswith("ended with SIGKILL")
    assert found.explained(IMPORT) == ["killed"]


def test_an_import_that_hangs(tmp_path: Path) -> None:
    place = make(tmp_path / "env", xformers(HANGS))
    found = failed(verify(place, "--deadline", "3"))
    because = found.of(IMPORT)["because"]
    assert "gave no answer within 3 s; it stood in" in because
    assert because.endswith("xformers/__init__.py:5, `wait`")
    assert found.findings(IMPORT) == []


def test_an_import_that_crashes(tmp_path: Path) -> None:
    place = make(tmp_path / "env", xformers("import ctypes\nctypes.string_at(0)\n"))
    found = failed(verify(place))
    assert "SIGSEGV" in found.of(IMPORT)["because"]
    assert "xformers/__init__.py:2" in found.of(IMPORT)["because"]
    assert "segmentation-fault" in found.explained(IMPORT)
