"""Installations and removals that broke off: metadata without files, and twice the metadata."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from dlsetup.judge.commands import reinstall, uninstall
from dlsetup.judge.demands import demands
from dlsetup.judge.evidence import of_distribution, of_message
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Evidence, Finding, Remedy
from dlsetup.model.machine import Distribution
from dlsetup.model.record import Unknown
from dlsetup.model.remains import Remains


@check("distribution-half-removed")
def emptied(scene: Scene) -> Iterator[Answer]:
    """A distribution counts as installed, and its files are gone."""
    for item in _remains(scene, "emptied"):
        yield Finding(
            id="distribution-half-removed",
            severity="error" if _is_needed(scene, item.distribution) else "warning",
            title=f"{item.distribution} is listed as installed, and its files are gone",
            because=f"None of the files that were looked for is there, such as `{item.example}`: a removal "
            "broke off, or removing another package took them along.",
            evidence=(*_copies(scene, item), _gone(item)),
            remedies=(
                Remedy(text="Install it again.", commands=reinstall(scene, [item.distribution])),
                Remedy(
                    text="Or remove what is left of it, where nothing needs it.",
                    commands=uninstall(scene, [item.distribution]),
                ),
            ),
        )


@check("installed-files-gone")
def incomplete(scene: Scene) -> Iterator[Answer]:
    """Files at the top of an installed package are gone."""
    for item in _remains(scene, "incomplete"):
        yield Finding(
            id="installed-files-gone",
            severity="warning",
            title=f"Files of {item.distribution} are gone",
            because=f"Its list of files has `{item.example}`, and there is no such file.",
            evidence=(*_copies(scene, item), _gone(item)),
            remedies=(Remedy(text="Install it again.", commands=reinstall(scene, [item.distribution])),),
        )


@check("installation-leftovers")
def put_aside(scene: Scene) -> Iterator[Answer]:
    """pip put entries aside (`~orch`) and did not take them away."""
    found = [
        Evidence(fact="left over", value=item.example, source=item.location)
        for item in _remains(scene, "renamed")
    ]
    if found:
        names = [item.value for item in found]
        yield _left_over(names, tuple(found), found[0].source)


@check("installation-leftovers", told=True)
def put_aside_told(scene: Scene) -> Iterator[Answer]:
    """pip says that it passes over entries that it has put aside itself; older ones write `-` for `~`."""
    told = {f"~{(item.value('entry') or '')[1:]}": item for item in scene.messages("pip-leftover")}
    if told:
        place = next((text for item in told.values() if (text := item.value("place"))), "")
        finding = _left_over(list(told), tuple(of_message(item) for item in told.values()), place)
        yield replace(finding, rests_on=scene.sources(("pip-metadata",)))


def _left_over(names: Sequence[str], evidence: tuple[Evidence, ...], place: str) -> Finding:
    shown = " and ".join(f"`{name}`" for name in names[:3])
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    where = f"`{place}`" if place else "the folder of packages"
    return Finding(
        id="installation-leftovers",
        severity="note",
        title=f"An installation that broke off has left {shown}{more}",
        because="pip renames what it replaces and takes it away at the end; Python imports nothing of "
        "that name.",
        evidence=evidence,
        remedies=(Remedy(text=f"Remove the entries that begin with `~` from {where}; nothing uses them."),),
    )


@check("distribution-metadata-twice")
def metadata_twice(scene: Scene) -> Iterator[Answer]:
    """One folder of packages has the metadata of two releases of one distribution."""
    by_place: dict[tuple[str, str], list[Distribution]] = {}
    for item in scene.distributions:
        if item.location and item.installer != "conda":
            by_place.setdefault((item.name, item.location), []).append(item)
    for (name, location), copies in by_place.items():
        versions = list(dict.fromkeys(str(item.version) for item in copies))
        if len(versions) < 2:
            continue
        yield Finding(
            id="distribution-metadata-twice",
            severity="warning",
            title=f"{name} has the metadata of {len(versions)} releases in one folder: {', '.join(versions)}",
            because=f"An installation broke off in `{location}`: installers read one of them, and the files "
            "may be of the other.",
            evidence=tuple(of_distribution(item) for item in copies),
            remedies=(
                Remedy(
                    text="Remove it (repeat until none is left), then install the release that is meant.",
                    commands=uninstall(scene, [name]),
                ),
            ),
        )


@check("cuda-library-in-two-folders")
def libraries_in_two_folders(scene: Scene) -> Iterator[Answer]:
    """A CUDA library is installed in two folders that Python searches, in two versions."""
    for name in dict.fromkeys(item.name for item in scene.distributions if item.name.startswith("nvidia-")):
        copies = {item.location: item for item in scene.copies(name) if item.installer != "conda"}
        versions = list(dict.fromkeys(str(item.version) for item in copies.values()))
        if len(copies) < 2 or len(versions) < 2:
            continue
        first = next(iter(copies.values()))
        yield Finding(
            id="cuda-library-in-two-folders",
            severity="warning",
            title=f"{name} is installed in {len(copies)} folders: {', '.join(versions)}",
            because=f"Frameworks that look for it in the folders of packages take {first.version} out of "
            f"`{first.location}`, whichever they were installed with.",
            evidence=tuple(of_distribution(item) for item in copies.values()),
            remedies=(
                Remedy(
                    text="Remove every copy (repeat until none is left), then install the one that is "
                    "asked for.",
                    commands=uninstall(scene, [name]),
                ),
            ),
        )


def _is_needed(scene: Scene, name: str) -> bool:
    """Whether it is a framework, or something here asks for it."""
    frameworks = {item.distribution.name for item in scene.installed}
    return name in frameworks or any(True for _ in demands(scene, re.escape(name)))


def _remains(scene: Scene, kind: str) -> Iterator[Remains]:
    known = scene.environment.remains if scene.environment else ()
    yield from (item for item in (() if isinstance(known, Unknown) else known) if item.kind == kind)


def _copies(scene: Scene, item: Remains) -> tuple[Evidence, ...]:
    copies = scene.copies(item.distribution)
    return tuple(of_distribution(copy) for copy in copies if copy.location == item.location)


def _gone(item: Remains) -> Evidence:
    return Evidence(fact=item.example, value="not there", source=f"{item.location}, RECORD")
