"""Activation scripts of a virtual environment that take folders out of LD_LIBRARY_PATH, and give them back.

The folders lie one to a line in a file of the environment. Every script gets a block at its end that leaves
them out, and a few lines in its `deactivate` that bring the former value back. Nothing outside of the
environment is changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from dlsetup.model.record import Record
from dlsetup.model.repair import FileChange

NAME = "LD_LIBRARY_PATH"
PATH = "dlsetup/library-path.txt"
MARK = "dlsetup: keeps other copies of CUDA libraries away"
_SIGNATURE = "# SIG # Begin signature block"


class Shell(Record, frozen=True, kw_only=True):
    """How the activation script of one shell is told."""

    script: str
    """Its path in the environment."""
    deactivate: str
    """Pattern of the place in `deactivate` after which the former value is brought back."""
    restore: str
    trim: str


_POSIX = Shell(
    script="bin/activate",
    deactivate=r"^deactivate ?\(\) ?\{\n",
    restore="""\
    if ! [ -z "${_DLSETUP_LD_LIBRARY_PATH+_}" ] ; then
        LD_LIBRARY_PATH="$_DLSETUP_LD_LIBRARY_PATH"
        export LD_LIBRARY_PATH
        unset _DLSETUP_LD_LIBRARY_PATH
    fi
""",
    trim="""\
if [ -n "${LD_LIBRARY_PATH-}" ] && [ -r "$VIRTUAL_ENV/dlsetup/library-path.txt" ] ; then
    _DLSETUP_LD_LIBRARY_PATH="$LD_LIBRARY_PATH"
    LD_LIBRARY_PATH=":$LD_LIBRARY_PATH:"
    while IFS= read -r _dlsetup_folder ; do
        while : ; do
            case "$LD_LIBRARY_PATH" in
                *":$_dlsetup_folder:"*) ;;
                *) break ;;
            esac
            _dlsetup_before="${LD_LIBRARY_PATH%%":$_dlsetup_folder:"*}"
            LD_LIBRARY_PATH="$_dlsetup_before:${LD_LIBRARY_PATH#*":$_dlsetup_folder:"}"
        done
    done < "$VIRTUAL_ENV/dlsetup/library-path.txt"
    LD_LIBRARY_PATH="${LD_LIBRARY_PATH#:}"
    LD_LIBRARY_PATH="${LD_LIBRARY_PATH%:}"
    export LD_LIBRARY_PATH
    [ -n "$LD_LIBRARY_PATH" ] || unset LD_LIBRARY_PATH
    unset _dlsetup_folder _dlsetup_before
fi
""",
)
_FISH = Shell(
    script="bin/activate.fish",
    deactivate=r"^function deactivate\b.*\n",
    restore="""\
    if set -q _DLSETUP_LD_LIBRARY_PATH
        set -gx LD_LIBRARY_PATH $_DLSETUP_LD_LIBRARY_PATH
        set -e _DLSETUP_LD_LIBRARY_PATH
    end
""",
    trim="""\
if set -q LD_LIBRARY_PATH; and test -r "$VIRTUAL_ENV/dlsetup/library-path.txt"
    set -g _DLSETUP_LD_LIBRARY_PATH $LD_LIBRARY_PATH
    set -l _dlsetup_kept
    for _dlsetup_folder in (string split -- : "$LD_LIBRARY_PATH")
        if not contains -- "$_dlsetup_folder" (cat "$VIRTUAL_ENV/dlsetup/library-path.txt")
            set -a _dlsetup_kept "$_dlsetup_folder"
        end
    end
    if set -q _dlsetup_kept[1]
        set -gx LD_LIBRARY_PATH (string join -- : $_dlsetup_kept)
    else
        set -e LD_LIBRARY_PATH
    end
end
""",
)
_CSH = Shell(
    script="bin/activate.csh",
    deactivate=r"^alias deactivate '",
    restore="test $?_DLSETUP_LD_LIBRARY_PATH != 0 && "
    'setenv LD_LIBRARY_PATH "$_DLSETUP_LD_LIBRARY_PATH:q" && unset _DLSETUP_LD_LIBRARY_PATH; ',
    trim="""\
if ( $?LD_LIBRARY_PATH ) then
    set _DLSETUP_LD_LIBRARY_PATH = "$LD_LIBRARY_PATH:q"
    alias _dlsetup_split 'printenv LD_LIBRARY_PATH | tr : "\\n"'
    alias _dlsetup_leave 'grep -vxF -f "$VIRTUAL_ENV:q/dlsetup/library-path.txt"'
    set _dlsetup_kept = "`_dlsetup_split | _dlsetup_leave | paste -sd: -`"
    setenv LD_LIBRARY_PATH "$_dlsetup_kept:q"
    if ( "$LD_LIBRARY_PATH:q" == "" ) unsetenv LD_LIBRARY_PATH
    unalias _dlsetup_split
    unalias _dlsetup_leave
    unset _dlsetup_kept
endif
""",
)
_RESTORE_POWERSHELL = """\
    if (Test-Path -Path Variable:_DLSETUP_LD_LIBRARY_PATH) {
        $env:LD_LIBRARY_PATH = $global:_DLSETUP_LD_LIBRARY_PATH
        Remove-Variable -Name _DLSETUP_LD_LIBRARY_PATH -Scope Global
    }
"""
_TRIM_POWERSHELL = """\
if ($env:LD_LIBRARY_PATH -and (Test-Path -LiteralPath "$env:VIRTUAL_ENV/dlsetup/library-path.txt")) {
    $global:_DLSETUP_LD_LIBRARY_PATH = $env:LD_LIBRARY_PATH
    $dlsetupFolders = @(Get-Content -LiteralPath "$env:VIRTUAL_ENV/dlsetup/library-path.txt")
    $dlsetupKept = @($env:LD_LIBRARY_PATH -split ':' | Where-Object { $_ -cnotin $dlsetupFolders })
    $env:LD_LIBRARY_PATH = $dlsetupKept -join ':'
    Remove-Variable -Name dlsetupFolders, dlsetupKept
}
"""
SHELLS = (
    _POSIX,
    _FISH,
    _CSH,
    *(
        Shell(
            script=f"bin/{name}",
            deactivate=r"^function global:deactivate ?\([^\n]*\{\r?\n",
            restore=_RESTORE_POWERSHELL,
            trim=_TRIM_POWERSHELL,
        )
        for name in ("Activate.ps1", "activate.ps1")
    ),
)


def activation_files(folders: Iterable[str], scripts: Mapping[str, str]) -> tuple[FileChange, ...]:
    """What is written so that every script leaves these folders out.

    `scripts`: the text of each that is there, by its path in the environment. Empty where none of them has
    the form of a virtual environment's: then nothing would come of it.
    """
    because = f"it takes folders out of {NAME} while the environment is active"
    told = tuple(
        FileChange(path=shell.script, text=text, because=because)
        for shell in SHELLS
        if shell.script in scripts and (text := _told(scripts[shell.script], shell))
    )
    if not told:
        return ()
    lines = "".join(f"{folder}\n" for folder in dict.fromkeys(folders))
    return (FileChange(path=PATH, text=lines, because="it names the folders that are taken out"), *told)


def trimmed(value: str, folders: Iterable[str]) -> str:
    """The variable as an activated shell has it."""
    gone = frozenset(folders)
    return ":".join(part for part in value.split(":") if part not in gone)


def spellings(value: str, folders: Iterable[str]) -> Iterator[str]:
    """The folders as the variable spells them: a stroke at the end makes another word."""
    wanted = {folder.rstrip("/") for folder in folders}
    yield from (part for part in value.split(":") if part.rstrip("/") in wanted and "\n" not in part)


def _told(text: str, shell: Shell) -> str:
    """The script with both parts; as it is where it has them already; empty where it has another form."""
    if MARK in text:
        return text
    end = "\r\n" if "\r\n" in text else "\n"
    found = re.search(shell.deactivate, text, re.MULTILINE)
    if found is None:
        return ""
    text = text[: found.end()] + shell.restore.replace("\n", end) + text[found.end() :]
    body, mark, signature = text.partition(_SIGNATURE)
    block = f"\n# {MARK}\n{shell.trim}".replace("\n", end)
    return body.rstrip("\r\n") + end + block + (end + mark + signature if mark else "")
