"""How builds come about, on catalogs of a few rows."""

from __future__ import annotations

from typing import Any

import pytest
from hand_made import Shelf

from dlsetup.catalog.load import load
from dlsetup.model.framework import Build
from dlsetup.model.record import UNKNOWN

LINUX = "manylinux_2_17_x86_64"
CPU = {"variant": "cpu", "accelerator": "cpu", "platforms": ["linux-x86_64"]}
CUDA = {"variant": "cu126", "accelerator": "cuda", "platforms": ["linux-x86_64"]}


def composed(shelf: Shelf, framework: str) -> tuple[Build, ...]:
    return tuple(load([framework], [shelf.folder]).frameworks[0].builds)


def distributions(*names: str, extras: tuple[str, ...] = ()) -> str:
    return "".join(f'[[distribution]]\nname = "{name}"\nextras = {list(extras)}\n' for name in names)


def test_ranges_include_their_beginning_and_not_their_end(shelf: Shelf) -> None:
    shelf.framework("hand", distributions("hand"), build=[{**CPU, "since": "1.1", "before": "1.3"}])
    names = ["1.3", "1.3rc1", "1.2.post1", "1.2", "1.1", "1.1rc1", "1.0"]
    shelf.generated("hand", [{"version": name, "wheels": [["py3", LINUX, 1]]} for name in names])
    assert [str(build.version) for build in composed(shelf, "hand")] == ["1.2.post1", "1.2", "1.1", "1.1rc1"]


def test_a_platform_without_a_wheel_has_no_build(shelf: Shelf) -> None:
    row = {**CPU, "platforms": ["linux-x86_64", "windows-amd64"]}
    shelf.framework("hand", distributions("hand"), build=[row])
    shelf.generated("hand", [{"version": "1", "wheels": [["cp312", "win_amd64", 1]]}])
    (build,) = composed(shelf, "hand")
    assert build.wheels[0].platform == "win_amd64"


def test_a_platform_tag_that_says_too_much_is_replaced(shelf: Shelf) -> None:
    """MindSpore's wheels for `any` hold code for Linux on aarch64."""
    families = ["linux-x86_64", "linux-aarch64", "windows-amd64"]
    row = {"variant": "cpu", "accelerator": "cpu", "platforms": families}
    tags = 'tags = { any = "linux_aarch64" }\n'
    shelf.framework("deep", f'[[distribution]]\nname = "deep"\n{tags}', build=[row])
    wheels = [["cp312", "any", 20], ["cp312", "manylinux_2_17_x86_64", 30]]
    shelf.generated("deep", [{"version": "1.0", "wheels": wheels}])
    builds = load(["deep"], [shelf.folder]).frameworks[0].builds
    assert [[item.platform for item in build.wheels] for build in builds] == [
        ["manylinux_2_17_x86_64"],
        ["linux_aarch64"],
    ]
    assert [build.wheels[0].size_bytes for build in builds] == [30, 20]


def test_a_wheel_for_two_families_is_one_build(shelf: Shelf) -> None:
    row = {**CPU, "platforms": ["macos-arm64", "macos-x86_64"]}
    shelf.framework("hand", distributions("hand"), build=[row])
    wheels = [["cp312", "macosx_11_0_universal2", 1], ["cp311", "macosx_10_9_x86_64", 1]]
    shelf.generated("hand", [{"version": "1", "wheels": wheels}])
    arm, intel = composed(shelf, "hand")
    assert [item.platform for item in arm.wheels] == ["macosx_11_0_universal2"]
    assert [item.platform for item in intel.wheels] == ["macosx_10_9_x86_64"]


@pytest.fixture
def cuda_builds(shelf: Shelf) -> dict[tuple[str, str, str], Build]:
    """Builds of two releases from two indexes, by version, index and platform."""
    platforms = ["linux-x86_64", "windows-amd64"]
    index = {**CUDA, "platforms": platforms, "index": "pytorch-cu126", "without": ["nvidia-*"]}
    linux = {"variant": "cu126", "platforms": ["linux-x86_64"]}
    shelf.framework(
        "hand",
        distributions("hand"),
        build=[index, CUDA],
        code=[{**linux, "before": "2", "kernels": ["8.0"], "ptx": []}],
        pins=[{**linux, "requires": ["nvidia-x==2"]}],
    )
    wheels = [["cp312", LINUX, 7], ["cp312", "win_amd64", 7]]
    requires = [{"base": ["nvidia-x==1", "Nvidia_Y", "numpy"]}]
    shelf.generated("hand", [{"version": v, "wheels": wheels, "requires": requires} for v in ("2.0", "1.0")])
    made = composed(shelf, "hand")
    return {(str(build.version), build.index, build.wheels[0].platform): build for build in made}


def test_an_index_build_has_its_own_pins_and_no_known_size(
    cuda_builds: dict[tuple[str, str, str], Build],
) -> None:
    build = cuda_builds["1.0", "pytorch-cu126", LINUX]
    assert build.requires == ("numpy", "nvidia-x==2")
    assert build.requirements == ("hand==1.0+cu126",)
    assert build.wheels[0].size_bytes is UNKNOWN


def test_a_default_build_is_as_the_registry_says(cuda_builds: dict[tuple[str, str, str], Build]) -> None:
    build = cuda_builds["1.0", "default", LINUX]
    assert build.requires == ("nvidia-x==1", "Nvidia_Y", "numpy")
    assert build.requirements == ("hand==1.0",)
    assert build.wheels[0].size_bytes == 7


def test_code_belongs_to_its_variant_release_and_platform(
    cuda_builds: dict[tuple[str, str, str], Build],
) -> None:
    for index in ("default", "pytorch-cu126"):
        build = cuda_builds["1.0", index, LINUX]
        assert not isinstance(build.kernels, type(UNKNOWN))
        assert ([str(item) for item in build.kernels], build.ptx) == (["8.0"], ())
    assert cuda_builds["2.0", "default", LINUX].kernels is UNKNOWN
    windows = cuda_builds["1.0", "pytorch-cu126", "win_amd64"]
    assert (windows.requires, windows.kernels) == (("numpy",), UNKNOWN)


def jax_like(shelf: Shelf, plugin: list[dict[str, Any]]) -> None:
    """A framework whose GPU build needs a plugin, like `jax[cuda12]`."""
    ask = {"ask": ["{name}[gpu]=={version}"], "extras": ["gpu"], "parts": ["plugin"]}
    rows = [{**CUDA, **ask, "variant": "cu12", "cuda": "12.3"}]
    shelf.framework("whole", distributions("whole", "plugin", extras=("gpu", "with-cuda")), build=rows)
    asked = 'plugin[with-cuda]<=1.5,>=1.0; sys_platform == "linux"'
    requires = [{"base": ["numpy"], "extras": {"gpu": [asked]}}]
    shelf.generated("whole", [{"version": "1.5", "wheels": [["py3", "any", 10]], "requires": requires}])
    shelf.generated("plugin", plugin)


def test_parts_bring_their_pythons_platforms_pins_and_sizes(shelf: Shelf) -> None:
    requires = [{"base": ["pjrt==1.4"], "extras": {"with-cuda": ["nvidia-x>=1; os_name == 'b'"]}}]
    fits = {"version": "1.4", "wheels": [["cp312 cp313", LINUX, 5]], "requires": requires}
    jax_like(shelf, [{"version": "1.6", "wheels": [["cp314", LINUX, 5]]}, fits])
    (build,) = composed(shelf, "whole")
    (wheels,) = build.wheels
    assert (wheels.pythons, wheels.platform, wheels.size_bytes) == (("cp312", "cp313"), LINUX, 15)
    linux = 'sys_platform == "linux"'
    assert build.requires == (
        "numpy",
        f"plugin[with-cuda]<=1.5,>=1.0; {linux}",
        f"pjrt==1.4; {linux}",
        f"nvidia-x>=1; ({linux}) and (os_name == 'b')",
    )
    assert build.requirements == ("whole[gpu]==1.5",)
    assert build.sources == ("s", "registry-whole", "registry-plugin")


@pytest.mark.parametrize(
    "plugin",
    [
        [],
        [{"version": "1.6", "wheels": [["cp312", LINUX, 5]]}],
        [{"version": "1.4", "yanked": True, "wheels": [["cp312", LINUX, 5]]}],
        [{"version": "1.4", "wheels": [["cp312", "win_amd64", 5]]}],
    ],
    ids=["none", "none that fits", "yanked", "another platform"],
)
def test_a_missing_part_is_no_build(shelf: Shelf, plugin: list[dict[str, Any]]) -> None:
    jax_like(shelf, plugin)
    assert composed(shelf, "whole") == ()


def test_empty_distributions_are_replaced_by_what_they_require(shelf: Shelf) -> None:
    text = distributions("hand", "kit", extras=("blas",))
    shelf.framework("hand", text, build=[{**CUDA, "variant": "cu130", "expand": ["kit"]}])
    requires = [{"base": ["kit[blas]==13.0.3"]}]
    shelf.generated("hand", [{"version": "1", "wheels": [["cp312", LINUX, 1]], "requires": requires}])
    kit = {"extras": {"blas": ["nvidia-blas==13.1.*"], "fft": ["nvidia-fft==12.*"]}}
    shelf.generated("kit", [{"version": "13.0.3.0", "wheels": [["py3", "any", 1]], "requires": [kit]}])
    (build,) = composed(shelf, "hand")
    assert build.requires == ("kit[blas]==13.0.3", "nvidia-blas==13.1.*")
    assert build.sources == ("s", "registry-hand")


def test_a_framework_built_like_another_follows_its_counterpart(shelf: Shelf) -> None:
    linux = {"variant": "cu126", "platforms": ["linux-x86_64"]}
    shelf.framework(
        "lead",
        distributions("lead"),
        build=[{**CUDA, "since": "2", "index": "pytorch-cu126"}],
        code=[{**linux, "kernels": ["8.0"]}],
        pins=[{**linux, "requires": ["nvidia-x==2"]}],
    )
    like = '[like]\nframework = "lead"\nsource = "follows"\n'
    pair = '[[like.pair]]\nrelease = "0.3"\ncounterpart = "2.5"\nrequires = ["lead>=2.5"]\n'
    source = '[[source]]\nid = "follows"\nwhat = "a test"\nchecked = "2026-01-02"\n'
    shelf.framework("tail", like + pair + distributions("tail") + source)
    pins = {"0.4": [], "0.3": [], "0.2": ["lead==2.1"], "0.1": ["lead==1.9"]}
    wheels = [["cp312", LINUX, 1]]
    releases = [
        {"version": version, "wheels": wheels, "requires": [{"base": base}]} for version, base in pins.items()
    ]
    shelf.generated("tail", releases)
    third, second = composed(shelf, "tail")
    assert (third.requirements, third.requires) == (("tail==0.3+cu126",), ("lead>=2.5",))
    assert (second.requirements, second.requires) == (("tail==0.2+cu126",), ("lead==2.1",))
    assert third.kernels == second.kernels != UNKNOWN
    assert third.sources == ("follows", "s", "registry-tail")
    ids = {source.id for source in load(["tail"], [shelf.folder]).frameworks[0].sources}
    assert set(third.sources) <= ids
