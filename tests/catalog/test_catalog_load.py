"""The front door of the catalog: what is read, what comes first, and what is said of bad files."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Shelf
from packaging.version import Version

from dlsetup.catalog import folders as folders_module
from dlsetup.catalog.load import clues, load, named, names
from dlsetup.model.errors import DataError, UsageError
from dlsetup.model.framework import Build, Catalog
from dlsetup.model.record import UNKNOWN

HAND = """
build = [{ variant = "cpu", accelerator = "cpu", platforms = ["linux-x86_64"], source = "hand" }]
[[distribution]]
name = "hand"
[[source]]
id = "hand"
what = "a test"
checked = "2026-01-02"
"""


def found(catalog: Catalog, framework: str, version: str, variant: str, index: str, platform: str) -> Build:
    """The one build of these properties; a GPU build has machine code, so it never is just a default."""
    owner = catalog.framework(framework)
    assert owner is not None
    (build,) = (
        item
        for item in owner.builds
        if item.version == Version(version)
        and (item.variant, item.index) == (variant, index)
        and item.wheels[0].platform.endswith(platform)
    )
    return build


def test_only_what_is_asked_for_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    real = folders_module._read
    monkeypatch.setattr(folders_module, "_read", lambda path: read.append(path.name) or real(path))
    catalog = load(["lightning"])
    assert [framework.name for framework in catalog.frameworks] == ["lightning"]
    assert "lightning.json" in read
    assert not {"torch.json", "torch.toml", "tensorflow.json", "nvidia-cudnn-cu12.json"} & set(read)


def test_no_framework_at_all_still_gives_hardware_and_indexes() -> None:
    catalog = load([])
    assert catalog.frameworks == ()
    assert catalog.libraries == ()
    assert catalog.checked == ""
    assert catalog.hardware.toolkits
    assert catalog.indexes[0].url is None


def test_frameworks_come_in_the_order_asked_for_and_once() -> None:
    catalog = load(["jax", "torch", "jax"])
    assert [framework.name for framework in catalog.frameworks] == ["jax", "torch"]


@pytest.mark.parametrize(
    ("name", "near"), [("pytorch", "torch"), ("tensorfow", "tensorflow"), ("jaxx", "jax")]
)
def test_an_unknown_framework_names_its_neighbour(name: str, near: str) -> None:
    with pytest.raises(UsageError, match=f"no framework `{name}`") as caught:
        load([name])
    assert f"`{near}`" in caught.value.hint
    assert "tensorflow" in caught.value.hint


@pytest.mark.parametrize("name", ["", "../torch", "torch/../jax", "torch.toml", "/etc/passwd", "torch\0"])
def test_a_framework_name_is_never_a_path(name: str) -> None:
    with pytest.raises(UsageError):
        load([name])


def test_frameworks_by_what_is_installed() -> None:
    assert named({"torchaudio", "jaxlib", "numpy"}) == ("jax", "torchaudio")
    assert named({"opencv-python-headless", "onnxruntime-gpu"}) == ("onnxruntime", "opencv")
    assert named(set()) == ()


def test_an_overlay_adds_a_framework(shelf: Shelf) -> None:
    shelf.framework("hand", HAND)
    shelf.generated("hand", [{"version": "1.0", "wheels": [["py3", "manylinux_2_17_x86_64", 5]]}])
    assert "hand" in names([shelf.folder])
    assert "hand" not in names()
    (framework,) = load(["hand"], [shelf.folder]).frameworks
    (build,) = framework.builds
    assert build.requirements == ("hand==1.0",)
    assert build.sources == ("hand", "registry-hand")
    assert build.wheels[0].size_bytes == 5
    assert build.released is UNKNOWN


def test_the_first_overlay_wins(tmp_path: Path) -> None:
    shelves = [Shelf(tmp_path / "one"), Shelf(tmp_path / "two")]
    for number, shelf in enumerate(shelves, 1):
        shelf.framework("hand", HAND)
        shelf.generated("hand", [{"version": str(number), "wheels": [["py3", "manylinux_2_17_x86_64", 5]]}])
    (framework,) = load(["hand"], [shelf.folder for shelf in shelves]).frameworks
    assert [str(build.version) for build in framework.builds] == ["1"]


def test_an_overlay_replaces_generated_data_and_hardware(shelf: Shelf) -> None:
    shelf.generated("lightning", [])
    shelf.write("hardware/gpus.toml", "")
    catalog = load(["lightning"], [shelf.folder])
    assert catalog.frameworks[0].builds == ()
    assert catalog.hardware.gpus == ()
    assert catalog.hardware.toolkits
    assert catalog.checked == "2026-01-02"


@pytest.mark.parametrize(
    ("relative", "text", "says"),
    [
        ("frameworks/jax.toml", "name = ", "frameworks/jax.toml"),
        ("frameworks/jax.toml", "\x00\x01", "frameworks/jax.toml"),
        ("frameworks/jax.toml", 'name = "jax"\n', "missing required field"),
        ("frameworks/jax.toml", "a = " + "[" * 5000, "frameworks/jax.toml"),
        ("generated/jax.json", "{", "generated/jax.json"),
        ("generated/jax.json", '{"distribution": "jax", "checked": "x", "releases": [{}]}', "releases"),
        ("generated/jax.json", '{"distribution": "jax", "checked": "x", "relases": []}', "relases"),
        ("hardware/cuda.toml", 'toolkit = [{ version = "twelve", source = "x" }]', "toolkit"),
        ("indexes.toml", "index = 3", "indexes.toml"),
    ],
)
def test_a_malformed_file_names_itself(shelf: Shelf, relative: str, text: str, says: str) -> None:
    path = shelf.write(relative, text)
    with pytest.raises(DataError) as caught:
        load(["jax"], [shelf.folder])
    assert str(path) in caught.value.message
    assert says in caught.value.message


@pytest.mark.parametrize("version", ["one", "1.0.*", ""])
def test_a_version_that_is_none_is_malformed_data(shelf: Shelf, version: str) -> None:
    shelf.framework("hand", HAND)
    shelf.generated("hand", [{"version": version, "wheels": [["py3", "any", 5]]}])
    with pytest.raises(DataError, match="version"):
        load(["hand"], [shelf.folder])


def test_a_file_of_another_name_is_malformed_data(shelf: Shelf) -> None:
    shelf.framework("other", HAND)
    (shelf.folder / "frameworks" / "other.toml").rename(shelf.folder / "frameworks" / "hand.toml")
    with pytest.raises(DataError, match="not `hand`"):
        load(["hand"], [shelf.folder])


def test_a_distribution_name_is_never_a_path(shelf: Shelf) -> None:
    shelf.framework("hand", HAND.replace('name = "hand"', 'name = "../../hand"'))
    with pytest.raises(DataError, match="canonical"):
        load(["hand"], [shelf.folder])


def test_a_file_without_end_is_refused(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders_module, "LIMIT", 100)
    shelf.write("generated/jax.json", "[" * 101)
    with pytest.raises(DataError, match="larger than 100 bytes"):
        load(["jax"], [shelf.folder])


def test_a_folder_in_place_of_a_file_is_refused(shelf: Shelf) -> None:
    (shelf.folder / "generated" / "jax.json").mkdir(parents=True)
    with pytest.raises(DataError, match=r"jax\.json"):
        load(["jax"], [shelf.folder])


def test_clues_come_from_overlays_too(shelf: Shelf) -> None:
    clue = '[[clue]]\ndistribution = "hand"\npath = "hand/v.py"\npattern = "x"\ngives = "cuda"\n'
    shelf.framework("hand", HAND + clue)
    assert [item.path for item in clues([shelf.folder]) if item.distribution == "hand"] == ["hand/v.py"]


def test_torch_as_people_know_it(shipped: Catalog) -> None:
    default = found(shipped, "torch", "2.14.1", "cu130", "default", "manylinux_2_28_x86_64")
    assert default.requirements == ("torch==2.14.1",)
    assert 'nvidia-cudnn-cu13==9.24.0.43; platform_system == "Linux"' in default.requires
    assert any(item.startswith("nvidia-cublas==13.1.") for item in default.requires)
    older = found(shipped, "torch", "2.14.1", "cu126", "pytorch-cu126", "x86_64")
    assert [str(item) for item in older.kernels] == ["5.0", "6.0", "7.0", "7.5", "8.0", "8.6", "9.0"]
    assert older.ptx == ()
    assert "nvidia-cudnn-cu12==9.10.2.21" in older.requires
    assert not any("cu13" in item for item in older.requires)
    assert older.wheels[0].size_bytes is UNKNOWN
    assert found(shipped, "torch", "2.14.1", "cpu", "default", "win_amd64").cuda is None
    assert found(shipped, "torch", "2.14.1", "mps", "default", "arm64").accelerator == "mps"
    assert found(shipped, "torch", "2.2.2", "cpu", "default", "macosx_10_9_x86_64").requirements


def test_torch_is_not_built_where_it_is_not(shipped: Catalog) -> None:
    torch = shipped.framework("torch")
    assert torch is not None
    lines = {(str(build.version), build.variant) for build in torch.builds}
    assert ("2.15.0", "cu126") not in lines
    assert ("2.14.1", "cu128") not in lines
    newer = [build for build in torch.builds if build.version > Version("2.2.2")]
    assert not [build for build in newer if build.wheels[0].platform.startswith("macosx_10")]


def test_vision_and_audio_pin_their_torch(shipped: Catalog) -> None:
    vision = found(shipped, "torchvision", "0.29.0", "cu126", "pytorch-cu126", "x86_64")
    assert "torch==2.14.0" in vision.requires
    assert vision.requirements == ("torchvision==0.29.0+cu126",)
    audio = found(shipped, "torchaudio", "2.11.0", "cu130", "default", "x86_64")
    assert audio.requires == ("torch>=2.11",)


def test_tensorflow_with_its_cuda_extra_and_without(shipped: Catalog) -> None:
    gpu = found(shipped, "tensorflow", "2.21.0", "cu125", "default", "x86_64")
    assert gpu.requirements == ("tensorflow[and-cuda]==2.21.0",)
    assert "nvidia-cudnn-cu12<10.0,>=9.3.0.75" in gpu.requires
    cpu = found(shipped, "tensorflow", "2.21.0", "cpu", "default", "manylinux_2_27_x86_64")
    assert not any(item.startswith("nvidia-") for item in cpu.requires)
    tensorflow = shipped.framework("tensorflow")
    assert tensorflow is not None
    cuda = [build for build in tensorflow.builds if build.accelerator == "cuda"]
    assert {build.wheels[0].platform.rpartition("_")[2] for build in cuda} == {"64"}
    assert all("manylinux" in build.wheels[0].platform for build in cuda)
    assert min(build.version for build in cuda) == Version("2.14.0")


def test_jax_takes_pythons_and_pins_from_its_parts(shipped: Catalog) -> None:
    gpu = found(shipped, "jax", "0.12.0.1", "cu12", "default", "x86_64")
    assert gpu.requirements == ("jax[cuda12]==0.12.0.1",)
    assert gpu.wheels[0].pythons[0] == "cp312"
    assert gpu.wheels[0].platform == "manylinux_2_27_x86_64"
    assert "jax-cuda12-pjrt==0.12.0.1" in gpu.requires
    assert any(item.startswith("nvidia-cudnn-cu12<10.0,>=9.10") for item in gpu.requires)
    assert str(gpu.min_capability) == "5.2"
    cpu = found(shipped, "jax", "0.12.0.1", "cpu", "default", "win_amd64")
    assert "cp314-cp314t" not in cpu.wheels[0].pythons


def test_jax_extras_that_cannot_be_resolved_are_no_builds(shipped: Catalog) -> None:
    """0.7.0 names an extra `cuda13` whose plugin begins with 0.7.2."""
    jax = shipped.framework("jax")
    assert jax is not None
    assert min(build.version for build in jax.builds if build.variant == "cu13") == Version("0.7.2")


def test_yanked_and_prereleases_are_marked(shipped: Catalog) -> None:
    every = [build for framework in shipped.frameworks for build in framework.builds]
    assert {str(build.version) for build in every if build.yanked and build.framework == "torchvision"} >= {
        "0.11.0"
    }
    for build in every:
        assert build.prerelease == build.version.is_prerelease
