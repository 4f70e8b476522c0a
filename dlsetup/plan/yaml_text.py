"""Strings as YAML writes them, whatever signs they hold."""

from __future__ import annotations

import re


def quoted(text: str) -> str:
    """The text as a double-quoted scalar on one line, in ASCII."""
    return '"' + re.sub(r'[^\x20-\x7e]|["\\]', _escape, text) + '"'


def plain_or_quoted(text: str) -> str:
    """The text as it stands where no reader of YAML can take it for anything else."""
    return (
        text
        if re.fullmatch(r"[A-Za-z_][\w.-]*(=[\w.]+)?", text, re.ASCII) and not _word(text)
        else quoted(text)
    )


def _word(text: str) -> bool:
    """Words that YAML 1.1 takes for a truth or for nothing."""
    return text.lower() in ("null", "true", "false", "yes", "no", "on", "off", "y", "n")


def _escape(found: re.Match[str]) -> str:
    sign = found[0]
    if sign in '"\\':
        return f"\\{sign}"
    number = ord(sign)
    return f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"
