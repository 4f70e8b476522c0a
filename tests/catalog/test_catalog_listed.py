"""What a framework's own index really has decides over what a row believes of it."""

from __future__ import annotations

import json
from typing import Any

from hand_made import Shelf
from packaging.version import Version

from dlsetup.catalog.load import load
from dlsetup.model.framework import Build
from dlsetup.model.record import UNKNOWN

LINUX = "manylinux_2_28_x86_64"
HEAD = 'known_to = "2.0"\n[[distribution]]\nname = "deep"\n'
ROW = {"variant": "cu126", "accelerator": "cuda", "platforms": ["linux-x86_64"], "index": "far"}


def built(
    shelf: Shelf, version: str, *listed: dict[str, Any], distribution: str = "deep"
) -> tuple[Build, ...]:
    shelf.framework("deep", HEAD, build=[ROW])
    releases = [{"version": name, "wheels": [["cp312 cp313", LINUX, 5]]} for name in ("2.1", "2.0")]
    shelf.generated("deep", releases)
    shelf.write("indexes.toml", '[[index]]\nname = "far"\nurl = "https://far.example/simple"\n')
    listing = [{"name": distribution, "releases": list(listed)}]
    document = {"index": "far", "checked": "2026-01-03", "distributions": listing}
    shelf.write("generated/index-far.json", json.dumps(document))
    (framework,) = load(["deep"], [shelf.folder]).frameworks
    found = framework.of(Version(version))
    known = {source.id for source in framework.sources}
    assert all(set(build.sources) <= known for build in found)
    return found


def release(version: str, *, yanked: bool = False, platform: str = LINUX) -> dict[str, Any]:
    return {"version": version, "wheels": [["cp312", platform, 7]], "yanked": yanked}


def test_its_wheels_are_those_of_the_index(shelf: Shelf) -> None:
    (build,) = built(shelf, "2.0", release("2.0+cu126"))
    assert build.wheels[0].pythons == ("cp312",)
    assert build.wheels[0].size_bytes == 7
    assert "index-far" in build.sources


def test_a_plain_version_counts_where_the_index_has_no_local_ones(shelf: Shelf) -> None:
    assert built(shelf, "2.0", release("2.0"))


def test_what_is_not_listed_is_no_build(shelf: Shelf) -> None:
    assert built(shelf, "2.0") == ()
    assert built(shelf, "2.0", release("2.0+cu128")) == ()
    assert built(shelf, "2.0", release("2.0+cu126", yanked=True)) == ()
    assert built(shelf, "2.0", release("2.0+cu126", platform="win_amd64")) == ()


def test_an_index_that_was_not_asked_is_believed_as_before(shelf: Shelf) -> None:
    (build,) = built(shelf, "2.0", distribution="other")
    assert build.wheels[0].pythons == ("cp312", "cp313")
    assert "index-far" not in build.sources


def test_a_release_that_nobody_looked_at_is_there_if_the_index_lists_it(shelf: Shelf) -> None:
    assert built(shelf, "2.1") == ()
    (build,) = built(shelf, "2.1", release("2.1+cu126"))
    assert build.beyond
    assert build.kernels is UNKNOWN
