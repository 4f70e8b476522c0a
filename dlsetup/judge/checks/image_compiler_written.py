"""Something is compiled for CUDA in an image that has no compiler for it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.catalog.containers import reference
from dlsetup.judge.installers import of_asked
from dlsetup.judge.recipe_builds import builds_for, meant
from dlsetup.judge.recipes import Recipe, graded, recipes
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Evidence, Finding, Remedy
from dlsetup.model.versions import CudaVersion
from dlsetup.rules.image_tags import nearest_tags

_COMPILES = re.compile(
    r"(?:^|[;&|(]\s{0,40}|\bexec )(?:/usr/local/cuda/bin/)?nvcc\s"
    r"|-DGGML_CUDA=(?:on|1)\b|-DLLAMA_CU(?:BLAS|DA)=(?:on|1)\b"
    r"|--cuda_ext\b|\bDS_BUILD_[A-Z_]{2,40}=1\b|\bFORCE_CUDA=[\"']?1\b|\bHOROVOD_GPU_OPERATIONS=NCCL\b",
    re.IGNORECASE,
)
"""Words of a RUN that call nvcc."""
_TOOLKIT = re.compile(
    r"\bcuda[-_\d]|nvidia-cuda-|install[^;&|]{0,300}\bcuda\b|\.run\b|\.sh\b|\bspack\b|\bmodule load\b"
)
"""Words of a RUN that may bring the toolkit."""
_GUARDED = re.compile(r"\|\||\bif\b|command -v|which nvcc")
_PLAIN = ("python", "ubuntu", "debian", "rockylinux", "almalinux", "fedora", "centos", "alpine")
_WITH_FLAVOURS = ("nvidia/cuda", "pytorch/pytorch")


@check("cuda-toolkit-missing-for-build", written=True)
def no_compiler_in_image(scene: Scene) -> Iterator[Answer]:
    """A RUN calls nvcc, or a package is compiled with it, in an image without it."""
    for recipe in recipes(scene):
        if not _without_nvcc(recipe):
            continue
        called = next(
            (one for text in recipe.runs if (one := _COMPILES.search(text)) and not _GUARDED.search(text)),
            None,
        )
        built = None if called else _from_source(scene, recipe)
        if called is None and built is None:
            continue
        what = f"`{called[0].strip(' ;&|(')}`" if called else built.value if built else ""
        yield Finding(
            id="cuda-toolkit-missing-for-build",
            severity=graded(scene, "error") if called else "warning",
            title=f"The image has no CUDA compiler, which {what} needs",
            because=f"{recipe.image} holds no nvcc: "
            + (
                "the RUN fails."
                if called
                else "without a wheel for this torch, CUDA and Python it is compiled, and that fails."
            ),
            evidence=(
                *((built,) if built else ()),
                Evidence(fact="image", value=recipe.image, source=recipe.stages[0].source),
            ),
            remedies=tuple(_remedies(scene, recipe)),
            rests_on=scene.sources(("torch-cpp-extension",)),
        )
        return


def _without_nvcc(recipe: Recipe) -> bool:
    """Whether the image certainly holds no toolkit, and nothing in the file may bring one."""
    repository, tag = reference(recipe.image)
    copied = any("cuda" in text for stage in recipe.stages for text in stage.copies)
    if "$" in recipe.image or copied or any(map(_TOOLKIT.search, recipe.runs)):
        return False
    if repository in _WITH_FLAVOURS:
        return re.search(r"(?:^|-)(?:runtime|base)\b", tag) is not None
    return repository in _PLAIN


def _from_source(scene: Scene, recipe: Recipe) -> Evidence | None:
    """A package without wheels in the index, which is compiled with nvcc."""
    for command, items in recipe.installs:
        if any(".whl" in word or word in ("-f", "--find-links") for word in command.words):
            continue
        for item in items:
            builds = builds_for(scene, recipe, item)
            if builds and all(build.from_source and "nvcc" in build.expects for build in builds):
                return of_asked(item)
    return None


def _remedies(scene: Scene, recipe: Recipe) -> Iterator[Remedy]:
    image = recipe.image
    devel = re.sub(r"(?<=-)(?:runtime|base)\b", "devel", image)
    if devel != image:
        yield Remedy(text=f"Compile in a stage that begins with `{devel}`, which has it.", scope="project")
        return
    cuda = next((build for build in _cudas(scene, recipe)), None)
    near = nearest_tags(f"nvidia/cuda:{cuda}-devel", scene.catalog.images) if cuda else []
    named = f"`{near[0]}`" if near else "a `devel` image of `nvidia/cuda`"
    yield Remedy(
        text=f"Compile in a stage that begins with {named}, of the CUDA that torch was built with.",
        commands=("dlsetup catalog show images",),
        scope="project",
    )


def _cudas(scene: Scene, recipe: Recipe) -> Iterator[CudaVersion]:
    torch = scene.catalog.framework("torch")
    for item in recipe.asked:
        if torch is not None and item.name == "torch":
            yield from (build.cuda for build in meant(recipe, torch, item) if build.cuda)
