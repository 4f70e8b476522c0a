"""What a repair changes beside the packages: leftovers that go, constraints and activation scripts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from dlsetup.judge.checks.library_path import rival_folders
from dlsetup.judge.scene import Scene
from dlsetup.model.framework import Catalog
from dlsetup.model.machine import Environment, Machine
from dlsetup.model.record import Unknown
from dlsetup.model.repair import FileChange, Repair
from dlsetup.plan import activation, constraints
from dlsetup.plan.conda_hooks import hook_files
from dlsetup.plan.kinds import deeds
from dlsetup.plan.remains import cleared


def with_files(repair: Repair, machine: Machine, catalog: Catalog, scripts: Mapping[str, str]) -> Repair:
    """The repair with the files of the environment that it writes and removes.

    `scripts`: activation scripts that are there, by their path in the environment.
    """
    environment, may = machine.environment, deeds(repair.intent.mends)
    if environment is None:
        return repair
    files: list[FileChange] = []
    if "clear-remains" in may:
        files.extend(cleared(environment))
    kept = constraints.constraints_file(repair, catalog) if "keep-builds" in may else None
    files.extend([kept] if kept else [])
    if "trim-path" in may:
        files.extend(_trimming(machine, environment, catalog, scripts))
    return replace(repair, files=tuple(files), notes=tuple(_notes(files)))


def _trimming(
    machine: Machine, environment: Environment, catalog: Catalog, scripts: Mapping[str, str]
) -> tuple[FileChange, ...]:
    value = machine.variable(activation.NAME)
    if not isinstance(value, str):
        return ()
    rivals = rival_folders(Scene.of(machine, catalog))
    before = () if isinstance(environment.trims, Unknown) else environment.trims
    folders = (*before, *activation.spellings(value, rivals))
    if environment.kind == "conda":
        return hook_files(folders)
    return activation.activation_files(folders, scripts)


def trims_of(files: Sequence[FileChange]) -> tuple[str, ...]:
    """The folders that a repair lets the activation take out."""
    return tuple(
        line for item in files if item.path == activation.PATH for line in (item.text or "").splitlines()
    )


def _notes(files: Sequence[FileChange]) -> Iterator[str]:
    """How to use what was written."""
    paths = {item.path for item in files}
    if constraints.PATH in paths:
        yield (
            f"`{constraints.PATH}` in it keeps a later `pip install -r` from undoing this: give it to pip or "
            "uv with `-c`, or for a whole shell as PIP_CONSTRAINT and UV_CONSTRAINT."
        )
    if activation.PATH in paths:
        folders = " and ".join(f"`{item}`" for item in trims_of(files))
        yield (
            f"activating the environment (anew) takes {folders} out of {activation.NAME}; `deactivate` "
            "brings them back."
        )
