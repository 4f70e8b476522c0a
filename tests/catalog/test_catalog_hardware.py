"""What the shipped rows on GPUs, drivers, toolkits, libraries and systems must mean."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hand_made import Shelf
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from dlsetup.catalog.load import load
from dlsetup.model.errors import DataError
from dlsetup.model.framework import Catalog
from dlsetup.model.record import Unknown
from dlsetup.model.versions import ComputeCapability


def test_drivers_grow_with_the_cuda_they_ship_with(shipped: Catalog) -> None:
    rows = sorted(shipped.hardware.toolkits, key=lambda row: row.version)
    assert len({row.version for row in rows}) == len(rows)
    for system in ("driver_linux", "driver_windows"):
        drivers = [getattr(row, system) for row in rows if not isinstance(getattr(row, system), Unknown)]
        assert drivers == sorted(drivers)
    branches = sorted(shipped.hardware.branches, key=lambda row: row.branch)
    ceilings = [row.cuda_ceiling for row in branches if not isinstance(row.cuda_ceiling, Unknown)]
    assert ceilings == sorted(ceilings)
    least = [row.min_capability for row in branches if not isinstance(row.min_capability, Unknown)]
    assert [item.parts for item in least] == sorted(item.parts for item in least)


def test_a_floor_is_no_newer_than_the_first_driver_of_its_major(shipped: Catalog) -> None:
    for floor in shipped.hardware.floors:
        shipped_with = [
            row.driver_linux for row in shipped.hardware.toolkits if row.version.major == floor.major
        ]
        known = [driver for driver in shipped_with if not isinstance(driver, Unknown)]
        assert floor.linux.major in {driver.major for driver in known}
        newer = [driver for driver in known if driver >= floor.linux]
        assert len(newer) >= len(known) - 3


@pytest.mark.parametrize(
    ("name", "capability"),
    [
        ("Tesla V100", "7.0"),
        ("GeForce GTX 1080 Ti", "6.1"),
        ("GeForce RTX 4090", "8.9"),
        ("GeForce RTX 5090", "12.0"),
        ("NVIDIA A100", "8.0"),
        ("NVIDIA H100", "9.0"),
        ("NVIDIA B200", "10.0"),
    ],
)
def test_well_known_gpus(shipped: Catalog, name: str, capability: str) -> None:
    found = [row for row in shipped.hardware.gpus if row.name == name]
    assert [str(row.compute_capability) for row in found] == [capability]


def test_no_gpu_name_has_two_capabilities(shipped: Catalog) -> None:
    seen = Counter(row.name for row in shipped.hardware.gpus)
    assert [name for name, count in seen.items() if count > 1] == []


def test_every_row_of_every_table_cites_a_source_that_exists(shipped: Catalog) -> None:
    hardware = shipped.hardware
    known = {source.id for source in hardware.sources}
    assert len(known) == len(hardware.sources)
    tables = [name for name in hardware.__struct_fields__ if name != "sources"]
    cited = set()
    for table in tables:
        rows = getattr(hardware, table)
        assert rows, table
        for row in rows:
            fields = [name for name in row.__struct_fields__ if name == "source" or name.endswith("_source")]
            assert row.source
            cited |= {getattr(row, name) for name in fields} - {""}
    assert cited == known


def test_what_nobody_looked_up_is_marked(shipped: Catalog) -> None:
    by_id = {source.id: source for source in shipped.hardware.sources}
    for row in shipped.hardware.gpus:
        source = by_id[row.source]
        assert ("author knowledge" in source.what) == (source.certainty == "low")


def test_a_toolkit_has_all_that_the_ranges_say_of_it(shipped: Catalog) -> None:
    toolkits = {str(row.version): row for row in shipped.hardware.toolkits}
    newest = toolkits["12.8.1"]
    assert not isinstance(newest.capabilities, Unknown)
    assert len(newest.capabilities) == 17
    assert {ComputeCapability("7.0"), ComputeCapability("10.1")} <= set(newest.capabilities)
    assert ComputeCapability("10.3") not in newest.capabilities
    assert (str(newest.min_capability), str(newest.max_capability)) == ("5.0", "12.0")
    assert str(newest.gcc) == "<15,>=6"
    assert str(newest.clang) == "<20,>=7"
    assert isinstance(newest.msvc, Unknown)
    assert "14.2" in SpecifierSet(str(newest.gcc))
    assert str(toolkits["12.3.1"].msvc) == "<19.40,>=19.10"
    assert (str(toolkits["11.4.0"].gcc), str(toolkits["11.4.1"].gcc)) == ("<11,>=6", "<11.2,>=6")


def test_newer_toolkits_take_newer_compilers_and_never_older_gpus(shipped: Catalog) -> None:
    rows = sorted(shipped.hardware.toolkits, key=lambda row: row.version)
    least = [row.min_capability for row in rows if isinstance(row.min_capability, ComputeCapability)]
    assert least == sorted(least, key=lambda item: item.parts)
    for field in ("gcc", "clang"):
        bounds = [
            Version(next(spec.version for spec in accepted if spec.operator == "<"))
            for accepted in (getattr(row, field) for row in rows)
            if not isinstance(accepted, Unknown)
        ]
        assert len(bounds) > 60
        assert bounds == sorted(bounds), field


def test_a_listed_capability_lies_within_the_bounds_and_belongs_to_a_gpu_or_a_line(shipped: Catalog) -> None:
    for row in shipped.hardware.toolkits:
        assert row.code_source
        if isinstance(row.capabilities, Unknown):
            continue
        assert list(row.capabilities) == sorted(set(row.capabilities), key=lambda item: item.parts)
        assert (row.capabilities[0], row.capabilities[-1]) == (row.min_capability, row.max_capability)


def test_every_gpu_from_kepler_on_has_a_toolkit_and_a_driver(shipped: Catalog) -> None:
    made = {
        capability
        for row in shipped.hardware.toolkits
        if not isinstance(row.capabilities, Unknown)
        for capability in row.capabilities
    }
    for gpu in shipped.hardware.gpus:
        if gpu.compute_capability.major >= 3:
            assert gpu.compute_capability in made, gpu.name


def test_lines_of_a_library_do_not_overlap(shipped: Catalog) -> None:
    """Two rows that both hold for one version could say different things of it."""
    samples = [
        Version(f"{major}.{minor}.{patch}")
        for major in range(2, 13)
        for minor in range(30)
        for patch in (0, 2)
    ]
    by_distribution: dict[str, list[SpecifierSet]] = {}
    for row in shipped.hardware.libraries:
        if row.distribution:
            by_distribution.setdefault(row.distribution, []).append(row.versions)
    assert {"nvidia-cudnn-cu12", "nvidia-cudnn-cu13", "nvidia-nccl-cu12", "tensorrt-cu13"} <= set(
        by_distribution
    )
    for distribution, ranges in by_distribution.items():
        for version in samples:
            assert sum(version in versions for versions in ranges) <= 1, (distribution, version)


def test_a_distribution_is_made_for_the_cuda_in_its_name(shipped: Catalog) -> None:
    for row in shipped.hardware.libraries:
        named = re.search(r"-cu(\d+)$", row.distribution)
        if named and not isinstance(row.cuda, Unknown):
            assert int(named[1]) in row.cuda, row.distribution


@pytest.mark.parametrize(
    ("library", "apart"), [("cublas", True), ("cudart", True), ("curand", False), ("nccl", False)]
)
def test_sonames_tell_majors_apart_or_not(shipped: Catalog, library: str, apart: bool) -> None:
    (row,) = (item for item in shipped.hardware.shared_objects if item.library == library)
    names = [name for _, name in row.names]
    assert len(names) >= 3
    assert (len(set(names)) == len(names)) is apart


@pytest.mark.parametrize(
    ("system", "version", "glibc"),
    [("ubuntu", "22.04", "2.35"), ("debian", "12", "2.36"), ("rhel", "9", "2.34"), ("amzn", "2", "2.26")],
)
def test_the_c_library_of_distributions(shipped: Catalog, system: str, version: str, glibc: str) -> None:
    rows = [row for row in shipped.hardware.distributions if (row.id, row.version) == (system, version)]
    assert [str(row.libc_version) for row in rows] == [glibc]


def test_clones_have_the_c_library_of_their_model(shipped: Catalog) -> None:
    versions = {(row.id, row.version): row.libc_version for row in shipped.hardware.distributions}
    assert len(versions) == len(shipped.hardware.distributions)
    for version in ("8", "9", "10"):
        for clone in ("rocky", "almalinux", "centos"):
            assert versions[clone, version] == versions["rhel", version]


def test_pairs_for_ascend_name_one_cann_a_release(shipped: Catalog) -> None:
    seen = Counter((row.distribution, row.version, row.torch) for row in shipped.hardware.ascend)
    assert [key for key, count in seen.items() if count > 1] == []
    for row in shipped.hardware.ascend:
        assert re.fullmatch(r"\d+\.\d+(\.\d+)?(\.?RC\d(\.\d)?)?", row.cann), row.cann
        assert (row.torch is None) == (row.distribution == "mindspore")


def test_architectures_of_rocm_are_spelled_as_drivers_spell_them(shipped: Catalog) -> None:
    hardware = shipped.hardware
    lists = [
        item for row in hardware.rocm for item in (row.gfx, row.wheel_gfx) if not isinstance(item, Unknown)
    ]
    named = {gfx for item in lists for gfx in item} | {row.gfx for row in hardware.amd}
    assert len(named) > 10
    assert all(re.fullmatch(r"gfx[0-9a-f]{3,4}", gfx) for gfx in named)


def test_a_row_without_a_source_is_refused(shelf: Shelf) -> None:
    for row in (
        '[[distribution]]\nid = "x"\nversion = "1"\nlibc_version = "2.0"\n',
        '[[code]]\nsince = "99.0"\nmin_capability = "5.0"\n',
        '[[library]]\nlibrary = "x"\nversions = ">=1"\n',
    ):
        shelf.write("hardware/extra.toml", row)
        with pytest.raises(DataError, match=r"extra\.toml.*`source`"):
            load([], folders=[shelf.folder])


def test_hardware_of_a_site_adds_to_the_packaged_one(shelf: Shelf) -> None:
    shelf.write(
        "hardware/site.toml",
        '[[gpus]]\ncompute_capability = "9.0"\nnames = ["NVIDIA Site 9"]\nsource = "site"\n'
        '[[source]]\nid = "site"\nwhat = "the site"\nchecked = "2026-01-02"\n',
    )
    gpus = load([], folders=[shelf.folder]).hardware.gpus
    assert gpus[-1].name == "NVIDIA Site 9"
    assert len(gpus) > 200
