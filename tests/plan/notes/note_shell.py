"""A real shell that runs the script of a note, with stubs for every program that it starts."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

SHELL = shutil.which("sh") or "/bin/sh"
_SPLIT = re.compile(r"\|\||\||&&|;|\bdo\b|\bthen\b|\$\(|\bsudo ")
_BUILT_IN = {
    "echo",
    "printf",
    "for",
    "if",
    "[",
    "done",
    "fi",
    "ulimit",
    "exit",
    "say",
    ":",
    "export",
    "unset",
    ".",
}


def programs(texts: Iterable[str]) -> set[str]:
    """The names of programs that commands start."""
    found = set()
    for text in texts:
        for part in _SPLIT.split(text):
            word = part.strip().split(" ")[0].strip("\"')")
            found |= {word} if re.fullmatch(r"[a-z][\w.-]*", word) else set()
    return found - _BUILT_IN


def run(
    script: str, place: Path, answers: str, *, failing: str = ""
) -> tuple[subprocess.CompletedProcess[str], list[str]]:
    """The script, and how it called its stubs; `failing`: the stub that ends with an error."""
    folder, log = place / "bin", place / "log"
    folder.mkdir()
    log.touch()
    for name in programs(script.splitlines()) | {"sudo", "dlsetup"}:
        ends = 1 if name == failing else 0
        stub = folder / name
        stub.write_text(
            f'#!{SHELL}\nprintf "%s" {shlex.quote(name)} >> "$LOG"\n'
            f'for word; do printf " %s" "$word" >> "$LOG"; done\necho >> "$LOG"\nexit {ends}\n'
        )
        stub.chmod(0o755)
    path = place / "note.sh"
    path.write_text(script)
    done = subprocess.run(
        [SHELL, str(path)],
        input=answers,
        capture_output=True,
        text=True,
        timeout=60,
        cwd=place,
        env={"PATH": str(folder), "LOG": str(log), "HOME": str(place)},
    )
    return done, log.read_text().splitlines()
