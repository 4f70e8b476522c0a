"""What is wrong, in words: of this machine, of a saved one, of what somebody pasted, of many reports."""

from __future__ import annotations

from typing import Annotated

import typer

from dlsetup.cli import options
from dlsetup.cli.groups import app
from dlsetup.cli.plain import PlainCommand, examples


@app.command(
    cls=PlainCommand,
    epilog=examples(
        "dlsetup doctor",
        "dlsetup doctor --env ~/envs/vision -v",
        "dlsetup doctor --save-machine machine.json     (no names, no secrets inside)",
        "dlsetup doctor --machine machine.json --json",
        "dlsetup doctor --from issue.md --from pip-freeze.txt --explain",
        "xclip -o | dlsetup doctor --from -             (whatever was pasted: logs, lists, tables)",
    ),
)
def doctor(
    env: options.Env = None,
    json: options.Json = False,
    save_machine: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Save what was seen, redacted, to look at it elsewhere."),
    ] = None,
    machine: options.MachineFile = None,
    reports: Annotated[
        list[str] | None,
        typer.Option(
            "--from", metavar="FILE|FOLDER|-", help="Read what was pasted instead. Can be repeated."
        ),
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show the lines each finding rests on.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Every detail and every way out.")] = False,
    catalog: options.Catalog = None,
) -> int:
    """Say what is wrong with a machine and its environment, why, and what mends it.

    It is this machine, a saved one, or what a pasted report tells of. Nothing is changed and no framework
    is imported. Exit code 1 where a finding is an error.
    """
    from dlsetup.commands.doctor import Request, run

    return run(
        Request(
            environment=env,
            machine_file=machine,
            reports=tuple(reports or ()),
            save_as=save_machine,
            catalog=tuple(catalog or ()),
            as_json=json,
            verbose=verbose,
            explain=explain,
        )
    )


@app.command(
    cls=PlainCommand,
    epilog=examples(
        "dlsetup triage reports/                     (each file, and each folder, is one report)",
        "dlsetup triage issues.ndjson --html triage.html",
        "gh issue list --json number,title,body --jq '.[]' | dlsetup triage - --json",
    ),
)
def triage(
    place: Annotated[str, typer.Argument(metavar="FOLDER|NDJSON|-", help="Where the reports are.")],
    json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object a report, then the sum.")
    ] = False,
    html: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write a page with the reports behind each cause.")
    ] = None,
    jobs: Annotated[
        str | None, typer.Option(metavar="N", help="Processes; without it, one for each core.")
    ] = None,
    catalog: options.Catalog = None,
) -> int:
    """Read many pasted reports and group them by what is wrong.

    Exit code 1 where a report could not be read.
    """
    from dlsetup.commands.triage import Request, run

    return run(Request(place=place, jobs=jobs, page=html, catalog=tuple(catalog or ()), as_json=json))


@app.command(
    cls=PlainCommand,
    epilog=examples(
        "dlsetup report                              (report.md and machine.json in ./dlsetup-report)",
        "dlsetup report --output - | xclip           (the Markdown alone, ready to be pasted)",
        "dlsetup report --env ~/envs/vision --log train.log",
    ),
)
def report(
    env: options.Env = None,
    output: Annotated[
        str,
        typer.Option("--output", "-o", metavar="FOLDER|-", help="Where; `-` prints the Markdown alone."),
    ] = "dlsetup-report",
    log: Annotated[
        list[str] | None, typer.Option(metavar="FILE", help="A log to put in, redacted. Can be repeated.")
    ] = None,
    catalog: options.Catalog = None,
) -> int:
    """Write what is known of this machine as a report for an issue.

    It holds no names of people, no secrets and no serial numbers, and asks nothing of the network.
    `dlsetup doctor --from` reads it back and says the same.
    """
    from dlsetup.commands.report import Request, run

    request = Request(environment=env, output=output, logs=tuple(log or ()), catalog=tuple(catalog or ()))
    return run(request)
