"""What was asked of `create env`, and the build that carries out a plan for it."""

from __future__ import annotations

import sys
from typing import get_args

from dlsetup import __version__
from dlsetup.act.environment import Build, UvBuild, uv_runner
from dlsetup.act.pip_configuration import from_pip
from dlsetup.act.uv import find_uv
from dlsetup.catalog.conda import conda_packages
from dlsetup.commands.question import Question
from dlsetup.model.errors import UsageError
from dlsetup.model.framework import Catalog
from dlsetup.model.outcome import Passport, Tool
from dlsetup.model.record import Record
from dlsetup.model.resolution import Plan
from dlsetup.plan.conda import on_conda_forge
from dlsetup.plan.environment import Means, Place
from dlsetup.plan.indexes import parse_index, with_addresses, without_secrets
from dlsetup.probe.host import Host
from dlsetup.show.transfer import transfer

BY_CONDA: tuple[Tool, ...] = ("conda", "rattler")
"""They build of conda packages, in the place itself."""


class Request(Record, frozen=True, kw_only=True):
    """The words of `create env`, as they were typed."""

    name: str
    question: Question
    tool: str = "uv"
    indexes: tuple[str, ...] = ()
    """`URL`, or `NAME=URL` for another address of an index of the catalog."""
    find_links: tuple[str, ...] = ()
    offline: bool = False
    lock: str | None = None
    """A lock that is installed as it is; nothing is chosen."""
    bundle: str | None = None
    """A folder of `dlsetup bundle` with such a lock and its files."""
    kernel: str | None = None
    """Name of the Jupyter kernel that is to be registered."""
    wait: str = "10"
    """Seconds to wait for another dlsetup that is at work at the place."""
    dry_run: bool = False
    yes: bool = False
    as_json: bool = False


def tool_of(request: Request) -> Tool:
    """Raises `UsageError` for a word that is no tool, and for options that the tool does not have."""
    known: tuple[Tool, ...] = get_args(Tool)
    for tool in known:
        if request.tool == tool:
            if tool in BY_CONDA and (request.indexes or request.find_links):
                raise UsageError(
                    "conda tools do not take `--index` and `--find-links`.",
                    hint="leave them out, or build with `--with uv`.",
                )
            return tool
    raise UsageError(f"`{request.tool}` builds no environments.", hint=f"`--with` knows {', '.join(known)}.")


def shown_plan(plan: Plan, request: Request) -> Plan:
    """The plan as it is shown and kept: where its parts really come from, without passwords."""
    if tool_of(request) in BY_CONDA:
        return on_conda_forge(plan, conda_packages())
    located, _ = with_addresses(plan, map(parse_index, request.indexes))
    return without_secrets(located)


def passport_of(plan: Plan, request: Request, catalog: Catalog) -> Passport:
    """What is kept in the environment of why it is as it is."""
    return Passport(
        dlsetup=__version__,
        tool=tool_of(request),
        plan=shown_plan(plan, request),
        catalog_checked=catalog.checked,
    )


def build_for(plan: Plan, place: Place, request: Request, catalog: Catalog, host: Host) -> Build:
    """Raises `ToolMissing` where the tool is not there."""
    tool = tool_of(request)
    if tool in BY_CONDA:
        from dlsetup.commands.conda_builds import conda_build

        return conda_build(plan, place, request, catalog, host)
    passport = passport_of(plan, request, catalog)
    seen = sys.stderr.isatty()
    uv = find_uv(host.environ)
    environ = {**host.environ, **from_pip(uv, host.environ)}
    located, rest = with_addresses(plan, [parse_index(text) for text in request.indexes], catalog.indexes)
    means = Means(
        tool=tool,
        uv=uv,
        extra_indexes=rest,
        find_links=request.find_links,
        offline=request.offline,
        foreign=request.question.foreign,
    )
    return UvBuild(located, place, means, passport, uv_runner(environ, seen=seen, watched=transfer))
