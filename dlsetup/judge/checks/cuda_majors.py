"""CUDA libraries of two majors, whose wheels write the same files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dlsetup.judge.better import working_build
from dlsetup.judge.commands import install_builds, reinstall, uninstall
from dlsetup.judge.demands import Demand, demands
from dlsetup.judge.evidence import of_demand, of_distribution
from dlsetup.judge.exchange import companions, in_the_way, own_environment
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Installed, Scene
from dlsetup.model.finding import Evidence, Finding, Remedy
from dlsetup.model.hardware import Overlap
from dlsetup.model.record import Unknown
from dlsetup.model.versions import CudaVersion
from dlsetup.rules.kernels import name_of


@check("mixed-cuda-majors")
def mixed_majors(scene: Scene) -> Iterator[Answer]:
    """Wheels of two CUDA majors that write the same files are installed."""
    rows = [row for row in scene.catalog.hardware.overlaps if _clash(scene, row)]
    if not rows:
        return
    names = [name for row in rows for name in row.distributions if name in _present(scene, row)]
    asking = list(demands(scene, "|".join(names)))
    yield Finding(
        id="mixed-cuda-majors",
        severity="error",
        title=f"{' and '.join(names[:2])} are installed over each other",
        because=f"Both write {rows[0].path}: the last one written serves all.{_who(asking, names)}",
        evidence=(
            *(of_distribution(scene.copies(name)[0]) for name in names),
            *(of_demand(item) for item in asking if item.owner.name not in names),
            *_of_damage(scene, names),
        ),
        remedies=tuple(_one_major(scene, names, asking)),
        rests_on=scene.sources(row.source for row in rows),
    )


def _clash(scene: Scene, row: Overlap) -> bool:
    """Whether two of them are installed, and nothing shows that these versions leave each other alone."""
    present = _present(scene, row)
    shared = scene.environment.shared_files if scene.environment else ()
    if len(present) < 2 or isinstance(shared, Unknown):
        return len(present) > 1
    return any(len(present & set(item.owners)) > 1 for item in shared)


def _present(scene: Scene, row: Overlap) -> set[str]:
    """Those that are installed in a version that writes the files."""
    copies = [item for name in row.distributions for item in scene.copies(name)]
    return {item.name for item in copies if row.writes(item.name, item.version)}


def _one_major(scene: Scene, names: Sequence[str], asking: Sequence[Demand]) -> Iterator[Remedy]:
    """Drop what no framework asks for, or move the frameworks to one major, or part them."""
    asked = {item.name for item in asking if item.owner.name not in names}
    orphans = [name for name in names if name not in asked and not _in_use(scene, name)]
    kept = [name for name in names if name not in orphans]
    if orphans:
        then = "uninstall, then write the other files again" if kept else "uninstall them"
        text = f"Nothing asks for {' and '.join(orphans)}: {then}."
        rest = reinstall(scene, kept) if kept else ()
        yield Remedy(text=text, commands=(*uninstall(scene, orphans), *rest))
        return
    moves = (_move(scene, names, major) for major in _majors(scene))
    move = next((item for item in moves if item), None)
    owners = {item.owner.name for item in asking}
    users = [item for item in scene.leading if item.distribution.name in owners]
    if move:
        yield move
    elif users:
        yield own_environment(users[-1])


def _in_use(scene: Scene, name: str) -> bool:
    """Whether a framework may need it: one of that CUDA major, or one whose CUDA is not known.

    A framework of conda has its CUDA from conda's own packages.
    """
    cudas = [item.cuda for item in scene.leading if item.distribution.installer != "conda"]
    return any(isinstance(cuda, Unknown) or (cuda and name.endswith(f"-cu{cuda.major}")) for cuda in cudas)


def _move(scene: Scene, names: Sequence[str], major: int) -> Remedy | None:
    """Bring every CUDA framework to one major; None where one has no build of it that works here."""
    commands: list[str] = []
    moved: list[str] = []
    others = [name for name in names if not name.endswith(f"-cu{major}")]
    for item in _cuda_frameworks(scene):
        if isinstance(item.cuda, CudaVersion) and item.cuda.major == major:
            continue
        build = working_build(scene, item, major=major)
        if build is None:
            return None
        moved.append(name_of(build))
        others += in_the_way(scene, [build])
        commands += install_builds(scene, [build, *companions(scene, item, build)])
    kept = [name for name in names if name not in others]
    if not commands:
        return None
    text = f"Bring the frameworks to CUDA {major}: {' and '.join(moved)}."
    return Remedy(text=text, commands=(*uninstall(scene, others), *commands, *reinstall(scene, kept)))


def _majors(scene: Scene) -> list[int]:
    """The CUDA majors in use, the one of most frameworks first, then the newer."""
    used = [item.cuda.major for item in _cuda_frameworks(scene) if isinstance(item.cuda, CudaVersion)]
    return sorted(set(used), key=lambda major: (-used.count(major), -major))


def _cuda_frameworks(scene: Scene) -> list[Installed]:
    return [item for item in scene.leading if isinstance(item.cuda, CudaVersion)]


def _who(asking: Sequence[Demand], names: Sequence[str]) -> str:
    """Which framework asks for which of them."""
    asked: dict[str, set[str]] = {}
    for item in asking:
        if item.owner.name not in names:
            asked.setdefault(item.owner.name, set()).add(item.name)
    words = [f"{owner} asks for {' and '.join(sorted(wanted))}" for owner, wanted in sorted(asked.items())]
    return f" {'; '.join(words)}." if words else ""


def _of_damage(scene: Scene, names: Sequence[str]) -> Iterator[Evidence]:
    shared = scene.environment.shared_files if scene.environment else ()
    for item in () if isinstance(shared, Unknown) else shared:
        if isinstance(item.damaged, Unknown) or not set(item.owners) <= set(names):
            continue
        for name in item.damaged:
            yield Evidence(fact=name, value="its files were overwritten", source=item.example)
