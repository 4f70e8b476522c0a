"""The front door of the catalog: what is read, what comes first, and what is said of bad files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hand_made import Shelf

from dlsetup.catalog import folders as folders_module
from dlsetup.catalog.load import clues, load, named, names
from dlsetup.model.errors import DataError, UsageError
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


def test_only_what_is_asked_for_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    real = folders_module._read
    monkeypatch.setattr(folders_module, "_read", lambda path: read.append(path.name) or real(path))
    catalog = load(["jax"])
    assert [framework.name for framework in catalog.frameworks] == ["jax"]
    assert "jax.json" in read
    assert not {"torch.json", "torch.toml", "tensorflow.json", "nvidia-cublas-cu11.json"} & set(read)


def test_frameworks_that_are_asked_for_by_others_come_along() -> None:
    catalog = load(["torchvision"])
    assert [framework.name for framework in catalog.frameworks] == ["torchvision", "torch", "torch-npu"]
    assert "torch" in [framework.name for framework in load(["lightning"]).frameworks]


def test_no_framework_at_all_still_gives_hardware_and_indexes() -> None:
    catalog = load([])
    assert catalog.frameworks == ()
    assert not catalog.libraries
    assert catalog.checked == ""
    assert catalog.hardware.toolkits
    assert catalog.indexes[0].url is None


def test_frameworks_come_in_the_order_asked_for_and_once() -> None:
    catalog = load(["jax", "torch", "jax"])
    assert [framework.name for framework in catalog.frameworks] == ["jax", "torch", "torch-npu"]


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
    assert not catalog.frameworks[0].builds
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
        ("frameworks/jax.toml", "a = " + "1" * 5000, "frameworks/jax.toml"),
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
        [len(framework.builds) for framework in load(["jax"], [shelf.folder]).frameworks]
    assert str(path) in caught.value.message
    assert says in caught.value.message


@pytest.mark.parametrize("version", ["one", "1.0.*", ""])
def test_a_version_that_is_none_is_malformed_data(shelf: Shelf, version: str) -> None:
    shelf.framework("hand", HAND)
    shelf.generated("hand", [{"version": version, "wheels": [["py3", "any", 5]]}])
    (framework,) = load(["hand"], [shelf.folder]).frameworks
    with pytest.raises(DataError, match="version"):
        len(framework.builds)


def test_a_file_of_another_name_is_malformed_data(shelf: Shelf) -> None:
    shelf.framework("other", HAND)
    (shelf.folder / "frameworks" / "other.toml").rename(shelf.folder / "frameworks" / "hand.toml")
    with pytest.raises(DataError, match="not `hand`"):
        load(["hand"], [shelf.folder])


def test_a_distribution_name_is_never_a_path(shelf: Shelf) -> None:
    shelf.framework("hand", HAND.replace('name = "hand"', 'name = "../../hand"'))
    with pytest.raises(DataError, match="canonical"):
        load(["hand"], [shelf.folder])


def test_a_framework_without_distributions_is_malformed_data(shelf: Shelf) -> None:
    head = 'name = "hand"\ntitle = "hand"\ndistributions = []\nimports = "hand"\n'
    shelf.write("frameworks/hand.toml", head + HAND)
    with pytest.raises(DataError, match="`distributions` is empty"):
        load(["hand"], [shelf.folder])


def test_generated_data_about_something_else_is_malformed_data(shelf: Shelf) -> None:
    shelf.framework("hand", HAND)
    shelf.generated("other", [])
    (shelf.folder / "generated" / "other.json").rename(shelf.folder / "generated" / "hand.json")
    with pytest.raises(DataError, match="about `other`, not `hand`"):
        load(["hand"], [shelf.folder])


def test_an_index_that_nobody_describes_is_malformed_data(shelf: Shelf) -> None:
    shelf.framework("hand", HAND.replace("source = ", 'index = "nowhere", source = ', 1))
    with pytest.raises(DataError, match="no index `nowhere`"):
        load(["hand"], [shelf.folder])


def test_a_framework_like_one_that_is_not_there_is_malformed_data(shelf: Shelf) -> None:
    shelf.framework("hand", 'like = { framework = "nowhere", source = "hand" }\n' + HAND)
    with pytest.raises(DataError, match="no framework `nowhere`"):
        load(["hand"], [shelf.folder])


@pytest.mark.parametrize(
    ("name", "meant"),
    [("tensorflow-gpu", "tensorflow"), ("cv2", "opencv"), ("pytorch", "torch"), ("jaxlib", "jax")],
)
def test_other_names_of_a_framework_lead_to_it_alone(shelf: Shelf, name: str, meant: str) -> None:
    shelf.write("frameworks/broken.toml", "name = ")
    with pytest.raises(UsageError) as caught:
        load([name], [shelf.folder])
    assert f"Did you mean `{meant}`? " in caught.value.hint


def test_a_file_without_end_is_refused(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders_module, "LIMIT", 100)
    shelf.write("generated/jax.json", "[" * 101)
    with pytest.raises(DataError, match="larger than 100 bytes"):
        load(["jax"], [shelf.folder])


def test_a_folder_in_place_of_a_file_is_refused(shelf: Shelf) -> None:
    (shelf.folder / "generated" / "jax.json").mkdir(parents=True)
    with pytest.raises(DataError, match=r"jax\.json"):
        load(["jax"], [shelf.folder])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with a name")
def test_a_pipe_in_place_of_a_file_is_refused(shelf: Shelf) -> None:
    os.mkfifo(shelf.write("frameworks/other.toml", "").with_name("jax.toml"))
    with pytest.raises(DataError, match=r"jax\.toml: it is a pipe"):
        load(["jax"], [shelf.folder])


def test_clues_come_from_overlays_too(shelf: Shelf) -> None:
    clue = '[[clue]]\ndistribution = "hand"\npath = "hand/v.py"\npattern = "x"\ngives = "cuda"\n'
    shelf.framework("hand", HAND + clue)
    assert [item.path for item in clues([shelf.folder]) if item.distribution == "hand"] == ["hand/v.py"]
