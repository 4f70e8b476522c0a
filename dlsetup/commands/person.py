"""Takes this user, this computer and their secrets out of what is saved or shared."""

from __future__ import annotations

import contextlib
import getpass
import os
import socket

from dlsetup.model.machine import Machine
from dlsetup.model.redaction import redact, redact_text


def redacted(machine: Machine) -> Machine:
    """The machine without the names of people, places and computers."""
    home, user = _person()
    return redact(machine, home=home, user=user, hostname=socket.gethostname())


def redacted_text(text: str) -> str:
    """A text without them."""
    home, user = _person()
    return redact_text(text, home=home, user=user, hostname=socket.gethostname())


def _person() -> tuple[str, str]:
    """Home folder and name of this user, empty for one that has none: a container's bare number, say."""
    home, user = os.path.expanduser("~"), ""
    # Which of them it is depends on the release of Python.
    with contextlib.suppress(KeyError, OSError, ImportError):
        user = getpass.getuser()
    return "" if home == "~" else home, user
