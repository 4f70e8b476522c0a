"""MindSpore and the CANN it finds."""

from __future__ import annotations

from collections.abc import Iterator

from packaging.version import Version

from dlsetup.judge.evidence import of_distribution, of_message, of_package
from dlsetup.judge.installers import version_of
from dlsetup.judge.known_libraries import in_words, needs_of
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.judge.told_libraries import listed_as, seen_version
from dlsetup.model.finding import Finding, Remedy
from dlsetup.model.machine import Gap, SystemPackage


@check("framework-cann-version-mismatch")
def mindspore_cann(scene: Scene) -> Iterator[Answer]:
    """MindSpore is made for another major of CANN than is installed."""
    version = seen_version(scene, "mindspore")
    needs = needs_of("mindspore", version) if version else None
    messages = scene.messages("mindspore-ascend-library-missing")
    if needs is None or not str(needs.cann) or scene.messages("mindspore-other-cann"):
        return
    found = [(package, cann) for package in scene.packages if (cann := _cann(package))]
    if not found:
        if messages:
            ask = "cat /usr/local/Ascend/ascend-toolkit/latest/version.cfg"
            yield Gap(fact="version of CANN", reason="the report does not say", ask=ask)
        return
    package, cann = found[0]
    if needs.cann.contains(cann, prereleases=True):
        return
    listed = listed_as(scene, "mindspore")
    other = _paired(scene, cann)
    fitting = (
        f"the MindSpore that goes with CANN {cann} ({other})" if other else "the MindSpore for this CANN"
    )
    yield Finding(
        id="framework-cann-version-mismatch",
        severity="error",
        title=f"MindSpore {version} does not go with CANN {cann}",
        because=f"This release of MindSpore needs CANN {in_words(needs.cann)}; {cann} has other libraries"
        + (f", without `{messages[0].value('file')}`." if messages else "."),
        evidence=(
            *map(of_message, messages[:1]),
            *([of_distribution(listed)] if listed else []),
            of_package(package),
        ),
        remedies=(
            Remedy(text=f"Install {fitting}."),
            Remedy(
                text=f"Or install CANN {in_words(needs.cann)} (toolkit, kernels, nnae) for it.",
                scope="host",
            ),
        ),
        rests_on=(needs.cited,),
    )


def _cann(package: SystemPackage) -> Version | None:
    if not package.name.lower().startswith(("ascend-cann", "cann")):
        return None
    return version_of(package.version)


def _paired(scene: Scene, cann: Version) -> str:
    """The releases of MindSpore that are known to be made for this CANN, else for others of its major."""
    pairs = [row for row in scene.catalog.hardware.ascend if row.distribution == "mindspore"]
    alike = [row for row in pairs if version_of(row.cann) == cann]
    near = [row for row in pairs if row.cann.partition(".")[0] == str(cann.major)]
    return " or ".join(str(row.version) for row in (alike or near)[:3])
