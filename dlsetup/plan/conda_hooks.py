"""Scripts that conda runs when an environment is activated and left: LD_LIBRARY_PATH trimmed, and restored.

The same lines as in the activation scripts of virtual environments, in files of their own.
"""

from __future__ import annotations

from collections.abc import Iterable

from dlsetup.model.repair import FileChange
from dlsetup.plan.activation import MARK, NAME, PATH, SHELLS, Shell

_ENDINGS = {
    "bin/activate": "sh",
    "bin/activate.fish": "fish",
    "bin/activate.csh": "csh",
    "bin/Activate.ps1": "ps1",
}
_LAST = "zz-dlsetup-library-path"
"""The scripts run by the order of their names: others may add to the variable."""


def hook_files(folders: Iterable[str]) -> tuple[FileChange, ...]:
    """What is written so that an active environment leaves these folders out."""
    lines = "".join(f"{folder}\n" for folder in dict.fromkeys(folders))
    shells = [shell for shell in SHELLS if shell.script in _ENDINGS]
    told = (item for shell in shells for item in _pair(shell, _ENDINGS[shell.script]))
    return (FileChange(path=PATH, text=lines, because="it names the folders that are taken out"), *told)


def _pair(shell: Shell, ending: str) -> tuple[FileChange, FileChange]:
    trim = shell.trim.replace("VIRTUAL_ENV", "CONDA_PREFIX")
    restore = "\n".join(line.removeprefix("    ") for line in shell.restore.splitlines())
    return (
        _file("activate.d", ending, trim, f"it takes folders out of {NAME} while the environment is active"),
        _file("deactivate.d", ending, restore, f"it brings {NAME} back afterwards"),
    )


def _file(folder: str, ending: str, text: str, because: str) -> FileChange:
    path = f"etc/conda/{folder}/{_LAST}.{ending}"
    return FileChange(path=path, text=f"# {MARK}\n{text.rstrip()}\n", because=because)
