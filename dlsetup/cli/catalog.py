"""The catalog in words: what it holds, why it says so, how it stays up to date."""

from __future__ import annotations

from typing import Annotated

import typer

from dlsetup.cli import options
from dlsetup.cli.groups import catalog
from dlsetup.cli.plain import PlainCommand, examples


@catalog.command(
    "show",
    cls=PlainCommand,
    epilog=examples(
        "dlsetup catalog show",
        "dlsetup catalog show torch",
        "dlsetup catalog show 'torch>=2.10' --target 'os=linux,arch=x86_64,driver=535.129.03,gpu=\"A100\"'",
        "dlsetup catalog show torch --html torch.html",
        "dlsetup catalog show drivers",
    ),
)
def catalog_show(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="A framework, or a table: `cuda`, `drivers` …; none: the list."),
    ] = None,
    versions: Annotated[
        str | None,
        typer.Option("--version", metavar="SPEC", help="Only these releases: `2.10` or `>=2.10,<2.12`."),
    ] = None,
    since: Annotated[
        str | None, typer.Option(metavar="VERSION", help="Only this release and newer ones.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All releases, not only the newest.")] = False,
    html: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write all of it as a page that needs no network.")
    ] = None,
    machine: options.MachineFile = None,
    target: options.TargetWords = None,
    catalog: options.Catalog = None,
    json: options.Json = False,
) -> int:
    """Show the releases of a framework by variant, and which of them work here.

    ✓ works by itself, ✗ does not and why, ? is not known; whether several frameworks go together is what
    `dlsetup resolve` says. Works offline. Words hold the newest releases, `--json` and `--html` all.
    """
    from dlsetup.commands.catalog_show import Request, run

    return run(
        Request(
            name=name,
            versions=versions,
            since=since,
            every=every,
            html=html,
            machine_file=machine,
            target=target,
            catalog=tuple(catalog or ()),
            as_json=json,
        )
    )


@catalog.command(
    "why",
    cls=PlainCommand,
    epilog=examples(
        "dlsetup catalog why torch",
        "dlsetup catalog why torch 2.14.1+cu126",
        "dlsetup catalog why tensorflow 2.21.0 --target 'os=linux,driver=535.129.03,gpu=\"A100\"'",
        "dlsetup catalog why jax 0.10.2 --json",
    ),
)
def catalog_why(
    name: Annotated[str, typer.Argument(metavar="FRAMEWORK", help="A framework: `torch`, `torch==2.15.0` …")],
    version: Annotated[
        str | None,
        typer.Argument(
            metavar="VERSION",
            help="A release, `2.15.0`; one variant of it, `2.15.0+cu130`; none: the newest.",
        ),
    ] = None,
    machine: options.MachineFile = None,
    target: options.TargetWords = None,
    catalog: options.Catalog = None,
    json: options.Json = False,
) -> int:
    """Say of each build of a release whether it works here, which rules decide, and who says so.

    Works offline. Exit code 1 where every build is refused, 2 for a release that the catalog does not have.
    """
    from dlsetup.commands.catalog_why import Request, run

    return run(
        Request(
            name=name,
            version=version,
            machine_file=machine,
            target=target,
            catalog=tuple(catalog or ()),
            as_json=json,
        )
    )


@catalog.command(
    "status",
    cls=PlainCommand,
    epilog=examples(
        "dlsetup catalog status",
        "dlsetup catalog status torch jax --online",
        "dlsetup catalog status --json",
    ),
)
def catalog_status(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME...", help="Frameworks or distributions; none: all.")
    ] = None,
    online: Annotated[
        bool, typer.Option("--online", help="Ask the package index which releases are newer.")
    ] = False,
    index: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Ask this index, not the one uv or pip is configured with."),
    ] = None,
    catalog: options.Catalog = None,
    json: options.Json = False,
) -> int:
    """Say how old each file is, where it comes from, and what it does not know."""
    from dlsetup.commands.catalog_status import Request, run

    return run(
        Request(
            names=tuple(names or ()),
            online=online,
            index=index,
            catalog=tuple(catalog or ()),
            as_json=json,
        )
    )


@catalog.command(
    "refresh",
    cls=PlainCommand,
    epilog=examples(
        "dlsetup catalog refresh",
        "dlsetup catalog refresh torch jax",
        "dlsetup catalog refresh --into site-catalog",
    ),
)
def catalog_refresh(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME...", help="Frameworks or distributions; none: all.")
    ] = None,
    into: Annotated[str | None, typer.Option(metavar="DIR", help="Write into this catalog folder.")] = None,
    index: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Ask this index, not the one uv or pip is configured with."),
    ] = None,
    allow_loss: Annotated[
        bool, typer.Option("--allow-loss", help="Accept that releases are gone from the index.")
    ] = False,
    allow_disagreement: Annotated[
        bool, typer.Option("--allow-disagreement", help="Accept that the index contradicts curated rows.")
    ] = False,
    catalog: options.Catalog = None,
    json: options.Json = False,
) -> int:
    """Learn from the package index what has been released since."""
    from dlsetup.commands.catalog_refresh import Request, run

    return run(
        Request(
            names=tuple(names or ()),
            into=into,
            index=index,
            allow_loss=allow_loss,
            allow_disagreement=allow_disagreement,
            catalog=tuple(catalog or ()),
            as_json=json,
        )
    )


@catalog.command(
    "check",
    cls=PlainCommand,
    epilog=examples("dlsetup catalog check", "dlsetup catalog check --catalog site-catalog"),
)
def catalog_check(catalog: options.Catalog = None, json: options.Json = False) -> int:
    """Say all that is wrong with the files of a catalog, at once. Works offline.

    Without `--catalog` the shipped files and those of the last refresh are looked at.
    """
    from dlsetup.commands.catalog_check import run

    return run(tuple(catalog or ()), as_json=json)
