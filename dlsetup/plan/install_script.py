"""`install.sh` of a bundle: POSIX shell, for a machine that has a Python or uv and no dlsetup."""

from __future__ import annotations

import shlex

from dlsetup.model.bundle import Manifest
from dlsetup.model.record import Unknown
from dlsetup.model.target import Target
from dlsetup.rules.wheels import platform_of

_KERNELS = {"linux": "Linux", "macos": "Darwin"}
_PROCESSORS = {"x86_64": "x86_64|amd64", "aarch64": "aarch64|arm64"}


def install_script(manifest: Manifest, target: Target) -> str:
    """The script, for the platform and the Python that the bundle was made for."""
    words = {
        "ABOUT": "".join(sign for sign in platform_of(target) if sign.isalnum() or sign in " ._")
        + f", Python {manifest.python}",
        "PYTHON": shlex.quote(str(manifest.python)),
        "SYSTEM": "" if isinstance(target.os, Unknown) else _KERNELS.get(target.os, ""),
        "MACHINES": "*" if isinstance(target.arch, Unknown) else _machines(target.arch),
        "MODULES": " ".join(name for name in manifest.modules if _is_module(name)),
    }
    script = _SCRIPT
    for name, value in words.items():
        script = script.replace(f"@{name}@", value)
    return script


def _machines(arch: str) -> str:
    return _PROCESSORS.get(arch, shlex.quote(arch))


def _is_module(name: str) -> bool:
    return name.isascii() and all(part.isidentifier() for part in name.split("."))


_SCRIPT = r"""#!/bin/sh
# Made by dlsetup: installs this bundle, without network, into an environment of its own.
# For @ABOUT@.
#
#     sh install.sh PLACE
#
# PYTHON=/path/to/python names the Python to build on.
set -eu
unset CDPATH PYTHONHOME PYTHONPATH UV_CONFIG_FILE UV_CONSTRAINT UV_DEFAULT_INDEX UV_EXTRA_INDEX_URL
unset UV_FIND_LINKS UV_INDEX UV_INDEX_URL UV_OVERRIDE UV_PYTHON UV_SYSTEM_PYTHON UV_TORCH_BACKEND

wanted=@PYTHON@

fail() {
    printf '%s\n' "$1" >&2
    [ -z "${2:-}" ] || printf 'hint: %s\n' "$2" >&2
    exit 1
}

if [ $# -ne 1 ] || [ -z "$1" ]; then
    echo "usage: sh install.sh PLACE" >&2
    exit 2
fi
case $1 in -*) fail "$1 begins like an option" "write ./$1" ;; esac
case $1 in /*) place=$1 ;; *) place=$PWD/$1 ;; esac
if [ -e "$place" ] || [ -L "$place" ]; then
    fail "$place exists already and is left as it is" "name another place"
fi
case $0 in */*) cd -- "${0%/*}/" ;; esac
[ -f SHA256SUMS ] || fail "there is no SHA256SUMS here" "call it as: sh FOLDER/install.sh PLACE"

system=@SYSTEM@
if [ -n "$system" ] && [ "$(uname -s)" != "$system" ]; then
    fail "this bundle is for $system, and this is $(uname -s)"
fi
case $(uname -m) in
    @MACHINES@) ;;
    *) fail "this bundle is for another processor than $(uname -m)" "@ABOUT@" ;;
esac

right_python() {
    "$1" -I -c "import sys; sys.exit('%d.%d' % sys.version_info[:2] != '$wanted')" >/dev/null 2>&1
}

python=
if [ -n "${PYTHON:-}" ]; then
    right_python "$PYTHON" || fail "$PYTHON is no Python $wanted"
    python=$PYTHON
else
    for one in "python$wanted" python3 python; do
        if command -v "$one" >/dev/null 2>&1 && right_python "$one"; then
            python=$(command -v "$one")
            break
        fi
    done
fi

sums() {
    if command -v sha256sum >/dev/null 2>&1; then
        sha256sum -c SHA256SUMS
    elif command -v shasum >/dev/null 2>&1; then
        shasum -a 256 -c SHA256SUMS
    else
        fail "neither sha256sum nor shasum is there to check the files"
    fi
}
checked=$(sums 2>&1) || {
    printf '%s\n' "$checked" | grep -v ': OK$' >&2
    fail "a file of this bundle is damaged or missing" "copy it again"
}

begun=
finish() {
    code=$?
    if [ -n "$begun" ] && [ "$code" -ne 0 ]; then rm -rf -- "$place"; fi
    exit "$code"
}
trap finish EXIT
trap 'exit 130' INT TERM HUP

if [ -z "$python" ]; then
    for one in python/*/*.tar.gz; do
        [ -f "$one" ] || continue
        begun=yes
        mkdir -p -- "$place"
        tar -xzf "$one" -C "$place"
        python=$place/python/bin/python3
        right_python "$python" || fail "the Python of this bundle does not run here"
    done
fi

uv=
for one in tools/uv-*.whl; do
    if [ ! -f "$one" ] || [ -z "$python" ]; then continue; fi
    begun=yes
    "$python" -I -m zipfile -e "$one" "$place/.uv"
    for uv in "$place"/.uv/uv-*.data/scripts/uv; do chmod +x "$uv"; done
done
[ -n "$uv" ] || uv=$(command -v uv) || uv=

begun=yes
if [ -n "$uv" ]; then
    "$uv" venv --quiet --no-config --offline --allow-existing --python "${python:-$wanted}" "$place"
    "$uv" pip install --no-config --offline --no-index --find-links wheels --no-deps \
        --require-hashes --python "$place/bin/python" -r requirements.txt
    rm -rf -- "$place/.uv"
elif [ -n "$python" ]; then
    "$python" -I -m venv "$place" || fail "this Python makes no environments" \
        "install its module venv (python$wanted-venv on Debian and Ubuntu), or put uv on PATH"
    PIP_CONFIG_FILE=/dev/null "$place/bin/python" -m pip --isolated --disable-pip-version-check install \
        --no-index --find-links wheels --no-deps --require-hashes -r requirements.txt
else
    fail "there is neither a Python $wanted nor uv" "PYTHON=/path/to/python names one"
fi

modules='@MODULES@'
for module in $modules; do
    "$place/bin/python" -c 'import importlib, sys; importlib.import_module(sys.argv[1])' "$module"
    printf '%s is imported\n' "$module"
done
printf '%s is ready; its bin/activate activates it\n' "$place"
"""
