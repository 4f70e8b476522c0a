"""Images that files name, and which are not there any more, or never were."""

from __future__ import annotations

from collections.abc import Iterator

from dlsetup.judge.recipes import alone, graded
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Evidence, Finding, Remedy
from dlsetup.model.record import Unknown
from dlsetup.rules.image_tags import Missing, missing_tag, nearest_tags


@check("base-image-tag-removed", written=True)
def no_such_tag(scene: Scene) -> Iterator[Answer]:
    """A Dockerfile begins with an image, or a service starts one, that the registry does not have."""
    known = scene.catalog.images
    missing = [(image, place, item) for image, place in _named(scene) if (item := missing_tag(image, known))]
    if not missing:
        return
    image, _, first = missing[0]
    yield Finding(
        id="base-image-tag-removed",
        severity=graded(scene, "error" if any(item.certain for _, _, item in missing) else "warning"),
        title=f"There is no image {image}" if first.certain else f"There may be no image {image}",
        because=f"{first.because[0].upper()}{first.because[1:]}: the image cannot be pulled. "
        "Neither the network nor a login is at fault.",
        evidence=tuple(Evidence(fact="image", value=name, source=place) for name, place, _ in missing[:3]),
        remedies=tuple(_remedies(scene, image)),
        rests_on=scene.sources(item.source for _, _, item in _unique(missing)),
    )


def _unique(missing: list[tuple[str, str, Missing]]) -> list[tuple[str, str, Missing]]:
    return missing[:3]


def _named(scene: Scene) -> Iterator[tuple[str, str]]:
    """Images with the place that names each: of a command that was typed only where nothing came of it."""
    for stage in scene.machine.report.stages:
        if not stage.above:
            yield stage.image, stage.source
    kinds = ("compose", "pod", "devcontainer", "apptainer", *(("run",) if alone(scene) else ()))
    for box in scene.machine.report.containers:
        if box.kind in kinds and not box.built and not isinstance(box.image, Unknown):
            yield box.image, box.source


def _remedies(scene: Scene, image: str) -> Iterator[Remedy]:
    nearest = nearest_tags(image, scene.catalog.images)[:1]
    for name in nearest:
        yield Remedy(text=f"Take the nearest one that there is: `{name}`.", scope="project")
    yield Remedy(
        text="Or another one that is still supported." if nearest else "Take one that is still supported.",
        commands=("dlsetup catalog show images",),
        scope="project",
    )
