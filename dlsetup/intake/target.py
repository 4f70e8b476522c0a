"""A target in words: `os=linux,arch=x86_64,glibc=2.31,driver=535.129.03,gpu="2x RTX 4090",python=3.11`.

What is not said stays unknown, with three exceptions that the words themselves carry: `glibc=`, `musl=`
and `wsl=yes` mean Linux, `macos=` means macOS, and a system that is named is not inside WSL unless
`wsl=yes` says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, TypeVar

from packaging.version import InvalidVersion, Version

from dlsetup.intake.gpu import describe_gpu, parse_gpu
from dlsetup.model.errors import UsageError
from dlsetup.model.machine import Gpu, Libc, Os
from dlsetup.model.processors import processor
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.model.target import Interpreter, Target
from dlsetup.model.versions import CudaVersion, Dotted, DriverRelease, LibcVersion, OsRelease

D = TypeVar("D", bound=Dotted)

KNOWN = ("os", "arch", "glibc", "musl", "macos", "wsl", "driver", "cuda", "gpu", "python")
REPEATED = ("gpu", "python")
LONGEST = 4000
EXAMPLE = 'os=linux,arch=x86_64,glibc=2.31,driver=535.129.03,gpu="RTX 4090"'
_SYSTEMS: dict[str, Os] = {
    "linux": "linux",
    "windows": "windows",
    "win": "windows",
    "macos": "macos",
    "mac": "macos",
    "darwin": "macos",
}
_IMPLIES: dict[str, Os] = {"glibc": "linux", "musl": "linux", "macos": "macos"}
_ITEM = re.compile(r"""\s*([A-Za-z_]+)\s*=\s*("[^"]*"|'[^']*'|[^,"']*)\s*(?:,|$)""")
_NAME = "the target"


def parse(words: str) -> Target:
    """The target that `words` describe. Raises `UsageError` that names the word it cannot read."""
    said = _words(words)
    system = _system(said)
    return Target(
        name=_NAME,
        os=system,
        arch=_arch(said),
        release=_version(said, "macos", OsRelease),
        libc=_libc(said, system),
        wsl=_wsl(said, system),
        driver=_driver(said),
        cuda_ceiling=_version(said, "cuda", CudaVersion),
        gpus=_gpus(said.get("gpu", [])),
        pythons=tuple(map(_python, said["python"])) if "python" in said else UNKNOWN,
    )


def describe(target: Target) -> str:
    """The words that `parse` turns into this target (a GPU's memory and the like are not said)."""
    return ",".join(f"{word}={_quoted(value)}" for word, value in _said(target))


def _words(words: str) -> dict[str, list[str]]:
    if len(words) > LONGEST or not words.isprintable():
        raise UsageError("the target is too long or holds characters that cannot be printed", hint=EXAMPLE)
    said: dict[str, list[str]] = {}
    place = 0
    while place < len(words):
        found = _ITEM.match(words, place)
        if not found:
            raise UsageError(
                f"cannot read the target from here on: `{words[place:]}`", hint=f"write {EXAMPLE}"
            )
        place = found.end()
        word, value = found[1].lower(), found[2].strip().strip("\"'").strip()
        _check(word, value, said)
        said.setdefault(word, []).append(value)
    return said


def _check(word: str, value: str, said: dict[str, list[str]]) -> None:
    if word not in KNOWN:
        raise UsageError(f"unknown word in the target: `{word}`", hint=f"known words: {', '.join(KNOWN)}")
    if not value:
        raise UsageError(f"nothing is said after `{word}=`", hint=f"write {EXAMPLE}")
    if word in said and word not in REPEATED:
        raise UsageError(f"`{word}` is said twice in the target", hint="say it once")


def _system(said: dict[str, list[str]]) -> Os | Unknown:
    named = said.get("os")
    if named and named[0].lower() not in _SYSTEMS:
        raise _unreadable("os", named[0], "linux, windows or macos")
    found = {_SYSTEMS[named[0].lower()]} if named else set()
    found |= {system for word, system in _IMPLIES.items() if word in said}
    if "wsl" in said and _yes(said["wsl"][0]):
        found.add("linux")
    if len(found) > 1:
        systems = " and ".join(sorted(found))
        raise UsageError(f"the target is said to be {systems} at once", hint="name one system")
    return found.pop() if found else UNKNOWN


def _arch(said: dict[str, list[str]]) -> str | Unknown:
    if "arch" not in said:
        return UNKNOWN
    value = said["arch"][0].lower()
    if not re.fullmatch(r"[a-z0-9_-]{2,20}", value):
        raise _unreadable("arch", value, "x86_64 or aarch64")
    return processor(value)


def _libc(said: dict[str, list[str]], system: Os | Unknown) -> Libc | None | Unknown:
    if "glibc" in said and "musl" in said:
        raise UsageError("the target has `glibc` and `musl` at once", hint="name one of them")
    if "glibc" in said:
        return Libc(name="glibc", version=_version(said, "glibc", LibcVersion))
    if "musl" in said:
        return Libc(name="musl", version=_version(said, "musl", LibcVersion))
    return None if system in ("windows", "macos") else UNKNOWN


def _wsl(said: dict[str, list[str]], system: Os | Unknown) -> bool | Unknown:
    if "wsl" in said:
        return _yes(said["wsl"][0])
    return UNKNOWN if isinstance(system, Unknown) else False


def _yes(value: str) -> bool:
    if value.lower() not in ("yes", "no"):
        raise _unreadable("wsl", value, "yes or no")
    return value.lower() == "yes"


def _driver(said: dict[str, list[str]]) -> DriverRelease | None | Unknown:
    return None if said.get("driver") == ["none"] else _version(said, "driver", DriverRelease)


def _version(said: dict[str, list[str]], word: str, kind: type[D]) -> D | Unknown:
    if word not in said:
        return UNKNOWN
    try:
        return kind(said[word][0])
    except ValueError:
        raise _unreadable(word, said[word][0], "numbers between dots") from None


def _gpus(values: list[str]) -> tuple[Gpu, ...] | Unknown:
    if values == ["none"]:
        return ()
    if "none" in values:
        raise UsageError("the target has a GPU and `gpu=none` at once", hint="leave one of them out")
    return tuple(gpu for value in values for gpu in parse_gpu(value)) if values else UNKNOWN


def _python(value: str) -> Interpreter:
    number = value.removesuffix("t")
    try:
        version = Version(number)
    except InvalidVersion:
        version = Version("0")
    if len(version.release) < 2 or str(version) != number or version.major != 3:
        raise _unreadable("python", value, "a version such as 3.12, or 3.13t for the free-threaded one")
    return Interpreter(version=version, free_threaded=value.endswith("t"))


def _unreadable(word: str, value: str, wanted: str) -> UsageError:
    return UsageError(f"cannot read `{word}={value}` in the target", hint=f"`{word}` takes {wanted}")


def _said(target: Target) -> Iterator[tuple[str, Any]]:
    known = {"os": target.os, "arch": target.arch, "driver": target.driver, "cuda": target.cuda_ceiling}
    for word, value in known.items():
        if not isinstance(value, Unknown):
            yield word, "none" if value is None else value
    if isinstance(target.libc, Libc) and not isinstance(target.libc.version, Unknown):
        yield target.libc.name, target.libc.version
    if target.os == "macos" and not isinstance(target.release, Unknown):
        yield "macos", target.release
    if target.wsl is True or (target.wsl is False and isinstance(target.os, Unknown)):
        yield "wsl", "yes" if target.wsl else "no"
    if not isinstance(target.gpus, Unknown):
        yield from (("gpu", describe_gpu(gpu)) for gpu in target.gpus)
        yield from [] if target.gpus else [("gpu", "none")]
    if not isinstance(target.pythons, Unknown):
        yield from (("python", f"{item.version}{'t' * item.free_threaded}") for item in target.pythons)


def _quoted(value: Any) -> str:
    text = str(value)
    if re.fullmatch(r"[\w.+-]+", text):
        return text
    return f"'{text}'" if '"' in text else f'"{text}"'
