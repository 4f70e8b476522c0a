"""Constraints that keep a later installation from putting CPU builds back, as a file of the environment."""

from __future__ import annotations

from collections.abc import Iterator

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from dlsetup.model.framework import Build, Catalog
from dlsetup.model.repair import FileChange, Repair
from dlsetup.model.resolution import Pick

PATH = "dlsetup/gpu-constraints.txt"


def constraints_file(repair: Repair, catalog: Catalog) -> FileChange | None:
    """The file; None where no pick that an installer of wheels is asked for is a GPU build."""
    plan = repair.intent.plan
    of_pip = {canonicalize_name(Requirement(text).name) for text in plan.requirements}
    picks = [pick for pick in plan.picks if canonicalize_name(Requirement(pick.requirement).name) in of_pip]
    rows = [row for pick in picks for row in _rows(pick, catalog)]
    if not rows:
        return None
    head = (
        "# The GPU builds of this environment. With this file an installer keeps them, or says why not:",
        "#   pip install -c THIS_FILE -r requirements.txt",
        "#   uv pip install -c THIS_FILE -r requirements.txt",
        "# or once for a shell: PIP_CONSTRAINT=THIS_FILE, UV_CONSTRAINT=THIS_FILE",
    )
    text = "\n".join((*head, *dict.fromkeys(rows))) + "\n"
    return FileChange(
        path=PATH, text=text, because="it keeps later installations from putting CPU builds back"
    )


def _rows(pick: Pick, catalog: Catalog) -> Iterator[str]:
    """The pick's own release, no CPU build of it, and no twin that would write over it."""
    framework = catalog.framework(pick.framework)
    if framework is None or pick.variant == "cpu":
        return
    cpu = [build for build in framework.builds if build.accelerator == "cpu"]
    if not cpu:
        return
    wanted = Requirement(pick.requirement)
    name, exact = canonicalize_name(wanted.name), str(wanted.specifier)
    same = (build for build in cpu if build.version.public == pick.version.public)
    local = sorted({version for build in same for version in _local_versions(build)})
    yield ",".join((f"{name}{exact}", *(f"!={version}" for version in local if "+" not in exact)))
    for group in framework.twins:
        if name in group:
            yield from (f"{twin}<0  # {name} owns its files" for twin in group if twin != name)


def _local_versions(build: Build) -> Iterator[str]:
    """Versions such as `2.14.1+cpu`, which a pin on 2.14.1 admits as well."""
    asked = (item for text in build.requirements for item in Requirement(text).specifier)
    yield from (item.version for item in asked if "+" in item.version)
