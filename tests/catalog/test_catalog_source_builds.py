"""Frameworks that nobody ships wheels of, and what a build expects of the machine."""

from __future__ import annotations

from hand_made import Shelf

from dlsetup.catalog.load import load

ROW = {
    "variant": "any",
    "accelerator": "cuda",
    "platforms": ["linux-x86_64", "windows-amd64"],
    "from_source": True,
    "requires": ["torch>=2.2"],
    "expects": ["nvcc", "cuda>=12.3"],
    "build_requires": ["torch", "ninja"],
}


def test_a_source_build_is_offered_where_its_row_says(shelf: Shelf) -> None:
    shelf.framework("deep", '[[distribution]]\nname = "deep"\nsources = true\n', build=[ROW])
    shelf.generated("deep", [{"version": "2.0", "sdist": True, "python": ">=3.9"}, {"version": "1.0"}])
    builds = load(["deep"], [shelf.folder]).frameworks[0].builds
    assert [str(build.version) for build in builds] == ["2.0", "2.0"]
    assert [build.wheels[0].platform for build in builds] == ["linux_x86_64", "win_amd64"]
    assert all(build.from_source and build.expects == ("nvcc", "cuda>=12.3") for build in builds)
    assert builds[0].requires == ("torch>=2.2",)
    assert builds[0].build_requires == ("torch", "ninja")
