"""Distributions that should not lie beside each other, and files that are not whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from dlsetup.catalog.conda import conda_packages
from dlsetup.judge.commands import by_conda, conda, reinstall, uninstall
from dlsetup.judge.evidence import of_distribution
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.judge.told_devices import without_cuda_provider
from dlsetup.model.finding import Evidence, Finding, Remedy
from dlsetup.model.machine import Distribution, Environment
from dlsetup.model.record import Unknown
from dlsetup.rules.twins import are_libraries, shared_files, twin_to_keep, twins


@check("onnxruntime-cpu-and-gpu-both", "<framework>-cpu-and-gpu-both", "<framework>-twins")
def twins_together(scene: Scene) -> Iterator[Answer]:
    """Two distributions that own the same import package are installed: the last one written wins."""
    if scene.environment is None:
        return
    for name, group in twins(scene.environment, scene.catalog).items():
        kinds = any(item.endswith(("-gpu", "-cpu")) for item in group)
        copies = [item for member in group for item in scene.copies(member)]
        both = " and ".join(group)
        yield Finding(
            id=f"{name}-cpu-and-gpu-both" if kinds else f"{name}-twins",
            severity="error" if kinds and _gpu_is_missed(scene) else "warning",
            title=f"{both} are installed side by side",
            because=f"They write the same files, so what `import` finds is a mixture of {both}.",
            evidence=tuple(of_distribution(item) for item in copies),
            remedies=_keep_one(scene, scene.environment, group),
        )


@check("duplicate-<framework>-installs")
def duplicates(scene: Scene) -> Iterator[Answer]:
    """A framework is installed twice, in two folders that Python searches."""
    for installed in scene.installed:
        copies = {item.location: item for item in scene.copies(installed.distribution.name)}
        copies = {place: item for place, item in copies.items() if not _is_source_of(item, copies.values())}
        if len(copies) < 2 or _conda_and_pip(scene, installed.distribution.name):
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
                *_hide_own(scene, copies),
            ),
        )


@check("<framework>-by-conda-and-pip")
def conda_and_pip(scene: Scene) -> Iterator[Answer]:
    """pip has put a framework over that of conda, whose records still tell of its own."""
    for installed in scene.installed:
        name = installed.distribution.name
        both = _conda_and_pip(scene, name)
        if not both:
            continue
        package, wheel = both
        yield Finding(
            id=f"{installed.framework.name}-by-conda-and-pip",
            severity="error" if package.version.public != wheel.version.public else "warning",
            title=f"pip has put {name} {wheel.version} over conda's {name} {package.version}",
            because="conda still counts on its own, whose files are gone or written over, and its next "
            "installation mixes the two.",
            evidence=(of_distribution(package), of_distribution(wheel)),
            remedies=(
                Remedy(
                    text="Remove what pip has put there, then let conda write its own again.",
                    commands=(*uninstall(scene, [name]), *conda(scene, "install", _again(package))),
                ),
            ),
        )


def _conda_and_pip(scene: Scene, name: str) -> tuple[Distribution, Distribution] | None:
    """What conda's record tells of, and what lies in the folder of packages instead."""
    copies = scene.copies(name)
    packages = [item for item in copies if item.location.endswith("/conda-meta")]
    wheels = [item for item in copies if item not in packages and not by_conda(item)]
    return (packages[0], wheels[0]) if packages and wheels else None


def _again(package: Distribution) -> list[str]:
    row = next((row for row in conda_packages() if row.distribution == package.name), None)
    return ["--force-reinstall", f"{row.name if row else package.name}={package.version.public}"]


def _hide_own(scene: Scene, locations: Iterable[str]) -> Iterator[Remedy]:
    """Where one copy lies among the user's own packages, which every base Python of that version sees."""
    if scene.target.os != "windows" and any("/.local/lib/python" in place for place in locations):
        text = "Or keep the user's own packages out of this environment."
        yield Remedy(text=text, commands=("export PYTHONNOUSERSITE=1",), scope="host")


@check("installed-files-damaged")
def damaged(scene: Scene) -> Iterator[Answer]:
    """Files of an installed distribution were overwritten by another one."""
    if scene.environment is None:
        return
    groups = [set(group) for group in twins(scene.environment, scene.catalog).values()]
    for shared in shared_files(scene.environment):
        explained = are_libraries(shared, scene.catalog) or any(
            set(shared.owners) <= group for group in groups
        )
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


def _is_source_of(item: Distribution, others: Iterable[Distribution]) -> bool:
    """Whether it is the source tree that another one is installed from for development: both are one."""
    from urllib.parse import unquote

    origins = [
        unquote(other.origin) for other in others if isinstance(other.origin, str) and other is not item
    ]
    trees = [origin.removeprefix("file://").rstrip("/") for origin in origins if origin.startswith("file://")]
    return any(tree and f"{item.location}/".startswith(f"{tree}/") for tree in trees)


def _gpu_is_missed(scene: Scene) -> bool:
    """Whether there is a GPU, or a report shows that the GPU's part is not found."""
    return bool(scene.reachable_nvidia) or without_cuda_provider(scene) is not None


def _keep_one(scene: Scene, environment: Environment, group: Sequence[str]) -> tuple[Remedy, ...]:
    """Remove all twins (removing one takes files of the other along), then install one."""
    kept = twin_to_keep(group, environment, gpu=_gpu_is_missed(scene))
    again = reinstall(scene, [kept])
    text = f"Remove them all, because removing one takes files of the other along; then install {kept}."
    return (Remedy(text=text, commands=(*uninstall(scene, list(group)), *again)),)
