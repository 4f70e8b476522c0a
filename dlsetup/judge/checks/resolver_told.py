"""Frameworks whose demands for CUDA libraries exclude each other, as a resolver lists them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from dlsetup.judge.evidence import of_message
from dlsetup.judge.hints import framework_behind, resolve
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Finding, Remedy
from dlsetup.model.record import Record
from dlsetup.model.report import Message
from dlsetup.rules.installed import framework_of
from dlsetup.rules.libraries import versions_exist, versions_of


class Demand(Record, frozen=True, kw_only=True):
    """One release asks for versions of a library."""

    message: Message
    owner: str
    family: str
    """The framework that the owner is a part of, or the owner itself."""
    library: str
    specifier: SpecifierSet

    @property
    def words(self) -> str:
        return f"{self.owner} {self.message.value('release')} asks for {self.library}{self.specifier}"


@check("two-frameworks-share-cudnn", told=True)
def no_common_library(scene: Scene) -> Iterator[Answer]:
    """A resolver finds no version of a CUDA library that serves two frameworks."""
    demands = list(_demands(scene))
    for one, other in combinations(demands, 2):
        if one.library != other.library or one.family == other.family:
            continue
        known = versions_of(one.library, scene.catalog)
        if versions_exist((one.specifier, other.specifier), known) != "no":
            continue
        names = f"{one.owner} and {other.owner}"
        yield Finding(
            id="two-frameworks-share-cudnn",
            severity="error",
            title=f"{names} need different versions of {one.library}",
            because=f"{one.words}, {other.words}: one environment holds only one version of a package.",
            evidence=(of_message(one.message), of_message(other.message)),
            remedies=(
                Remedy(
                    text="Take releases whose demands meet; `dlsetup resolve` finds them or says why not.",
                    commands=_question(scene, one, other),
                ),
                Remedy(text=f"Or keep {names} in environments (and processes) of their own."),
            ),
            rests_on=scene.sources(("pip-resolver",)),
        )
        return


def _question(scene: Scene, *demands: Demand) -> tuple[str, ...]:
    names = [framework_behind(scene, item.owner) for item in demands]
    known = [name for name in names if name is not None]
    return resolve(scene, known) if len(known) == len(names) else ()


def _demands(scene: Scene) -> Iterator[Demand]:
    for message in scene.messages("resolver-wants-cuda-library"):
        owner = (message.value("owner") or "").lower().replace("_", "-")
        framework = framework_of(owner, scene.catalog)
        try:
            specifier = SpecifierSet(message.value("specifier") or "")
        except InvalidSpecifier:
            continue
        if not owner.startswith("nvidia-"):
            yield Demand(
                message=message,
                owner=owner,
                family=(framework.family or framework.name) if framework else owner,
                library=message.value("name") or "",
                specifier=specifier,
            )
