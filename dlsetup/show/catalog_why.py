"""What decides about the builds of a release, in words."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from dlsetup.model.framework import Build, Index
from dlsetup.model.record import Unknown
from dlsetup.model.standing import Standing
from dlsetup.model.verdict import Verdict
from dlsetup.model.versions import ComputeCapability
from dlsetup.resolve.standing import brief, brought_by
from dlsetup.show.catalog import MARKS
from dlsetup.show.catalog_document import WhyDocument
from dlsetup.show.catalog_table import source_lines
from dlsetup.show.lines import Line
from dlsetup.show.resolution import index_words

LABEL = 10


def why_lines(document: WhyDocument, indexes: Collection[Index]) -> Iterator[Line]:
    """Each build with its facts and with what each rule says; then the sources that were cited."""
    yield Line(text=f"{document.framework} {document.version} on {document.target.name}", style="title")
    if document.beyond:
        text = (
            f"newer than what the catalog was checked for ({document.known_to}): only the registry's "
            "metadata is believed, what else there is to know is unknown"
        )
        yield Line(mark="?", text=text, style="warning")
    for standing in document.standings:
        yield Line()
        yield _headline(standing, indexes)
        yield from _facts(standing.build)
        for verdict in standing.verdicts:
            if verdict.because:
                yield _verdict(verdict, standing.build)
    yield Line()
    yield from source_lines(document.sources)


def _headline(standing: Standing, indexes: Collection[Index]) -> Line:
    build = standing.build
    mark, style = MARKS[standing.answer]
    says = {
        "yes": " works, by itself",
        "no": f" does not work: {standing.because}",
        "unknown": f": {standing.because}",
    }
    where = index_words(build.index, indexes)
    return Line(mark=mark, text=f"{build.variant} from {where}{says[standing.answer]}", style=style)


def _facts(build: Build) -> Iterator[Line]:
    wheels = sorted({f"{' '.join(item.pythons)} on {item.platform}" for item in build.wheels})
    facts = (
        ("ask for", ", ".join(build.requirements)),
        ("wheels", "; ".join(wheels) if not build.from_source else "none: it is built from its source"),
        ("Python", str(build.requires_python)),
        ("CUDA", "" if build.cuda is None else str(build.cuda)),
        ("code for", _code(build)),
        ("needs", "" if isinstance(build.min_capability, Unknown) else f"{build.min_capability.sm} or newer"),
        ("brings", ", ".join(brought_by(build))),
        ("expects", ", ".join(build.expects)),
        ("rests on", ", ".join(build.sources)),
    )
    for label, text in facts:
        if text:
            yield Line(mark=label.ljust(LABEL), text=text, indent=4, style="faint")


def _code(build: Build) -> str:
    if build.accelerator == "rocm":
        return "unknown" if isinstance(build.gfx, Unknown) else ", ".join(build.gfx)
    if build.accelerator != "cuda":
        return ""
    return f"{_architectures(build.kernels)}; PTX {_architectures(build.ptx)}"


def _architectures(found: Sequence[ComputeCapability] | Unknown) -> str:
    if isinstance(found, Unknown):
        return "unknown"
    return ", ".join(item.sm for item in found) or "none"


def _verdict(verdict: Verdict, build: Build) -> Line:
    mark, style = MARKS[verdict.answer]
    rests = f" [{', '.join(verdict.sources)}]" if verdict.sources else ""
    return Line(
        mark=f"{mark} {verdict.rule.ljust(LABEL - 2)}",
        text=f"{brief(verdict.because, build)}{rests}",
        indent=4,
        style=style,
    )
