"""Distributions that should not lie beside each other, and files that are not whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dlsetup.judge.commands import reinstall, uninstall
from dlsetup.judge.demands import required_name
from dlsetup.judge.evidence import of_distribution
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Evidence, Finding, Remedy
from dlsetup.model.machine import Distribution, SharedFiles
from dlsetup.model.record import Unknown
from dlsetup.rules.libraries import overlap_of

ENOUGH = 3
"""Fewer shared files (a licence, a readme at the top) are no sign of twins."""
PARTED = frozenset({"nvidia", "jax", "torch"})
"""First words of distributions that are parts of one thing and lie beside each other in health."""


@check("onnxruntime-cpu-and-gpu-both", "<framework>-cpu-and-gpu-both", "<framework>-twins")
def twins(scene: Scene) -> Iterator[Answer]:
    """Two distributions that own the same import package are installed: the last one written wins."""
    for name, group in _twins(scene).items():
        kinds = any(item.endswith(("-gpu", "-cpu")) for item in group)
        copies = [item for member in group for item in scene.copies(member)]
        both = " and ".join(group)
        yield Finding(
            id=f"{name}-cpu-and-gpu-both" if kinds else f"{name}-twins",
            severity="error" if kinds and scene.reachable_nvidia else "warning",
            title=f"{both} are installed side by side",
            because=f"They write the same files, so what `import` finds is a mixture of {both}.",
            evidence=tuple(of_distribution(item) for item in copies),
            remedies=_keep_one(scene, group),
        )


@check("duplicate-<framework>-installs")
def duplicates(scene: Scene) -> Iterator[Answer]:
    """A framework is installed twice, in two folders that Python searches."""
    for installed in scene.installed:
        copies = {item.location: item for item in scene.copies(installed.distribution.name)}
        if len(copies) < 2:
            continue
        versions = list(dict.fromkeys(str(item.version) for item in copies.values()))
        name = installed.distribution.name
        yield Finding(
            id=f"duplicate-{installed.framework.name}-installs",
            severity="error" if len(versions) > 1 else "warning",
            title=f"{name} is installed {len(copies)} times: {', '.join(versions)}",
            because="Python imports the copy it finds first; installers and other packages may mean another.",
            evidence=tuple(of_distribution(item) for item in copies.values()),
            remedies=(
                Remedy(
                    text="Remove every copy (repeat until none is left), then install one.",
                    commands=uninstall(scene, [name]),
                ),
            ),
        )


@check("installed-files-damaged")
def damaged(scene: Scene) -> Iterator[Answer]:
    """Files of an installed distribution were overwritten by another one."""
    twin_groups = [set(group) for group in _twins(scene).values()]
    for shared in _shared(scene):
        explained = any(group >= set(shared.owners) for group in twin_groups) or _overlapping(scene, shared)
        if explained or isinstance(shared.damaged, Unknown) or not shared.damaged:
            continue
        owners, names = " and ".join(shared.owners), " and ".join(shared.damaged)
        yield Finding(
            id="installed-files-damaged",
            severity="warning",
            title=f"Files of {names} were overwritten",
            because=f"{owners} write {shared.count} of the same files, such as `{shared.example}`.",
            evidence=tuple(
                Evidence(fact=name, value="differs from what was installed", source=shared.example)
                for name in shared.damaged
            ),
            remedies=(Remedy(text="Install them again.", commands=reinstall(scene, shared.damaged)),),
        )


def _twins(scene: Scene) -> dict[str, list[str]]:
    """Twins that are both installed, by the name they have in common: from the catalog and from files."""
    groups = {
        framework.name: list(group)
        for framework in scene.catalog.frameworks
        for group in framework.twins
        if len(_present(scene, group)) > 1
    }
    for shared in _shared(scene):
        name = _common_name(shared.owners)
        known = any(set(group) >= set(shared.owners) for group in groups.values())
        if name and not known and shared.count >= ENOUGH and not _overlapping(scene, shared):
            groups[name] = list(shared.owners)
    present = {name: _present(scene, group) for name, group in groups.items()}
    return {name: group for name, group in present.items() if not _one_brings_the_other(scene, group)}


def _present(scene: Scene, names: Sequence[str]) -> list[str]:
    return [name for name in names if scene.copies(name)]


def _one_brings_the_other(scene: Scene, names: Sequence[str]) -> bool:
    """Whether one of them is a shell that requires the other, as `tensorflow` on Windows once did."""
    return any(
        required_name(text) in names
        for name in names
        for item in scene.copies(name)
        for text in _requires(item)
    )


def _requires(distribution: Distribution) -> tuple[str, ...]:
    return () if isinstance(distribution.requires, Unknown) else distribution.requires


def _common_name(owners: Sequence[str]) -> str:
    """The word all names begin with: `opencv` of opencv-python and opencv-contrib-python."""
    first = {owner.split("-")[0] for owner in owners}
    return first.pop() if len(first) == 1 and not first & PARTED else ""


def _shared(scene: Scene) -> tuple[SharedFiles, ...]:
    known = scene.environment.shared_files if scene.environment else ()
    return () if isinstance(known, Unknown) else known


def _overlapping(scene: Scene, shared: SharedFiles) -> bool:
    """Whether they are CUDA libraries of two majors, which have a check of their own."""
    return all(overlap_of(name, scene.catalog.hardware) for name in shared.owners)


def _keep_one(scene: Scene, group: Sequence[str]) -> tuple[Remedy, ...]:
    """Remove all twins (removing one takes files of the other along), then install one."""
    gpu = [name for name in group if name.endswith("-gpu")]
    cpu = [name for name in group if name not in gpu]
    kept = (gpu or cpu)[0] if scene.reachable_nvidia else (cpu or gpu)[0]
    again = reinstall(scene, [kept])
    text = f"Remove them all, because removing one takes files of the other along; then install {kept}."
    return (Remedy(text=text, commands=(*uninstall(scene, list(group)), *again)),)
