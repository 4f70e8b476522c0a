"""A training script with the settings that are right for a machine."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable

from dlsetup.model.errors import DataError
from dlsetup.model.tuning import Advice, Settings

BEGIN, END = "# settings", "# end of settings"


def filled(script: str, settings: Settings, advice: Iterable[Advice] = ()) -> str:
    """The script with its settings, each with its reason above it. What it does not know is left out.

    Raises `DataError` where the script has no place for settings.
    """
    lines = script.splitlines()
    if BEGIN not in lines or END not in lines:
        raise DataError("the script has no settings to fill in")
    first, last = lines.index(BEGIN), lines.index(END)
    own = [line for line in lines[first + 1 : last] if line.strip()]
    reasons = {item.setting: item for item in advice}
    block = [text for line in own for text in _lines(line, settings, reasons)]
    return "\n".join([*lines[: first + 1], *block, *lines[last:]]) + "\n"


def _lines(line: str, settings: Settings, reasons: dict[str, Advice]) -> list[str]:
    """One setting, with what it was measured by."""
    left = line.split("=")[0].strip()
    name = left.split(":")[0]
    reason = reasons.get(_SETTINGS.get(name, ""))
    return [*_comment(reason), f"{left} = {_value(name, settings)}"]


_SETTINGS = {
    "BATCH": "batch",
    "ACCUMULATE": "accumulation",
    "WORKERS": "workers",
    "AMP": "amp",
    "TF32": "tf32",
    "CHANNELS_LAST": "layout",
    "COMPILE": "compile",
    "PINNED": "pinned",
    "THREADS": "threads",
    "ENVIRONMENT": "allocator",
}


def _comment(reason: Advice | None) -> list[str]:
    """The reason as comment; whatever it holds, it stays one."""
    if reason is None:
        return []
    text = "".join(char if char.isprintable() else " " for char in reason.because)
    return textwrap.wrap(text, 100, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False)


def _value(name: str, settings: Settings) -> str:
    value = getattr(settings, name.lower())
    return _quoted(dict(value)) if name == "ENVIRONMENT" else _quoted(value)


def _quoted(value: object) -> str:
    """As Python writes it, with double quotes."""
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_quoted(key)}: {_quoted(item)}" for key, item in value.items()) + "}"
    return repr(value)
