"""The architectures that were read out of wheels: they name those wheels, and they are what builds hold."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from hand_made import Shelf as Handmade
from packaging.utils import parse_wheel_filename

from dlsetup.catalog.cited import measured_id
from dlsetup.catalog.folders import PACKAGED, Folders
from dlsetup.catalog.form import MeasuredFile, MeasuredRow
from dlsetup.catalog.load import load
from dlsetup.catalog.platforms import families
from dlsetup.model.framework import Build, Catalog
from dlsetup.model.record import Unknown

FOLDERS = Folders()
FILES = sorted(path.stem for path in (PACKAGED / "measured").glob("*.json"))


def measured(distribution: str) -> MeasuredFile:
    file = FOLDERS.json(f"measured/{distribution}.json", MeasuredFile)
    assert file
    return file


def rows() -> Iterator[tuple[str, MeasuredRow]]:
    return ((name, row) for name in FILES for row in measured(name).rows)


def family_of(build: Build) -> str:
    return families(build.wheels[0].platform)[0]


@pytest.mark.parametrize("distribution", FILES)
def test_every_row_names_its_wheel(distribution: str) -> None:
    file = measured(distribution)
    assert file.distribution == distribution
    assert file.how
    places = [(row.version, row.platform) for row in file.rows]
    assert len(set(places)) == len(places)
    for row in file.rows:
        name, version, _build, tags = parse_wheel_filename(row.wheel)
        assert (name, version) == (distribution, row.version)
        assert row.platform in {family for tag in tags for family in families(tag.platform)}
        assert re.fullmatch(r"[0-9a-f]{64}", row.sha256)
        assert set(row.exact) <= set(row.kernels)
        assert row.kernels or row.ptx
        assert row.libraries


def test_builds_hold_what_was_measured(shipped: Catalog) -> None:
    """Whatever a build cites as measured it has from the row about its part, release and platform."""
    cited = 0
    for framework in shipped.frameworks:
        for build in framework.builds:
            names = [name for name in FILES if measured_id(name) in build.sources]
            for name in names:
                found = [row for row in measured(name).rows if row.platform == family_of(build)]
                held = (build.kernels, build.exact, build.ptx)
                assert held in [(row.kernels, row.exact, row.ptx) for row in found]
                cited += 1
    assert cited > 50


def test_a_measured_release_is_used_where_there_is_a_build_of_it(shipped: Catalog) -> None:
    """For frameworks whose own distribution was measured; parts (`jax-cuda12-plugin`) have other versions."""
    for name, row in rows():
        for framework in shipped.frameworks:
            for build in framework.of(row.version) if name in framework.distributions else ():
                own = build.requirements[0].partition("=")[0].partition("[")[0] == name
                here = own and build.index == "default" and build.accelerator == "cuda"
                if here and family_of(build) == row.platform:
                    assert measured_id(name) in build.sources
                    assert (build.kernels, build.exact, build.ptx) == (row.kernels, row.exact, row.ptx)


def test_no_curated_row_says_else(shipped: Catalog, shelf: Handmade) -> None:
    for name in FILES:
        shelf.write(f"measured/{name}.json", f'{{"distribution": "{name}", "how": "", "checked": ""}}')
    cited = {measured_id(name) for name in FILES}
    for framework, curated in zip(shipped.frameworks, load(folders=[shelf.folder]).frameworks, strict=True):
        for build, said in zip(framework.builds, curated.builds, strict=True):
            assert (build.version, build.variant, build.index) == (said.version, said.variant, said.index)
            if not cited.isdisjoint(build.sources):
                place = f"{build.requirements[0]} ({family_of(build)})"
                assert isinstance(said.kernels, Unknown) or said.kernels == build.kernels, place
                assert isinstance(said.ptx, Unknown) or said.ptx == build.ptx, place
