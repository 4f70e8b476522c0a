"""A release newer than the catalog was checked for: believed in what its metadata says, else unknown."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from dlsetup.catalog.folders import PACKAGED
from dlsetup.catalog.load import load
from dlsetup.intake.target import parse
from dlsetup.intake.wish import parse_wanted
from dlsetup.model.framework import Catalog
from dlsetup.model.resolution import Plan
from dlsetup.model.wish import Wish
from dlsetup.resolve import resolve

LINUX = "os=linux,arch=x86_64,glibc=2.35,python=3.12"


@pytest.fixture(scope="module")
def newer(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    """The shipped catalog after a refresh that found torch 9.9.0, built with CUDA 13.4."""
    document = json.loads((PACKAGED / "generated/torch.json").read_text("utf-8"))
    text = json.dumps(document["releases"][0]).replace("13.2.2", "13.4.1")
    document["releases"].insert(0, {**json.loads(text), "version": "9.9.0"})
    folder: Path = tmp_path_factory.mktemp("refreshed")
    (folder / "generated").mkdir()
    (folder / "generated/torch.json").write_text(json.dumps(document), "utf-8")
    return load(["torch", "torchvision"], [folder])


def plan(catalog: Catalog, target: str, names: Sequence[str]) -> Plan:
    wish = Wish(wanted=tuple(map(parse_wanted, names)))
    found = resolve(wish, parse(f"{LINUX},{target}"), catalog)
    assert isinstance(found, Plan)
    return found


def test_its_cuda_is_what_it_pins_and_its_architectures_are_unknown(newer: Catalog) -> None:
    found = plan(newer, "driver=615.61,gpu=RTX 4090", ["torch"])
    (pick,) = found.picks
    assert (str(pick.version), pick.variant, pick.index) == ("9.9.0", "cu134", "default")
    assert any("newer than what the catalog was checked for" in text for text in found.unknown)
    assert any("sm_89" in text for text in found.unknown)


def test_a_driver_that_does_not_serve_its_cuda_gets_what_is_known(newer: Catalog) -> None:
    found = plan(newer, "driver=535.129.03,gpu=RTX 4090", ["torch"])
    assert found.picks[0].variant == "cu126"
    assert found.unknown == ()


def test_other_frameworks_keep_to_the_release_that_they_pin(newer: Catalog) -> None:
    found = plan(newer, "driver=615.61,gpu=RTX 4090", ["torchvision"])
    assert {str(pick.version) for pick in found.picks if pick.framework == "torch"} != {"9.9.0"}
