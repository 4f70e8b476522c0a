"""macOS: the interpreter's processor and the age of the system decide about the GPU."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from dlsetup.judge.commands import install
from dlsetup.judge.evidence import of_framework, of_gpus, of_message
from dlsetup.judge.known import mac_bounds
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Evidence, Finding, Remedy
from dlsetup.model.record import Unknown
from dlsetup.model.versions import OsRelease


@check("mac-python-is-x86-64")
def python_for_intel(scene: Scene) -> Iterator[Answer]:
    """The environment's Python is built for Intel and runs through Rosetta on Apple silicon."""
    environment = scene.environment
    if scene.target.os != "macos" or scene.target.arch != "aarch64" or environment is None:
        return
    if environment.arch != "x86_64":
        return
    yield Finding(
        id="mac-python-is-x86-64",
        severity="error",
        title="This Python is built for Intel and runs through Rosetta",
        because="The Mac has Apple silicon, whose GPU frameworks for x86_64 cannot use.",
        evidence=(
            Evidence(fact="architecture of Python", value="x86_64", source=environment.path),
            *of_gpus(scene, scene.gpus("apple")),
        ),
        remedies=(
            Remedy(
                text="Make a new environment with a Python for arm64; uv brings one.",
                commands=("uv python install cpython-3.12-macos-aarch64",),
            ),
        ),
    )


@check("macos-too-old-for-mps")
def macos_too_old(scene: Scene) -> Iterator[Answer]:
    """macOS is older than the GPU support of the installed torch needs."""
    torch, release = scene.framework("torch"), scene.target.release
    if (
        torch is None
        or scene.target.os != "macos"
        or scene.target.arch != "aarch64"
        or isinstance(release, Unknown)
    ):
        return
    version = torch.distribution.version
    bound = next((row for row in mac_bounds() if row.holds_for("torch", version)), None)
    if bound is None or release >= bound.oldest:
        return
    yield Finding(
        id="macos-too-old-for-mps",
        severity="error" if bound.certain or _refuses(scene) else "warning",
        title=f"macOS {release} is too old for the GPU support of torch {version}",
        because=f"MPS of this release needs macOS {bound.oldest} or newer.",
        evidence=(Evidence(fact="macOS", value=str(release), source="the system"), of_framework(torch)),
        remedies=(
            Remedy(text=f"Update macOS to {bound.oldest} or newer.", scope="host"),
            *_older_torch(scene, release),
        ),
        rests_on=(bound.cited,),
    )


def _older_torch(scene: Scene, release: OsRelease) -> Iterator[Remedy]:
    """The newest releases of torch whose GPU support this macOS serves."""
    rows = mac_bounds()
    for newer, row in pairwise(rows):
        if release >= row.oldest:
            ends = f"<{min(item.version for item in newer.releases)}"
            text = f"Or take torch{ends}, the last releases for macOS {row.oldest}."
            yield Remedy(text=text, commands=install(scene, [f"torch{ends}"]))
            return


@check("macos-too-old-for-mps", told=True)
def said_to_be_too_old(scene: Scene) -> Iterator[Answer]:
    """torch names the oldest macOS that its GPU support serves, and this one is older."""
    message = next(iter(scene.messages("mps-needs-macos")), None)
    release = scene.target.release
    if message is None or isinstance(release, Unknown) or release >= OsRelease(message.value("bound") or "0"):
        return
    yield Finding(
        id="macos-too-old-for-mps",
        severity="error",
        title=f"macOS {release} is too old for the GPU support of torch",
        because=f"torch itself says that MPS needs macOS {message.value('bound')} or newer.",
        evidence=(
            of_message(message),
            Evidence(fact="macOS", value=str(release), source=scene.seen("system.release")),
        ),
        remedies=(Remedy(text=f"Update macOS to {message.value('bound')} or newer.", scope="host"),),
        rests_on=scene.sources(("torch-mps-bound",)),
    )


def _refuses(scene: Scene) -> bool:
    """Whether torch says itself that it does not use the GPU."""
    seen = scene.observed("torch.backends.mps.is_available")
    return seen is not None and seen.value == "False"


@check("misleading-error-message", told=True)
def wrong_bound(scene: Scene) -> Iterator[Answer]:
    """torch's refusal names an older macOS than this release needs."""
    torch = scene.framework("torch")
    message = next(iter(scene.messages("mps-needs-macos")), None)
    if torch is None or message is None:
        return
    bound = next((row for row in mac_bounds() if row.holds_for("torch", torch.distribution.version)), None)
    said = message.value("bound") or ""
    if bound is None or OsRelease(said) >= bound.oldest:
        return
    yield Finding(
        id="misleading-error-message",
        severity="note",
        title=f"The message names macOS {said}, and torch {torch.distribution.version} needs {bound.oldest}",
        because="The text of the refusal was not changed when the bound was raised.",
        evidence=(of_message(message), of_framework(torch)),
        rests_on=(bound.cited,),
    )
