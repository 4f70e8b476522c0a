"""Indexes that a project names for itself alone."""

from __future__ import annotations

from collections.abc import Iterator

from dlsetup.judge.commands import line
from dlsetup.judge.evidence import of_observation
from dlsetup.judge.installers import installs, of_command
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Finding, Remedy
from dlsetup.model.report import Command

OF_THE_PROJECT = {"-e", ".", "-r", "--index-url", "--extra-index-url", "--index"}
"""Words of an install inside the project, or of one that names its index."""


@check("uv-index-not-published", told=True)
def index_stays_behind(scene: Scene) -> Iterator[Answer]:
    """A project's own indexes do not reach those who install its wheel."""
    seen = scene.observed("pyproject.tool.uv.index") or scene.observed("pyproject.tool.uv.sources")
    plain = [item for item in installs(scene) if not OF_THE_PROJECT & set(item.words)]
    by = next(iter([*filter(_is_of_a_tool, scene.machine.report.commands), *plain]), None)
    if seen is None or by is None:
        return
    address = seen.value if seen.value.startswith("http") else ""
    option = "--index" if by.words[0].startswith("uv") else "--extra-index-url"
    yield Finding(
        id="uv-index-not-published",
        severity="warning",
        title="The project's indexes are not part of its wheel",
        because="`tool.uv.index` and `tool.uv.sources` are read in the project's own folder; whoever "
        "installs the wheel gets torch from his default index.",
        evidence=(of_observation(seen), of_command(by, "installed by")),
        remedies=(
            Remedy(
                text="Name the project's index when it is installed.",
                commands=line(scene, [*by.words, option, address]) if address else (),
            ),
        ),
    )


def _is_of_a_tool(item: Command) -> bool:
    return item.words[:3] == ("uv", "tool", "install") or item.words[0] in ("uvx", "pipx")
