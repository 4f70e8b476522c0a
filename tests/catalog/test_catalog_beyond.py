"""A release that is newer than what anybody looked at: its metadata is believed, the rest is unknown."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hand_made import Shelf
from packaging.version import Version

from dlsetup.catalog.load import load
from dlsetup.model.framework import Build
from dlsetup.model.record import UNKNOWN
from dlsetup.model.versions import CudaVersion

LINUX = "manylinux_2_28_x86_64"
HEAD = 'known_to = "2.0"\n[[distribution]]\nname = "deep"\n'
CUDA = {"variant": "cu126", "accelerator": "cuda", "platforms": ["linux-x86_64"], "min_capability": "5.0"}
CODE = {"variant": "cu126", "platforms": ["linux-x86_64"], "kernels": ["8.0"], "ptx": []}


def release(version: str, *requires: str) -> dict[str, Any]:
    return {"version": version, "wheels": [["cp312", LINUX, 5]], "requires": [{"base": list(requires)}]}


def builds(shelf: Shelf, newest: dict[str, Any], row: dict[str, Any] = CUDA) -> tuple[Build, ...]:
    shelf.framework("deep", HEAD, build=[row], code=[CODE])
    shelf.generated("deep", [newest, release("2.0")])
    (framework,) = load(["deep"], [shelf.folder]).frameworks
    assert not framework.of(Version("2.0"))[0].beyond
    return framework.of(Version("2.1"))


def test_what_only_a_row_could_say_is_unknown(shelf: Shelf) -> None:
    (build,) = builds(shelf, release("2.1", "nvidia-cuda-runtime-cu12==12.6.77"))
    assert build.beyond
    assert (build.variant, build.cuda) == ("cu126", CudaVersion("12.6"))
    assert (build.kernels, build.ptx, build.min_capability) == (UNKNOWN, UNKNOWN, UNKNOWN)


@pytest.mark.parametrize(
    "pin",
    ["cuda-toolkit[cublas]==13.2.1", "nvidia-cuda-runtime==13.2.51; platform_system == 'Linux'"],
)
def test_its_own_pins_say_the_cuda_that_it_was_built_for(shelf: Shelf, pin: str) -> None:
    (build,) = builds(shelf, release("2.1", pin))
    assert (build.variant, build.cuda) == ("cu132", CudaVersion("13.2"))


def test_a_row_of_another_major_does_not_hold_any_more(shelf: Shelf) -> None:
    assert builds(shelf, release("2.1", "nvidia-cuda-runtime~=13.0")) == ()
    (build,) = builds(shelf, release("2.1", "nvidia-cuda-runtime-cu12>=12.1"))
    assert build.variant == "cu126"


def test_a_variant_that_names_the_major_alone_keeps_to_it(shelf: Shelf) -> None:
    row = CUDA | {"variant": "cu12", "cuda": "12.6"}
    (build,) = builds(shelf, release("2.1", "cuda-toolkit==13.2.1"), row)
    assert (build.variant, build.cuda) == ("cu13", CudaVersion("13.2"))


def test_whether_another_index_has_it_nobody_knows(shelf: Shelf) -> None:
    shelf.write("indexes.toml", '[[index]]\nname = "far"\nurl = "https://far.example/simple"\n')
    assert builds(shelf, release("2.1"), CUDA | {"index": "far"}) == ()


def test_nothing_is_unknown_of_a_build_for_the_cpu_but_that_it_is_new(shelf: Shelf) -> None:
    row = {"variant": "cpu", "accelerator": "cpu", "platforms": ["linux-x86_64"]}
    (build,) = builds(shelf, release("2.1", "nvidia-cuda-runtime==13.0.1"), row)
    assert (build.variant, build.beyond) == ("cpu", True)


def test_what_was_read_out_of_the_wheel_outranks_a_row(shelf: Shelf) -> None:
    row = {"version": "2.1", "platform": "linux-x86_64", "kernels": ["9.0"], "ptx": ["9.0"], "wheel": "w.whl"}
    document = {"distribution": "deep", "how": "read", "checked": "2026-01-02"}
    text = json.dumps(document | {"rows": [row | {"sha256": "0" * 64}]})
    shelf.write("measured/deep.json", text)
    (build,) = builds(shelf, release("2.1"))
    assert [item.sm for item in build.kernels or ()] == ["sm_90"]
    assert "measured-deep" in build.sources
