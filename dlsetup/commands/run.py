"""`dlsetup run`: a command as the shell would run it, watched; where it fails, why."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from dlsetup.act.relay import write_all
from dlsetup.act.saving import save
from dlsetup.act.watched import Ended, run_watched
from dlsetup.catalog.load import Places, opened
from dlsetup.commands.destination import check_destination
from dlsetup.commands.question import folders
from dlsetup.model.errors import DlsetupError, UsageError
from dlsetup.model.explanation import Answer
from dlsetup.model.record import Record
from dlsetup.model.use import Seen
from dlsetup.probe.host import Host
from dlsetup.probe.use import UseWatch
from dlsetup.show import failure, json
from dlsetup.show.lines import write
from dlsetup.show.watched import RunDocument, failure_lines, summary_lines

INTERRUPTIONS = frozenset({"SIGINT", "SIGTERM", "SIGHUP", "SIGPIPE"})
"""What ends a program because somebody wishes it."""


class Request(Record, frozen=True, kw_only=True):
    """The words of `run`, as they were typed."""

    command: tuple[str, ...]
    environment: str | None = None
    document: str | None = None
    summary: bool = False
    quiet: bool = False
    verbose: bool = False
    catalog: tuple[str, ...] = ()


def run(request: Request) -> int:
    """Run the command. Its exit code; 127 where there is no such command, 126 where it cannot be started."""
    gc.enable()
    places = opened(folders(request.catalog))
    _check(request)
    host = Host.here(os.environ)
    environ = _variables(host, request.environment)
    watch = UseWatch(host)
    try:
        ended = run_watched(request.command, environ, watch.follow, quiet=request.quiet)
    finally:
        watch.end()
    seen = watch.seen(request.command, ended.exit_code, ended.signal, ended.output_bytes)
    if request.quiet and not seen.ok:
        _show(ended)
    try:
        _tell(request, seen, ended, places)
    except KeyboardInterrupt:
        failure.interrupted()
    except DlsetupError as exc:
        failure.tell(exc, ("run",), as_json=False)
    except Exception as exc:
        # Whatever is wrong with us, what the command ended with must not be lost.
        failure.tell_fault(exc, ("run",), as_json=False)
    return ended.exit_code


def _check(request: Request) -> None:
    """Raises `UsageError` before anything is run for hours."""
    if not request.command:
        raise UsageError("no command is given", hint="`dlsetup run -- python train.py`")
    check_destination(request.document, "--json")


def _variables(host: Host, environment: str | None) -> Mapping[str, str]:
    """The variables of the command: with an environment, its programs come first. Raises `UsageError`."""
    if environment is None:
        return host.environ
    folder = Path(environment).expanduser().absolute()
    programs = next((folder / name for name in ("bin", "Scripts") if (folder / name).is_dir()), None)
    if programs is None:
        raise UsageError(
            f"`{environment}` is no environment", hint="`--env` names the folder that holds its `bin`"
        )
    path = os.pathsep.join(filter(None, (str(programs), host.environ.get("PATH", ""))))
    own = {"VIRTUAL_ENV": str(folder)} if (folder / "pyvenv.cfg").exists() else {"CONDA_PREFIX": str(folder)}
    return {**host.environ, "PATH": path, **own}


def _show(ended: Ended) -> None:
    """What a command that was to be quiet said, now that it failed."""
    sys.stdout.flush()
    gap = b"\n[...]\n" if ended.end else b""
    write_all(sys.stdout.fileno(), ended.beginning + gap + ended.end)


def _tell(request: Request, seen: Seen, ended: Ended, places: Places) -> None:
    """On standard error, so that the output of the command stays its own; and into the document."""
    failed = not seen.ok and seen.signal not in INTERRUPTIONS and not ended.interrupted
    answer = _explained(request, seen, ended, places) if failed else Answer()
    if failed:
        write(failure_lines(seen, answer, verbose=request.verbose), sys.stderr)
    elif request.summary:
        write(summary_lines(seen), sys.stderr)
    if request.document is not None:
        save(Path(request.document), json.document(RunDocument.of(seen, answer)) + "\n")


def _explained(request: Request, seen: Seen, ended: Ended, places: Places) -> Answer:
    from dlsetup.commands.explained import Known, Looked, Together, answer, told_by
    from dlsetup.commands.question import machine_of
    from dlsetup.intake.texts import Text
    from dlsetup.probe.use import use

    host = Host.here(os.environ)
    known = Known.of(places)
    said = [Text("output", ended.beginning), Text("end of the output", ended.end)]
    told = told_by([text for text in said if text.data], known)
    machine = machine_of(None, request.environment or _around(host, request.command[0]), places)
    return answer(Together.of(told, Looked(machine, use(host)), known), known, seen)


def _around(host: Host, program: str) -> str | None:
    """The environment that a program belongs to; None: the active one is meant."""
    from dlsetup.probe.pythons import environment_in

    path = os.path.abspath(program) if os.sep in program else host.which(program)
    folder = os.path.dirname(os.path.dirname(path)) if path else ""
    return folder if folder and environment_in(host, host.slashes(folder)) else None
