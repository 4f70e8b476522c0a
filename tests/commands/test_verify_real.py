"""`dlsetup verify` on real frameworks: everything that they can do here is proved, with its cost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tiny import real
from tiny.proving import Verified, verify

pytestmark = pytest.mark.network

TORCH = ("import", "gradients", "amp", "dataloader", "data-parallel", "distributed")
CASES = {
    "small": (
        real.small,
        (),
        {"jax-import", "jax-conv", "jax-gradients", "jax-jit", "jax-vmap", "jax-shard-map", "jax-train-step"}
        | {"onnx-reference", "onnxruntime-import", "onnxruntime-model", "ai-edge-litert-import"}
        | {"tensorboard-events"},
        {},
    ),
    "torch": (
        real.torch,
        (*(f"torch-{name}" for name in TORCH), "lightning-import", "lightning-fit"),
        {f"torch-{name}" for name in TORCH} | {"lightning-import", "lightning-fit"},
        {"torch-data-parallel": "two GPUs"},
    ),
    "paddle": (real.paddle, (), {"paddlepaddle-import", "paddlepaddle-train-step"}, {}),
}


@pytest.mark.parametrize("name", CASES)
def test_real_frameworks(name: str, tmp_path: Path) -> None:
    place, only, wanted, untried = CASES[name]
    words = [word for one in only for word in ("--only", one)]
    report = tmp_path / "report.xml"
    found = verify(_place(place), *words, "--junit", str(report), CUDA_VISIBLE_DEVICES="")
    assert found.code == 0, found.document
    assert found.document["ok"]
    ids = [item["id"] for item in found.document["proved"]]
    assert wanted <= set(ids)
    for item in found.document["proved"]:
        _well(item, untried.get(item["id"]))
    _reported(report, found, len(untried))


def _place(place: Callable[[], Path]) -> Path:
    return place()


def _well(item: dict[str, object], untried: str | None) -> None:
    assert item["verdict"] == ("unknown" if untried else "yes"), item
    if untried:
        assert untried in str(item["because"])
        return
    assert isinstance(item["seconds"], float)
    assert isinstance(item["peak_bytes"], int)
    assert 10 << 20 < item["peak_bytes"] < 16 << 30
    assert item["name"] == "import" or item["evidence"], item
    assert not item.get("findings")
    assert not item.get("explained")


def _reported(report: Path, found: Verified, untried: int) -> None:
    """The report for CI servers says the same."""
    suite = ElementTree.parse(report).getroot()[0]
    cases = suite.findall("testcase")
    assert {f"{case.get('classname')}-{case.get('name')}" for case in cases} >= {
        item["id"] for item in found.document["proved"]
    }
    absent = len(found.document.get("absent", ()))
    assert suite.get("failures") == "0"
    assert int(suite.get("tests", "")) == len(cases) == len(found.document["proved"]) + absent
    assert int(suite.get("skipped", "")) == untried + absent
