"""What installations that broke off left in an environment."""

from __future__ import annotations

from collections.abc import Iterator

from dlsetup.judge.commands import line, reinstall
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Evidence, Finding, Remedy
from dlsetup.model.machine import Remains
from dlsetup.model.record import Unknown


@check("distribution-listed-twice")
def listed_twice(scene: Scene) -> Iterator[Answer]:
    """Several metadata folders of one distribution lie in one folder of packages."""
    found = _of_kind(scene, "twice")
    names = sorted({item.name for item in found})
    if not names:
        return
    first = [item for item in found if item.name == names[0]]
    versions = " and ".join(str(item.version) for item in first)
    yield Finding(
        id="distribution-listed-twice",
        severity="error" if any(_is_framework(scene, name) for name in names) else "warning",
        title=f"{' and '.join(names)} {'is' if len(names) == 1 else 'are'} listed twice in one environment",
        because=f"There is metadata of {names[0]} {versions}; the files can only be those of one, and "
        "programs and installers take either for true.",
        evidence=tuple(_evidence(item) for item in found),
        remedies=(Remedy(text="Write it again.", commands=reinstall(scene, names)),),
    )


@check("distribution-emptied")
def emptied(scene: Scene) -> Iterator[Answer]:
    """A distribution is listed as installed, and its files or its metadata are gone."""
    found = _of_kind(scene, "emptied")
    if not found:
        return
    names = sorted({item.name for item in found})
    yield Finding(
        id="distribution-emptied",
        severity="error" if any(_is_framework(scene, name) for name in names) else "warning",
        title=f"{' and '.join(names)} {'is' if len(names) == 1 else 'are'} only half there",
        because="It is listed as installed, and its files or metadata are gone: an installation broke off, "
        "or somebody removed them.",
        evidence=tuple(_evidence(item) for item in found),
        remedies=(Remedy(text="Install it again.", commands=reinstall(scene, names)),),
    )


@check("installation-leftovers")
def leftovers(scene: Scene) -> Iterator[Answer]:
    """Folders such as `~orch`, into which pip moves what it replaces, are still there."""
    found = _of_kind(scene, "leftover")
    if found:
        yield Finding(
            id="installation-leftovers",
            severity="warning",
            title="An installation that broke off has left folders behind",
            because=f"pip moves what it replaces into folders such as `{_name(found[0])}`, and "
            "removes them at the end.",
            evidence=tuple(_evidence(item) for item in found),
            remedies=(Remedy(text="Remove these folders.", commands=_removal(scene, found)),),
        )


def _removal(scene: Scene, found: list[Remains]) -> tuple[str, ...]:
    if scene.target.os == "windows":
        words = ["Remove-Item", "-Recurse", "-LiteralPath"]
        return tuple(text for item in found for text in line(scene, [*words, item.path]))
    return line(scene, ["rm", "-r", "--", *(item.path for item in found)])


def _of_kind(scene: Scene, kind: str) -> list[Remains]:
    known = scene.environment.remains if scene.environment else ()
    return [] if isinstance(known, Unknown) else [item for item in known if item.kind == kind]


def _is_framework(scene: Scene, name: str) -> bool:
    return any(name in framework.distributions for framework in scene.catalog.frameworks)


def _evidence(item: Remains) -> Evidence:
    version = "" if isinstance(item.version, Unknown) else f" {item.version}"
    return Evidence(fact=f"{item.name}{version}".strip() or "left over", value=_name(item), source=item.path)


def _name(item: Remains) -> str:
    return item.path.rpartition("/")[2]
