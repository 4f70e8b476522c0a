"""What frameworks' own indexes have, as far as they answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fickle_index import Registry, served
from hand_made import Follower, Shelf
from tiny.wheels import TinyWheel

from dlsetup.catalog.asking import asked_for
from dlsetup.catalog.folders import Folders
from dlsetup.catalog.form import BuildRow, FrameworkFile
from dlsetup.catalog.jobs import index_jobs
from dlsetup.model.errors import StepFailed

TAG = "cp312-cp312-manylinux_2_28_x86_64"
ROWS = """
[[distribution]]
name = "deep"
since = "1.0"
"""


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Registry]:
    (tmp_path / "own").mkdir()
    with served(tmp_path / "own") as index:
        index.wheels = [
            TinyWheel("deep", "2.0+cu126", TAG),
            TinyWheel("deep", "2.0+cu126", "cp312-cp312-win_amd64"),
            TinyWheel("deep", "1.0+cu126", TAG),
            TinyWheel("deep", "0.9+cu126", TAG),
        ]
        index.html = True
        yield index


@pytest.fixture
def learn(run: Callable[..., Any], shelf: Shelf, own: Registry, nobody_listens: str) -> Callable[..., Any]:
    """Refreshes `deep`, of which one other index has builds, and another one is not there."""
    build = {"variant": "cu126", "accelerator": "cuda", "platforms": ["linux-x86_64"], "before": "99"}
    shelf.framework("deep", ROWS, build=[{**build, "index": "own"}, {**build, "index": "gone"}])
    shelf.write(
        "indexes.toml",
        f'index = [{{ name = "default" }}, {{ name = "own", url = "{own.address.rstrip("/")}" }}, '
        f'{{ name = "gone", url = "{nobody_listens.rstrip("/")}" }}]\n',
    )
    return lambda **more: run("deep", **more)


def read(shelf: Shelf) -> Any:
    return json.loads((shelf.folder / "generated" / "index-own.json").read_text())


def test_releases_with_their_local_versions(learn: Callable[..., Any], shelf: Shelf) -> None:
    follower = Follower()
    done = learn(watch=follower)
    assert [(item.name, item.rows) for item in done] == [("deep", 2), ("index-own", 2)]
    (found,) = read(shelf)["distributions"]
    assert found["name"] == "deep"
    assert found["releases"] == [
        {
            "version": "2.0+cu126",
            "wheels": [["cp312", "manylinux_2_28_x86_64", 0], ["cp312", "win_amd64", 0]],
        },
        {"version": "1.0+cu126", "wheels": [["cp312", "manylinux_2_28_x86_64", 0]]},
    ]
    (said,) = [text for text in follower.said if "left as it is" in text]
    assert "gone" in said
    assert "own" not in said


def test_what_an_index_lost_stops_the_refresh(learn: Callable[..., Any], own: Registry, shelf: Shelf) -> None:
    learn()
    before = read(shelf)
    own.wheels = own.wheels[:1]
    with pytest.raises(StepFailed, match=r"index-own deep 2\.0") as caught:
        learn()
    assert "--allow-loss" in caught.value.hint
    assert read(shelf) == before
    learn(allow_loss=True)
    assert len(read(shelf)["distributions"][0]["releases"]) == 1


def test_an_index_that_fails_later_is_left_as_it_is(
    learn: Callable[..., Any], own: Registry, shelf: Shelf
) -> None:
    learn()
    before = read(shelf)
    own.fails = {"/simple/deep/": 1000}
    follower = Follower()
    assert [item.name for item in learn(watch=follower)] == ["deep"]
    assert read(shelf) == before
    assert any("own" in text and "does not answer" in text for text in follower.said)


def test_nothing_is_asked_of_other_indexes_for_a_library(
    learn: Callable[..., Any], run: Callable[..., Any], own: Registry
) -> None:
    shelf_asked = len(own.asked)
    assert [item.name for item in run("numpy", allow_loss=True)] == []
    assert len(own.asked) == shelf_asked


@pytest.mark.parametrize(
    ("ask", "distribution", "names"),
    [
        ((), "", {"deep"}),
        ((), "wide", {"wide"}),
        (("{name}=={version}",), "wide", {"wide"}),
        (("deep-gpu[all]=={version}", "extra_part=={version}"), "", {"deep-gpu", "extra-part"}),
    ],
)
def test_the_distributions_that_an_installer_is_asked_for(
    ask: tuple[str, ...], distribution: str, names: set[str]
) -> None:
    row = BuildRow(
        variant="cu126",
        accelerator="cuda",
        platforms=("linux-x86_64",),
        ask=ask,
        distribution=distribution,
        source="s",
    )
    file = FrameworkFile(name="deep", title="Deep", distributions=("deep",), imports="deep")
    assert asked_for(row, file) == names


def test_the_shipped_catalog_knows_where_the_torch_family_lies() -> None:
    found = {job.index.name: [row.name for row in job.distributions] for job in index_jobs((), Folders())}
    assert {"torch", "torchvision", "torchaudio"} <= set(found["pytorch-cu126"])
    assert "default" not in found
    assert index_jobs(["jax"], Folders()) == []
