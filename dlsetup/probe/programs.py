"""Programs that are run to be listened to: bounded in time, killed with their children."""

from __future__ import annotations

import os
import signal
import subprocess

from dlsetup.model.record import Record

OUTPUT_LIMIT = 4 << 20
KILL_GRACE = 0.5


class Outcome(Record, frozen=True, kw_only=True):
    """What became of a program. `code` None: it did not finish, and `reason` says why."""

    code: int | None
    out: str = ""
    err: str = ""
    reason: str = ""

    @property
    def ok(self) -> bool:
        return self.code == 0


def run(argv: list[str], deadline: float, environ: dict[str, str]) -> Outcome:
    """Run a program in a process group of its own and end the whole group when its time is over."""
    try:
        process = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environ,
            start_new_session=True,
        )
    except (OSError, ValueError) as exc:
        return Outcome(code=None, reason=f"`{argv[0]}` cannot be started: {exc}")
    try:
        out, err = process.communicate(timeout=deadline)
    except subprocess.TimeoutExpired as exc:
        late = _end(process) or exc
        reason = f"`{argv[0]}` gave no answer within {deadline:g} s"
        return Outcome(code=None, out=_text(late.stdout), err=_text(late.stderr), reason=reason)
    except BaseException:
        # Ctrl-C reaches us alone: the program is in a group of its own.
        _end(process)
        raise
    return Outcome(code=process.returncode, out=_text(out), err=_text(err))


def _end(process: subprocess.Popen[bytes]) -> subprocess.TimeoutExpired | None:
    """Kill the process with all its children; a process that a driver holds may survive even that."""
    try:
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    except OSError:
        pass
    try:
        process.wait(timeout=KILL_GRACE)
    except subprocess.TimeoutExpired as exc:
        return exc if exc.stdout else None
    return None


def _text(output: bytes | str | None) -> str:
    if isinstance(output, str):
        return output[:OUTPUT_LIMIT]
    return (output or b"")[:OUTPUT_LIMIT].decode("utf-8", "replace")
