"""Frameworks that use the CUDA and cuDNN of their image, in an image that holds others."""

from __future__ import annotations

import re
from collections.abc import Iterator

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from dlsetup.judge.installers import exact_pin, of_asked
from dlsetup.judge.known_libraries import in_words, needs_of
from dlsetup.judge.recipe_builds import framework_for, meant, release_of
from dlsetup.judge.recipes import Recipe, graded, recipes
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Evidence, Finding, Remedy
from dlsetup.model.framework import Build, Framework
from dlsetup.model.image import Image
from dlsetup.model.record import Record
from dlsetup.model.report import Asked
from dlsetup.model.versions import CudaVersion

_IDS = {"tensorflow": "tensorflow-wants-other-cuda-version", "onnxruntime": "onnxruntime-gpu-cuda-version"}
_BROUGHT = re.compile(
    r"(?:apt|apt-get|dnf|yum|conda|mamba|micromamba)\b[^;&|]{0,300}\binstall\b[^;&|]{0,300}\b(?:cuda|libcudnn|cudnn)"
    r"|\bnvidia-(?:cuda|cudnn|cublas)[\w-]*-cu\d|\bcuda_\d|\bcudnn-linux|\[and-cuda"
)
"""Words of a RUN that bring CUDA or cuDNN by themselves."""
REPOSITORY = "nvidia/cuda"


class Wanted(Record, frozen=True, kw_only=True):
    """What a release of a framework needs of the system."""

    release: str
    cuda: SpecifierSet
    cudnn: SpecifierSet
    source: str


@check(
    "mixed-cuda-majors", "tensorflow-wants-other-cuda-version", "onnxruntime-gpu-cuda-version", written=True
)
def other_cuda_in_image(scene: Scene) -> Iterator[Answer]:
    """A framework that uses the libraries of its image is made for another CUDA or cuDNN."""
    for recipe in recipes(scene):
        row = recipe.row
        if row is None or row.repository != REPOSITORY or any(map(_BROUGHT.search, recipe.runs)):
            continue
        for item in recipe.wishes:
            framework = framework_for(scene, item)
            wanted = _wanted(recipe, framework, item) if framework and not _by_torch(recipe, item) else None
            differs = _differs(wanted, row, recipe.image) if wanted else ""
            if framework and wanted and differs:
                yield _finding(scene, recipe, framework, item, wanted, differs)
                return


def _by_torch(recipe: Recipe, item: Asked) -> bool:
    """Whether torch is there, whose libraries serve ONNX Runtime where it is imported first."""
    return item.name.startswith("onnxruntime") and "torch" in recipe.names


def _wanted(recipe: Recipe, framework: Framework, item: Asked) -> Wanted | None:
    builds = meant(recipe, framework, item)
    linked = next((build for build in builds if build.expects and build.accelerator == "cuda"), None)
    if linked is not None:
        return _of_build(linked)
    release = exact_pin(item.specifier) or release_of(recipe, framework, item)
    row = needs_of(item.name, release) if release else None
    if row is None or release is None or not row.cuda or (builds and builds[0].accelerator == "cuda"):
        return None
    return Wanted(release=release.public, cuda=row.cuda, cudnn=row.cudnn, source=row.cited)


def _of_build(build: Build) -> Wanted | None:
    found = dict(filter(None, map(_expectation, build.expects)))
    if "cuda" not in found:
        return None
    return Wanted(
        release=build.version.public,
        cuda=found["cuda"],
        cudnn=found.get("cudnn", SpecifierSet()),
        source=next(iter(build.sources), ""),
    )


def _expectation(text: str) -> tuple[str, SpecifierSet] | None:
    try:
        found = Requirement(text)
    except InvalidRequirement:
        return None
    return found.name, found.specifier


def _differs(wanted: Wanted, row: Image, image: str) -> str:
    """What the image has instead; empty where it may serve."""
    if not isinstance(row.cuda, CudaVersion):
        return ""
    major = _major(wanted.cuda)
    if row.cuda.major < 11 and not wanted.cuda.contains(str(row.cuda)):
        return f"CUDA {row.cuda}"
    if major is not None and row.cuda.major != major:
        return f"CUDA {row.cuda}"
    cudnn = _major(wanted.cudnn)
    if cudnn is None or not isinstance(row.cudnn, str):
        return ""
    if "-cudnn" not in image:
        return "no cuDNN"
    return f"cuDNN {row.cudnn}" if Version(row.cudnn).major != cudnn else ""


def _major(specifier: SpecifierSet) -> int | None:
    named = [item.version for item in specifier if item.operator in ("==", ">=", "~=")]
    return int(named[0].partition(".")[0]) if named else None


def _finding(
    scene: Scene, recipe: Recipe, framework: Framework, item: Asked, wanted: Wanted, differs: str
) -> Finding:
    needs = f"CUDA {in_words(wanted.cuda)}" + (f" and cuDNN {in_words(wanted.cudnn)}" if wanted.cudnn else "")
    return Finding(
        id=_IDS.get(framework.name, "mixed-cuda-majors"),
        severity=graded(scene, "error"),
        title=f"{item.name} {wanted.release} needs {needs}; the image has {differs}",
        because="It brings no CUDA along and uses that of the image, where the libraries it was linked to "
        "are not found: it falls back to the CPU, or does not start.",
        evidence=(
            of_asked(item),
            Evidence(fact="image", value=recipe.image, source=recipe.stages[0].source),
        ),
        remedies=tuple(_remedies(scene, item, needs)),
        rests_on=scene.sources((wanted.source,)) or (wanted.source,),
    )


def _remedies(scene: Scene, item: Asked, needs: str) -> Iterator[Remedy]:
    text = f"Begin with an image of {needs}; `dlsetup catalog show images` lists them."
    yield Remedy(text=text, commands=("dlsetup catalog show images",), scope="project")
    yield Remedy(
        text="Or let dlsetup choose the image and the builds together.",
        commands=(f"dlsetup create image {item.name.removesuffix('-gpu')} --dry-run",),
        scope="project",
    )
