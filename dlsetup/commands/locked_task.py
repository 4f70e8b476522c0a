"""What installing a lock as it is has in common, whoever installs it."""

from __future__ import annotations

from collections.abc import Collection

from dlsetup.commands.builds import Request
from dlsetup.commands.create_env import Task
from dlsetup.model.errors import UsageError
from dlsetup.model.framework import Catalog
from dlsetup.model.outcome import Tool
from dlsetup.model.target import Target
from dlsetup.model.wish import Wish
from dlsetup.plan.environment import Place
from dlsetup.plan.kernel import PACKAGE
from dlsetup.probe.host import Host


def check_kernel(request: Request, names: Collection[str]) -> None:
    """Raises `UsageError` where a kernel is asked for and the locked `names` hold nothing that runs it."""
    if request.kernel is not None and PACKAGE not in names:
        raise UsageError(f"the lock holds no {PACKAGE}, which a kernel needs", hint="leave out `--kernel`")


def locked_task(
    request: Request,
    tool: Tool,
    place: Place,
    host: Host,
    catalog: Catalog,
    target: Target,
    here: Target,
    notes: tuple[str, ...],
) -> Task:
    """The task of building at a place what a lock holds: nothing is wished for. `here`: this machine."""
    return Task(
        request=request,
        tool=tool,
        place=place,
        host=host,
        wish=Wish(wanted=()),
        catalog=catalog,
        target=target,
        gpu_here=not request.question.foreign and here.gpus != (),
        notes=notes,
    )
