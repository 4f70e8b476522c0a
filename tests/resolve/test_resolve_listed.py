"""What a listing means as a wish: markers, names, indexes, and what is left with its reason."""

from __future__ import annotations

import pytest
from packaging.version import Version

from dlsetup.intake.requirements_file import parse_requirements
from dlsetup.intake.target import parse
from dlsetup.model.errors import UsageError
from dlsetup.model.framework import Build, Catalog
from dlsetup.model.listing import Listing, Placed, Said
from dlsetup.model.locked import LockNote, LockPick, LockTarget
from dlsetup.model.target import Interpreter
from dlsetup.model.wish import Kept
from dlsetup.resolve.listed import Taking, frameworks_in

LINUX = "os=linux,arch=x86_64,glibc=2.31"
OWNERS = {
    **{name: name for name in ("torch", "torchvision", "tensorflow", "jax", "litert")},
    "jaxlib": "jax",
    "tensorflow-cpu": "tensorflow",
}


def taken(
    world: Catalog, *lines: str, target: str = LINUX, pythons: str = "3.11 3.12", keep: bool = False
) -> Taking:
    return of_listing(world, parse_requirements("\n".join(lines), "r"), target, pythons, keep=keep)


def of_listing(
    world: Catalog, listing: Listing, target: str = LINUX, pythons: str = "3.12", *, keep: bool = False
) -> Taking:
    known = [Interpreter(version=Version(text)) for text in pythons.split()]
    taking = Taking(world, OWNERS, parse(target), known, keep=keep)
    taking.take(listing)
    return taking


def left(taking: Taking) -> dict[str, str]:
    return {item.text: item.because for item in taking.left}


def test_frameworks_are_wishes_and_the_rest_is_for_the_installer(world: Catalog) -> None:
    found = taken(world, "torch>=2.14", "jax[cuda12]", "numpy<2.3", "rich")
    assert [item.text for item in found.wanted.values()] == ["torch>=2.14", "jax[cuda12]"]
    assert [item.text for item in found.packages] == ["numpy<2.3", "rich"]
    assert all(item.filed for item in found.wanted.values())


def test_two_lines_on_one_framework_hold_together(world: Catalog) -> None:
    found = taken(world, "torch>=2.14", "torch<2.15", "-c bounds")
    assert found.wanted["torch"].text == "torch<2.15,>=2.14"


def test_what_comes_with_a_build_is_left_and_a_bound_on_jaxlib_is_kept(world: Catalog) -> None:
    found = taken(world, "nvidia-cudnn-cu12==9.1", "triton==3", "jaxlib==0.10.0", "nvidia-ml-py")
    assert set(left(found)) == {"nvidia-cudnn-cu12==9.1", "triton==3"}
    assert [item.text for item in found.packages] == ["jaxlib==0.10.0", "nvidia-ml-py"]


def test_another_name_of_a_framework_is_told(world: Catalog) -> None:
    assert "ask for tensorflow" in left(taken(world, "tensorflow-cpu==2.15"))["tensorflow-cpu==2.15"]


@pytest.mark.parametrize(
    ("line", "because"),
    [
        ("torch ; sys_platform == 'darwin'", "does not hold"),
        ("torch ; extra == 'train'", "does not hold"),
        ("torch @ git+https://host.example/x", "no release"),
    ],
)
def test_what_does_not_hold_is_left(world: Catalog, line: str, because: str) -> None:
    found = taken(world, line)
    assert not found.wanted
    assert because in next(iter(left(found).values()))


def test_a_marker_on_an_unknown_target_is_not_guessed(world: Catalog) -> None:
    found = taken(world, "torch ; sys_platform == 'linux'", target="driver=580.65.06")
    assert not found.wanted
    assert "nothing tells" in next(iter(left(found).values()))


def test_python_that_decides_about_a_framework_has_to_be_said(world: Catalog) -> None:
    line = "torch<2.15 ; python_version < '3.12'"
    with pytest.raises(UsageError, match="r, line 1") as caught:
        taken(world, line)
    assert "--python" in caught.value.hint
    assert taken(world, line, pythons="3.11").wanted["torch"].text == "torch<2.15"
    assert not taken(world, line, pythons="3.12").wanted


def test_a_package_keeps_the_marker_that_only_the_installer_can_tell(world: Catalog) -> None:
    found = taken(world, "numpy<2 ; python_version < '3.12'")
    assert [item.text for item in found.packages] == ['numpy<2; python_version < "3.12"']


def test_a_wheel_by_address_tells_its_release(world: Catalog) -> None:
    url = "https://wheels.example/torch-2.14.1%2Bcu126-cp311-cp311-manylinux_2_28_x86_64.whl"
    assert taken(world, f"torch @ {url}").wanted["torch"].text == "torch==2.14.1+cu126"


def test_an_index_of_the_catalog_is_where_its_frameworks_come_from(world: Catalog) -> None:
    found = taken(world, "--index-url https://wheels.example/pytorch-cu126/", "torch", "jax")
    assert found.wanted["torch"].indexes == ("pytorch-cu126",)
    assert found.wanted["jax"].indexes == ()
    assert found.notes == ["torch comes from https://wheels.example/pytorch-cu126"]


def test_an_index_without_the_release_binds_nothing_and_says_so(world: Catalog) -> None:
    found = taken(world, "--extra-index-url https://wheels.example/pytorch-cu118", "torch>=2.14")
    assert found.wanted["torch"].indexes == ()
    assert found.notes == [
        "https://wheels.example/pytorch-cu118 has no torch>=2.14: it may come from elsewhere"
    ]


def test_an_unknown_index_is_left_without_its_password(world: Catalog) -> None:
    found = taken(world, "--index-url https://me:secret@mirror.example/simple", "torch")
    assert left(found) == {"https://mirror.example/simple": "no index of the catalog"}


def test_a_secret_in_the_address_of_a_package_goes_nowhere(world: Catalog) -> None:
    found = taken(world, "thing @ https://me:secret@host.example/thing.tar.gz")
    assert not found.packages
    assert "secret" not in str(found.left)


def test_keep_makes_exact_versions_what_is_there(world: Catalog) -> None:
    found = taken(world, "torch==2.14.1", "jax>=0.10", keep=True)
    assert found.wanted["torch"].text == ""
    assert found.wanted["jax"].text == "jax>=0.10"
    assert list(found.kept.values()) == [Kept(framework="torch", version=Version("2.14.1"), index="default")]
    found = taken(world, "torch==2.14.1+cu126", keep=True)
    assert found.kept["torch"].variant == "cu126"


def test_of_a_lock_only_frameworks_are_taken(world: Catalog) -> None:
    rows = tuple(Said(text=text, where="lock") for text in ("torch==2.14.1", "numpy==2.1", "jaxlib==0.10"))
    found = of_listing(world, Listing(requirements=rows, locked=True))
    assert list(found.wanted) == ["torch"]
    assert not found.packages
    assert found.notes == ["2 further packages of the lock are left to the installer"]


def test_packages_of_conda_are_taken_by_names_that_the_catalog_knows(world: Catalog) -> None:
    rows = tuple(Said(text=text, where="e.yml, conda") for text in ("torch", "numpy<2", "ffmpeg"))
    found = of_listing(world, Listing(requirements=rows))
    assert [item.text for item in found.packages] == ["numpy<2"]
    assert list(left(found)) == ["ffmpeg"]


def test_names_of_frameworks_whatever_their_markers() -> None:
    rows = tuple(Said(text=text, where="") for text in ("Torch ; python_version < '3'", "rich", "jaxlib"))
    assert list(frameworks_in(Listing(requirements=rows), OWNERS)) == ["torch", "jax"]


def noted(framework: str, version: str, variant: str, words: str = LINUX, index: str = "") -> LockNote:
    return LockNote(
        version="0.1.0",
        python=Version("3.12"),
        targets=(LockTarget(name="there", words=words),),
        picks=(
            LockPick(
                framework=framework,
                version=Version(version),
                variant=variant,
                index=index,
                targets=("there",),
            ),
        ),
    )


def of_lock(world: Catalog, line: str, note: LockNote, *, keep: bool = False, target: str = LINUX) -> Taking:
    listing = Listing(requirements=(Said(text=line, where="lock"),), locked=True, note=note)
    return of_listing(world, listing, target, keep=keep)


def test_the_note_of_a_lock_tells_the_device(world: Catalog) -> None:
    version = next(str(item.version) for item in builds_of(world, "jax") if item.variant == "cpu")
    cpu = of_lock(world, f"jax=={version}", noted("jax", version, "cpu"))
    assert cpu.wanted["jax"].extras == ("cpu",)
    assert cpu.wanted["jax"].indexes == ("default",)
    gpu = next(item for item in builds_of(world, "jax") if item.variant.startswith("cu"))
    found = of_lock(world, f"jax=={gpu.version}", noted("jax", str(gpu.version), gpu.variant))
    assert len(found.wanted["jax"].extras) == 1
    kept = of_lock(world, f"jax=={version}", noted("jax", version, "cpu"), keep=True)
    assert kept.kept["jax"].variant == "cpu"


def test_the_note_of_another_platform_or_release_binds_nothing(world: Catalog) -> None:
    version = next(str(item.version) for item in builds_of(world, "jax") if item.variant == "cpu")
    for note in (
        noted("jax", version, "cpu", words="os=macos,arch=arm64,macos=14.5"),
        noted("jax", "0.0.1", "cpu"),
        noted("torch", version, "cpu"),
    ):
        assert of_lock(world, f"jax=={version}", note).wanted["jax"].extras == ()


def test_a_mirror_leaves_the_index_open(world: Catalog) -> None:
    note = noted("torch", "2.14.1", "cu126", index="https://mirror.example/cu126")
    found = of_lock(world, "torch==2.14.1+cu126", note)
    assert found.wanted["torch"].indexes == ()


def builds_of(world: Catalog, name: str) -> list[Build]:
    framework = world.framework(name)
    assert framework is not None
    return list(framework.builds)


def test_an_index_holds_where_its_marker_does(world: Catalog) -> None:
    address = next(index.url for index in world.indexes if index.name == "pytorch-cu126")
    for marker, indexes in (
        ("sys_platform == 'linux'", ("pytorch-cu126",)),
        ("sys_platform == 'darwin'", ()),
        ("python_version >= '3.0'", ("pytorch-cu126",)),
    ):
        placed = Placed(distribution="torch", address=Said(text=address or "", where="p"), marker=marker)
        listing = Listing(requirements=(Said(text="torch", where="p"),), sources=(placed,))
        assert of_listing(world, listing).wanted["torch"].indexes == indexes


def test_a_source_by_address_tells_its_release(world: Catalog) -> None:
    found = taken(world, "torch @ https://host.example/torch-2.14.1.tar.gz")
    assert str(found.wanted["torch"].specifier) == "==2.14.1"
