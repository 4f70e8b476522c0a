"""`dlsetup fix` on environments of conda: a real solver and installer, tiny packages, real uv."""

from __future__ import annotations

from pathlib import Path

import pytest
from tiny.broken import Fix
from tiny.conda import CondaWorld, make_channel, make_world

pytest.importorskip("rattler", reason="there is no wheel of py-rattler for this Python")

OLD_DRIVER = "535.129.03"


@pytest.fixture(scope="session")
def channel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_channel(tmp_path_factory.mktemp("conda") / "channel")


@pytest.fixture
def conda(tmp_path: Path, channel: Path, fix: Fix) -> CondaWorld:
    """An environment of conda, which `fix` is about."""
    world = make_world(tmp_path, channel, fix.command.environ)
    fix.broken = world.broken
    return world


def packages(document: dict[str, object]) -> dict[str, tuple[str | None, str | None]]:
    """What conda moves: the version with the first word of its build, before and after."""
    repair = document.get("repair") or document["mending"]["repair"]  # type: ignore[index]
    rows = repair["packages"]  # type: ignore[index]
    return {item["distribution"]: (short(item["before"]), short(item["after"])) for item in rows}


def short(text: str | None) -> str | None:
    return text and text.partition("_")[0]


def on_cpu(conda: CondaWorld) -> None:
    conda.install("pytorch=2.14.1=cpu*", "pytorch-cpu", "torchvision", "zlib")
    conda.record.unlink()


TO_CUDA = {
    "pytorch-cpu": ("2.14.1 0", None),
    "pytorch": ("2.14.1 cpu", "2.14.1 cuda126"),
    "torchvision": ("0.29.1 cpu", "0.29.1 cuda126"),
    "cuda-version": (None, "12.9 0"),
}


def test_a_cpu_build_on_a_gpu_machine(fix: Fix, conda: CondaWorld) -> None:
    on_cpu(conda)
    before, beside = conda.broken.tree(), conda.broken.beside()
    fix.give_gpu(driver=OLD_DRIVER)
    found = fix.of("cpu-build")
    assert (found["exit"], found["result"], found["ok"]) == (0, "mended", True), found
    assert packages(found) == TO_CUDA
    assert {item["device"] for item in found["mending"]["outcomes"]} == {"cuda"}
    assert "cuda126" in conda.builds()["pytorch"]
    assert conda.builds()["zlib"] == "1.3.1 0"
    assert conda.broken.beside() == beside
    assert fix()["result"] == "nothing-to-mend"
    undone = fix.command("undo", "--env", str(conda.broken.folder), "--yes")
    assert undone.returncode == 0, undone.stderr
    assert conda.broken.tree() == before
