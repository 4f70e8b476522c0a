"""The kinds of faults that can be mended inside an environment: one table, read by everybody."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from msgspec.structs import replace

from dlsetup.judge.roles import matches
from dlsetup.model.finding import Diagnosis, Finding, Remedy
from dlsetup.model.record import Record

Deed = Literal["choose-builds", "part-twins", "restore-files", "keep-builds", "clear-remains", "trim-path"]
"""What mending may do to an environment:

choose-builds    install other builds of frameworks, and what they ask for
part-twins       remove distributions that write the files of another one
restore-files    write files again that were written over, remove libraries that nothing asks for
keep-builds      leave constraints that keep a later installation from undoing it
clear-remains    remove what installations that broke off left behind
trim-path        let the activation scripts take folders out of LD_LIBRARY_PATH
"""


class Kind(Record, frozen=True, kw_only=True):
    """One kind of fault, and what may be done about it."""

    name: str
    title: str
    findings: tuple[str, ...]
    """Ids that it takes away; `<framework>` stands for any."""
    does: tuple[Deed, ...]


KINDS = (
    Kind(
        name="cuda-conflict",
        title="CUDA packages collide or disagree",
        findings=(
            "mixed-cuda-majors",
            "two-frameworks-share-cudnn",
            "cudnn-major-mismatch",
            "cudnn-too-old-at-runtime",
            "nvjitlink-older-than-cusparse",
            "torchvision-torch-mismatch",
            "torchaudio-torch-mismatch",
            "jax-plugin-mismatch",
            "jax-jaxlib-mismatch",
            "onnxruntime-cpu-and-gpu-both",
            "<framework>-cpu-and-gpu-both",
            "<framework>-twins",
            "<framework>-by-conda-and-pip",
            "installed-files-damaged",
        ),
        does=("choose-builds", "part-twins", "restore-files"),
    ),
    Kind(
        name="missing-gpu-libs",
        title="A framework lacks the packages through which it reaches the GPU",
        findings=("tensorflow-without-cuda-wheels", "tensorflow-cannot-find-wheel-libs", "cpu-only-jax"),
        does=("choose-builds",),
    ),
    Kind(
        name="cpu-build",
        title="CPU builds leave a GPU idle",
        findings=("cpu-only-<framework>",),
        does=("choose-builds", "keep-builds"),
    ),
    Kind(
        name="arch-mismatch",
        title="Builds hold no code for the GPU",
        findings=("gpu-arch-not-in-wheel", "rocm-gfx-not-in-build"),
        does=("choose-builds",),
    ),
    Kind(
        name="driver-too-old",
        title="Builds need a newer driver",
        findings=("driver-too-old",),
        does=("choose-builds",),
    ),
    Kind(
        name="numpy-abi",
        title="NumPy 2 lies under code for NumPy 1",
        findings=("numpy2-abi",),
        does=("choose-builds",),
    ),
    Kind(
        name="library-path",
        title="LD_LIBRARY_PATH puts other copies of CUDA libraries in front",
        findings=("ld-library-path-shadows-wheel-libs",),
        does=("trim-path",),
    ),
    Kind(
        name="duplicates",
        title="Distributions are there twice, or half",
        findings=("distribution-listed-twice", "distribution-emptied", "installation-leftovers"),
        does=("clear-remains",),
    ),
)
"""In the order in which they are listed. A finding belongs to the first kind that names it."""

EVERY = "all"
_OUTSIDE = ("host", "container-host", "windows")


def named(name: str) -> tuple[Kind, ...]:
    """The kind of that name, or every kind for `all`; nothing: there is none of that name."""
    return KINDS if name == EVERY else tuple(kind for kind in KINDS if kind.name == name)


def kind_of(finding: Finding) -> Kind | None:
    """The kind that takes it away; None: no change of the environment does. A note is no fault."""
    if finding.severity == "note":
        return None
    found = (kind for kind in KINDS if any(matches(pattern, finding.id) for pattern in kind.findings))
    return next(found, None)


def mendable(diagnosis: Diagnosis, kinds: Iterable[Kind] = KINDS) -> tuple[Finding, ...]:
    """The faults of these kinds."""
    names = {kind.name for kind in kinds}
    return tuple(item for item in diagnosis.findings if (kind := kind_of(item)) and kind.name in names)


def present(diagnosis: Diagnosis, kinds: Iterable[Kind] = KINDS) -> tuple[Kind, ...]:
    """Those of the kinds that have findings."""
    found = [kind_of(item) for item in diagnosis.findings]
    return tuple(kind for kind in kinds if kind in found)


def deeds(findings: Iterable[Finding]) -> frozenset[Deed]:
    """What may be done about these findings."""
    return frozenset(deed for item in findings if (kind := kind_of(item)) for deed in kind.does)


def by_hand(diagnosis: Diagnosis) -> tuple[Finding, ...]:
    """Faults with the remedies that only a person can carry out: on the host, on the Windows side."""
    faults = (item for item in diagnosis.findings if item.severity != "note")
    told = (replace(item, remedies=tuple(_of_person(item))) for item in faults)
    return tuple(item for item in told if item.remedies)


def _of_person(finding: Finding) -> Iterator[Remedy]:
    whole = kind_of(finding) is None
    yield from (item for item in finding.remedies if whole or item.scope in _OUTSIDE)
