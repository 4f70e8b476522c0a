"""What the shipped data must mean, whatever its numbers are."""

from __future__ import annotations

import datetime
import re
from collections import Counter
from itertools import pairwise

from packaging.requirements import Requirement
from packaging.version import Version

from dlsetup.catalog.load import load, names
from dlsetup.catalog.platforms import families
from dlsetup.model.framework import Build, Catalog
from dlsetup.model.hardware import CudaToolkit
from dlsetup.model.record import Unknown
from dlsetup.model.versions import CudaVersion

TODAY = datetime.datetime.now(datetime.timezone.utc).date()


def builds(catalog: Catalog) -> list[Build]:
    return [build for framework in catalog.frameworks for build in framework.builds]


def toolkit_of(cuda: CudaVersion, catalog: Catalog) -> CudaToolkit:
    return next(row for row in catalog.hardware.toolkits if row.version.line == cuda.line)


def test_every_framework_can_be_installed_somehow(shipped: Catalog) -> None:
    assert [framework.name for framework in shipped.frameworks] == list(names())
    for framework in shipped.frameworks:
        assert framework.builds, framework.name
        assert framework.imports.isidentifier()
        assert framework.name in framework.distributions or framework.twins


def test_every_row_cites_a_source_that_exists(shipped: Catalog) -> None:
    hardware = shipped.hardware
    groups = (hardware.toolkits, hardware.floors, hardware.branches, hardware.gpus)
    rows = [row for group in (*groups, hardware.libraries, hardware.overlaps) for row in group]
    known = {source.id for source in hardware.sources}
    assert {row.source for row in rows} <= known
    for framework in shipped.frameworks:
        known = {source.id for source in framework.sources}
        for build in framework.builds:
            assert build.sources
            assert set(build.sources) <= known, build.requirements


def test_a_source_id_means_one_thing(shipped: Catalog) -> None:
    sources = [
        *shipped.hardware.sources,
        *(item for framework in shipped.frameworks for item in framework.sources),
    ]
    for one, count in Counter(source.id for source in sources).items():
        assert len({source for source in sources if source.id == one}) == 1, (one, count)


def test_sources_and_releases_are_not_of_the_future(shipped: Catalog) -> None:
    dates = [source.checked for framework in shipped.frameworks for source in framework.sources]
    dates += [source.checked for source in shipped.hardware.sources]
    dates += [build.released for build in builds(shipped) if not isinstance(build.released, Unknown)]
    for text in dates:
        assert datetime.date(2015, 1, 1) <= datetime.date.fromisoformat(text) <= TODAY
    assert shipped.checked == min(
        source.checked
        for framework in shipped.frameworks
        for source in framework.sources
        if source.id.startswith("registry-")
    )


def test_no_build_exists_twice(shipped: Catalog) -> None:
    seen = Counter(
        (build.requirements, build.variant, build.accelerator, build.index, wheels.platform, python)
        for build in builds(shipped)
        for wheels in build.wheels
        for python in wheels.pythons
    )
    assert [key for key, count in seen.items() if count > 1] == []


def test_newest_releases_come_first(shipped: Catalog) -> None:
    for framework in shipped.frameworks:
        versions = [build.version for build in framework.builds]
        assert all(one >= other for one, other in pairwise(versions)), framework.name


def test_a_variant_agrees_with_its_accelerator_and_its_cuda(shipped: Catalog) -> None:
    for build in builds(shipped):
        start = re.sub(r"[\d.]+$", "", build.variant)
        expected = {"cu": "cuda", "any": "cpu", "openvino": "cpu"}.get(start, start)
        if build.accelerator == "ascend" and start == "cpu":
            assert "torch-npu" in build.requires, "what torch-npu is added to"
        else:
            assert build.accelerator == expected, build.requirements
        if not build.from_source:
            assert (build.cuda is not None) == (build.accelerator == "cuda"), build.requirements
        named = CudaVersion.from_variant(build.variant)
        if named is not None:
            assert build.cuda == named
        elif build.cuda is not None:
            assert build.variant == f"cu{build.cuda.major}"


def test_an_index_is_named_after_its_variant_and_known(shipped: Catalog) -> None:
    urls = {index.name: index.url for index in shipped.indexes}
    assert urls.pop("default") is None
    used = {build.index for build in builds(shipped)} - {"default"}
    assert used == set(urls)
    for build in builds(shipped):
        if build.index != "default":
            url = urls[build.index] or ""
            owner, _, variant = build.index.partition("-")
            assert variant == build.variant
            assert url == f"{ADDRESSES[owner]}/{variant}"


ADDRESSES = {
    "pytorch": "https://download.pytorch.org/whl",
    "paddle": "https://www.paddlepaddle.org.cn/packages/stable",
}


def test_requirements_ask_for_exactly_this_release(shipped: Catalog) -> None:
    for build in builds(shipped):
        (text,) = build.requirements
        asked = Requirement(text)
        owner = next(item for item in shipped.frameworks if item.name == build.framework)
        assert asked.name in owner.distributions
        local = f"+{build.variant}" if build.index.startswith("pytorch-") else ""
        if build.index != "paddle-cu120":
            assert str(asked.specifier) == f"=={build.version}{local}"


def test_every_pin_is_a_requirement_without_extra_markers(shipped: Catalog) -> None:
    pins = {pin for build in builds(shipped) for pin in build.requires}
    for pin in pins:
        assert "extra" not in str(Requirement(pin).marker or ""), pin


def test_a_toolkit_can_make_the_code_that_its_builds_hold(shipped: Catalog) -> None:
    checked = 0
    for build in builds(shipped):
        if build.cuda is None or isinstance(build.kernels, Unknown):
            continue
        toolkit = toolkit_of(build.cuda, shipped)
        ptx = () if isinstance(build.ptx, Unknown) else build.ptx
        for capability in (*build.kernels, *ptx):
            assert not isinstance(toolkit.min_capability, Unknown)
            assert capability >= toolkit.min_capability, (build.requirements, capability)
            if not isinstance(toolkit.max_capability, Unknown):
                assert capability <= toolkit.max_capability, (build.requirements, capability)
        assert list(build.kernels) == sorted(set(build.kernels), key=lambda item: item.parts)
        checked += 1
    assert checked > 300


def test_an_index_build_of_the_default_variant_differs_only_in_where_it_comes_from(shipped: Catalog) -> None:
    compared = 0
    for framework in shipped.frameworks:
        default = {
            (build.version, build.variant, build.wheels[0].platform): build
            for build in framework.builds
            if build.index == "default" and build.accelerator == "cuda"
        }
        for build in framework.builds:
            same = default.get((build.version, build.variant, build.wheels[0].platform))
            if build.index == "default" or same is None:
                continue
            compared += 1
            assert build.requires == same.requires
            assert (build.kernels, build.ptx, build.cuda) == (same.kernels, same.ptx, same.cuda)
            assert [item.pythons for item in build.wheels] == [item.pythons for item in same.wheels]
    assert compared > 50


def test_a_build_is_for_one_family_of_platforms(shipped: Catalog) -> None:
    for build in builds(shipped):
        common = set.intersection(*(set(families(wheels.platform)) for wheels in build.wheels))
        assert common, build.wheels


def test_the_members_of_a_family_pin_each_other_to_builds_of_the_same_variant(shipped: Catalog) -> None:
    torch = shipped.framework("torch")
    assert torch is not None
    have = {(build.version, build.variant, build.index) for build in torch.builds}
    for name in ("torchvision", "torchaudio"):
        member = shipped.framework(name)
        assert member is not None
        assert member.family == torch.family
        for build in (item for item in member.builds if item.variant != "any"):
            pins = [Requirement(pin) for pin in build.requires if Requirement(pin).name == "torch"]
            exact = [str(pin.specifier)[2:] for pin in pins if str(pin.specifier).startswith("==")]
            for version in exact:
                assert (Version(Version(version).public), build.variant, build.index) in have, (
                    build.requirements
                )


def test_no_member_of_a_family_takes_any_torch(shipped: Catalog) -> None:
    """The wheels of old releases for Linux on aarch64 and macOS forget the pin that those for x86_64 have."""
    for name in ("torchvision", "torchaudio"):
        member = shipped.framework(name)
        assert member is not None
        for build in member.builds:
            pins = [Requirement(pin) for pin in build.requires if Requirement(pin).name == "torch"]
            assert any(pin.specifier for pin in pins), (build.requirements, build.wheels[0].platform)


def test_every_toolkit_a_build_was_made_with_has_a_row(shipped: Catalog) -> None:
    lines = {row.version.line for row in shipped.hardware.toolkits}
    assert {build.cuda.line for build in builds(shipped) if build.cuda} <= lines


def test_libraries_that_builds_pin_exactly_have_that_version() -> None:
    """An exact pin on a library that the registry does not have would make the build impossible."""
    catalog = load(["torch", "jax"])
    have = {name: set(versions) for name, versions in catalog.libraries.items() if versions}
    missing = set()
    for build in builds(catalog):
        if build.version < Version("2.4") and build.framework == "torch":
            continue
        for pin in build.requires:
            asked = Requirement(pin)
            if asked.name in have and not any(asked.specifier.contains(item) for item in have[asked.name]):
                missing.add((str(build.version), build.variant, pin))
    assert missing == set()


def test_python_tags_agree_with_the_python_that_a_build_requires(shipped: Catalog) -> None:
    """Except for wheels of AMD, among which there are some that no installer takes."""
    checked = 0
    for build in builds(shipped):
        if build.requirements[0].startswith("onnxruntime-migraphx"):
            continue
        for tag in (tag for wheels in build.wheels for tag in wheels.pythons):
            found = re.fullmatch(r"cp(\d)(\d+)(-cp\d+t)?", tag)
            if found:
                checked += 1
                assert build.requires_python.contains(f"{found[1]}.{found[2]}.99"), (build.requirements, tag)
    assert checked > 3000
