"""Images: tags made by their scheme, what is inside, what they ask of the driver."""

from __future__ import annotations

import datetime
import re
from collections import Counter

import pytest
from hand_made import Shelf

from dlsetup.catalog.images import image_knowledge, image_sources, images, system_packages
from dlsetup.catalog.load import load, names
from dlsetup.model.errors import DataError
from dlsetup.model.framework import Catalog
from dlsetup.model.image import Image
from dlsetup.model.record import Unknown
from dlsetup.model.versions import CudaVersion

SOURCE = '[[source]]\nid = "s"\nwhat = "a test"\nchecked = "2026-01-02"\n'


@pytest.fixture(scope="module")
def all_images() -> tuple[Image, ...]:
    return images()


def of_tag(found: tuple[Image, ...], repository: str, tag: str) -> Image:
    (image,) = (item for item in found if item.repository == repository and tag in item.tags)
    return image


def test_no_tag_exists_twice(all_images: tuple[Image, ...]) -> None:
    seen = Counter((image.repository, tag) for image in all_images for tag in image.tags)
    assert [key for key, count in seen.items() if count > 1] == []
    for _, tag in seen:
        assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}", tag), tag


def test_every_tag_that_is_there_is_made_as_its_repository_makes_them(all_images: tuple[Image, ...]) -> None:
    for naming in image_knowledge().namings:
        rows = [row for row in all_images if row.repository == naming.repository]
        tags = [tag for row in rows if row.standing != "removed" for tag in row.tags]
        assert tags
        assert [tag for tag in tags if not re.fullmatch(naming.pattern, tag)] == []


def test_every_source_exists_and_is_cited(all_images: tuple[Image, ...]) -> None:
    cited = {image.source for image in all_images}
    asked = (image.requirement for image in all_images if image.requirement is not None)
    cited |= {item.source for item in asked if not isinstance(item, Unknown)}
    cited |= {row.source for row in system_packages()}
    cited |= {row.source for row in image_knowledge().namings}
    known = [source.id for source in image_sources()]
    assert len(known) == len(set(known))
    assert cited == set(known)
    today = datetime.datetime.now(datetime.timezone.utc).date()
    assert all(datetime.date.fromisoformat(source.checked) <= today for source in image_sources())


def test_what_nobody_looked_up_says_no_release(all_images: tuple[Image, ...]) -> None:
    low = {source.id for source in image_sources() if source.certainty == "low"}
    guessed = [image for image in all_images if image.source in low]
    assert guessed
    assert all(image.version is None and isinstance(image.requirement, Unknown) for image in guessed)


def test_frameworks_inside_are_in_the_catalog_or_will_be(all_images: tuple[Image, ...]) -> None:
    inside = {image.framework for image in all_images} - {""}
    assert inside - {"vllm"} <= set(names())


def test_the_cuda_inside_is_a_toolkit(all_images: tuple[Image, ...], shipped: Catalog) -> None:
    lines = {row.version.line for row in shipped.hardware.toolkits}
    for image in all_images:
        if image.cuda is not None and not isinstance(image.cuda, Unknown):
            assert image.cuda.line in lines, image.tags


def test_an_image_asks_for_the_cuda_that_it_holds(all_images: tuple[Image, ...]) -> None:
    checked = 0
    for image in all_images:
        asked = image.requirement
        if (
            asked is None
            or isinstance(asked, Unknown)
            or image.cuda is None
            or isinstance(image.cuda, Unknown)
        ):
            continue
        assert asked.condition == f"cuda>={image.cuda.line}", image.tags
        assert all(branch > 380 for item in asked.passes for branch in item.branches)
        checked += 1
    assert checked > 300


def test_no_branch_passes_that_knows_the_cuda_itself(all_images: tuple[Image, ...], shipped: Catalog) -> None:
    """A branch that lets older drivers pass would not be named if its own ceiling sufficed."""
    ceilings = {row.branch: row.cuda_ceiling for row in shipped.hardware.branches}
    for image in all_images:
        if isinstance(image.requirement, Unknown) or image.requirement is None:
            continue
        for branch in (one for item in image.requirement.passes for one in item.branches):
            ceiling = ceilings.get(branch)
            if ceiling is not None and not isinstance(ceiling, Unknown):
                asked = CudaVersion(image.requirement.condition.removeprefix("cuda>="))
                assert ceiling < asked or asked.major < 11, (image.tags, branch)


@pytest.mark.parametrize(
    ("tag", "geforce", "tesla"),
    [
        ("12.4.1-devel-ubuntu22.04", True, (470, 525, 535)),
        ("12.6.3-cudnn-runtime-ubuntu24.04", False, (470, 535, 550)),
        ("13.0.2-base-ubuntu22.04", False, (535, 550, 565, 570, 575)),
    ],
)
def test_older_drivers_pass_for_boards_of_data_centres_and_once_did_for_all(
    all_images: tuple[Image, ...], tag: str, geforce: bool, tesla: tuple[int, ...]
) -> None:
    asked = of_tag(all_images, "nvidia/cuda", tag).requirement
    assert asked is not None
    assert not isinstance(asked, Unknown)
    (item,) = asked.passes
    assert item.branches == tesla
    assert "tesla" in item.brands
    assert ("geforce" in item.brands) is geforce


@pytest.mark.parametrize(
    ("tag", "cudnn", "glibc", "standing"),
    [
        ("12.2.2-cudnn8-devel-ubuntu20.04", "8", "2.31", "supported"),
        ("12.6.3-cudnn-devel-ubi9", "9", "2.34", "supported"),
        ("12.6.0-cudnn-devel-ubuntu24.04", "9", "2.39", "unsupported"),
        ("12.9.2-cudnn-devel-ubuntu22.04", "9", "2.35", "supported"),
        ("12.9.1-cudnn-devel-ubuntu22.04", "9", "2.35", "unsupported"),
    ],
)
def test_tags_of_cuda(all_images: tuple[Image, ...], tag: str, cudnn: str, glibc: str, standing: str) -> None:
    image = of_tag(all_images, "nvidia/cuda", tag)
    assert (image.cudnn, str(image.glibc), image.standing) == (cudnn, glibc, standing)
    assert image.python is None


def test_there_are_tags_that_are_gone_and_tags_that_never_were(all_images: tuple[Image, ...]) -> None:
    tags = {
        tag: image.standing for image in all_images for tag in image.tags if image.repository == "nvidia/cuda"
    }
    assert tags["11.2.0-devel-ubuntu20.04"] == "removed"
    assert tags["10.2-base-ubuntu18.04"] == "removed"
    assert not [tag for tag in tags if tag.startswith("12.7")]
    assert not [tag for tag in tags if "cudnn" in tag and "base" in tag]


def test_images_of_frameworks_say_what_they_hold(all_images: tuple[Image, ...]) -> None:
    torch = of_tag(all_images, "pytorch/pytorch", "2.14.1-cuda12.6-cudnn9-devel")
    assert (torch.framework, str(torch.version), str(torch.cuda)) == ("torch", "2.14.1", "12.6")
    assert torch.requirement is not None
    assert of_tag(all_images, "pytorch/pytorch", "2.14.1-cuda12.6-cudnn9-runtime").requirement is None
    serving = of_tag(all_images, "tensorflow/serving", "2.20.0-gpu")
    assert (str(serving.cuda), serving.cudnn, serving.system) == ("12.5.1", "9.3.0.75", "ubuntu 22.04")
    plain = of_tag(all_images, "tensorflow/serving", "2.20.0")
    assert (plain.cuda, plain.requirement) == (None, None)
    rocm = of_tag(all_images, "rocm/pytorch", "rocm7.2.2_ubuntu24.04_py3.12_pytorch_release_2.10.0")
    assert (str(rocm.rocm), rocm.python, rocm.cuda) == ("7.2.2", "3.12", None)


def test_loading_the_catalog_reads_no_images(shelf: Shelf) -> None:
    shelf.write("images/broken.toml", "image = 3\n")
    assert load([], folders=[shelf.folder]).hardware.gpus
    with pytest.raises(DataError, match=r"broken\.toml"):
        images([shelf.folder])


def test_an_image_of_a_site_takes_over_what_its_base_asks(shelf: Shelf) -> None:
    shelf.write(
        "images/site.toml",
        '[[image]]\nrepository = "site/torch"\ntag = "{version}-{kind}"\nversions = ["2.9", "2.8"]\n'
        'kinds = ["a", "b"]\nframework = "torch"\nasks = "12.6.3-cudnn-devel-ubuntu22.04"\nsource = "s"\n'
        + SOURCE,
    )
    found = [image for image in images([shelf.folder]) if image.repository == "site/torch"]
    assert [image.tags for image in found] == [("2.9-a", "2.9-b"), ("2.8-a", "2.8-b")]
    for image in found:
        assert not isinstance(image.requirement, Unknown)
        assert image.requirement is not None
        assert image.requirement.condition == "cuda>=12.6"
        assert isinstance(image.python, Unknown)


def test_an_odd_scheme_of_a_site_makes_an_odd_tag_and_no_fault(shelf: Shelf) -> None:
    shelf.write(
        "images/site.toml",
        '[[image]]\nrepository = "site/odd"\ntag = "{version.real}{0}{nothing}-{kind}"\nkinds = ["a{"]\n'
        'asks = "{nothing}"\nsource = "s"\n' + SOURCE,
    )
    (image,) = (image for image in images([shelf.folder]) if image.repository == "site/odd")
    assert image.tags == ("{version.real}{0}{nothing}-a{",)
    assert isinstance(image.requirement, Unknown)
