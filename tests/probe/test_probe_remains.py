"""What installations and removals that broke off have left, seen in an environment of files."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_site import SITE, examined, installed, record, with_environment, write

from dlsetup.model.record import Unknown
from dlsetup.model.remains import Remains
from dlsetup.probe.host import Host

FILES = (
    ("functorch/__init__.py", b"a"),
    ("torch/__init__.py", b"import x"),
    ("torch/_C.cpython-312-x86_64-linux-gnu.so", b"\x7fELF"),
    ("torch/lib/libtorch.so", b"\x7fELF."),
    ("torch/testing/__init__.py", b"t"),
    ("torch/version.py", b"cuda = '12.6'\n"),
)


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    root = with_environment(tmp_path)
    installed(root, "torch", "2.9.1", RECORD=record(*FILES))
    for path, content in FILES:
        write(root / SITE / path, content)
    return root


def left(root: Path) -> list[tuple[str, str, str]]:
    found = examined(root).remains
    assert not isinstance(found, Unknown)
    assert all(isinstance(item, Remains) and item.location == f"/{SITE}" for item in found)
    return [(item.kind, item.distribution, item.example) for item in found]


def test_a_whole_environment_has_none(machine: Path) -> None:
    assert left(machine) == []


def test_metadata_whose_files_are_gone(machine: Path) -> None:
    for path, _ in FILES:
        (machine / SITE / path).unlink()
    assert left(machine) == [("emptied", "torch", "functorch/__init__.py")]


def test_one_file_at_the_top_is_gone(machine: Path) -> None:
    (machine / SITE / "torch/__init__.py").unlink()
    assert left(machine) == [("incomplete", "torch", "torch/__init__.py")]


def test_tests_may_be_taken_away_and_byte_code_may_stand_for_sources(machine: Path) -> None:
    (machine / SITE / "torch/testing/__init__.py").unlink()
    (machine / SITE / "torch/version.py").rename(machine / SITE / "torch/version.pyc")
    assert left(machine) == []


def test_others_than_pip_and_uv_part_packages_on_purpose(machine: Path) -> None:
    write(machine / SITE / "torch-2.9.1.dist-info/INSTALLER", "debian\n")
    (machine / SITE / "torch/lib/libtorch.so").unlink()
    assert left(machine) == []


def test_shared_and_empty_files_are_nobody_s_loss(machine: Path) -> None:
    names = (("nvidia/__init__.py", b"x"), ("nvidia/nccl/__init__.py", b""))
    installed(
        machine, "nvidia-nccl-cu12", "2.27.5", RECORD=record(*names, ("nvidia/nccl/lib/libnccl.so.2", b"n"))
    )
    write(machine / SITE / "nvidia/nccl/lib/libnccl.so.2", b"n")
    assert left(machine) == []
    (machine / SITE / "nvidia/nccl/lib/libnccl.so.2").unlink()
    assert left(machine) == [("emptied", "nvidia-nccl-cu12", "nvidia/nccl/lib/libnccl.so.2")]


def test_what_this_user_may_not_see_is_not_gone(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path, _ in FILES:
        (machine / SITE / path).unlink()
    hidden = (f"/{SITE}/torch", f"/{SITE}/functorch")
    monkeypatch.setattr(Host, "can_list", lambda self, path: path not in hidden)
    assert left(machine) == []


def test_what_pip_put_aside(machine: Path) -> None:
    (machine / SITE / "~orch").mkdir()
    (machine / SITE / "~orch-2.4.0.dist-info").mkdir()
    assert left(machine) == [("renamed", "", "~orch"), ("renamed", "", "~orch-2.4.0.dist-info")]


@pytest.mark.parametrize(
    "text", ["", "\0\0\n", "a,b\n", "/etc/passwd.py,sha256=x,5\n../x.py,sha256=x,5\n", "a.py,,x\n"]
)
def test_a_record_that_says_nothing_leaves_nothing(machine: Path, text: str) -> None:
    installed(machine, "numpy", "2.3.4", RECORD=text)
    assert left(machine) == []
