"""A report as Markdown: words for people, and the machine itself for `dlsetup doctor --from`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dlsetup import __version__
from dlsetup.model.finding import Diagnosis
from dlsetup.model.machine import Machine
from dlsetup.show.doctor import doctor_lines
from dlsetup.show.lines import clean, plain


def markdown(
    machine: Machine, diagnosis: Diagnosis, document: str, logs: Iterable[tuple[str, str]] = ()
) -> str:
    """What the doctor says, the logs, and `document`: the machine as JSON."""
    parts = [
        f"### Environment, by dlsetup {__version__}",
        fenced(plain(doctor_lines(machine, diagnosis))),
        *_named(logs),
        _folded("The whole machine, for `dlsetup doctor --from`", fenced(document, "json")),
    ]
    return "\n\n".join(parts) + "\n"


def _named(logs: Iterable[tuple[str, str]]) -> Iterator[str]:
    for name, text in logs:
        lines = "\n".join(clean(line) for line in text.splitlines())
        yield f"### The end of {clean(name)}"
        yield fenced(lines)


def fenced(text: str, kind: str = "") -> str:
    """A block that no line inside can end."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{kind}\n{text.rstrip()}\n{fence}"


def _folded(title: str, text: str) -> str:
    return f"<details><summary>{title}</summary>\n\n{text}\n\n</details>"
