"""Is there a wheel of a build for this Python on this platform?

By the standards: tags of Python and ABI, `manylinux_2_28_x86_64` for a C library of at least 2.28,
`musllinux` for musl, `macosx_14_0_arm64` for macOS from 14 on.
"""

from __future__ import annotations

import re

from packaging.utils import InvalidWheelFilename, parse_wheel_filename
from packaging.version import Version

from dlsetup.model.framework import Build, Wheels
from dlsetup.model.machine import Libc
from dlsetup.model.record import Unknown
from dlsetup.model.target import Interpreter, Target
from dlsetup.model.verdict import Verdict
from dlsetup.model.versions import LibcVersion, OsRelease
from dlsetup.rules.combine import no, unknown, yes

RULE = "wheel"
_LEGACY = {"manylinux1": "2.5", "manylinux2010": "2.12", "manylinux2014": "2.17"}
_LINUX = re.compile(r"(?P<kind>manylinux|musllinux)_(?P<version>\d{1,4}_\d{1,4})_(?P<arch>\w+)")
_OLD_LINUX = re.compile(r"(?P<kind>manylinux1|manylinux2010|manylinux2014|linux)_(?P<arch>\w+)")
_MACOS = re.compile(r"macosx_(?P<version>\d{1,4}_\d{1,4})_(?P<arch>\w+)")
_ARCHES = {"arm64": "aarch64", "amd64": "x86_64", "win32": "i686"}
_MACOS_ARCHES = {"universal2": ("x86_64", "aarch64"), "intel": ("x86_64",), "universal": ("x86_64",)}
_PYTHON = re.compile(r"(?P<kind>cp|py)(?P<major>\d)(?P<minor>\d*)")


def has_wheel(build: Build, interpreter: Interpreter, target: Target) -> Verdict:
    """Whether one of the wheels of `build` installs on this Python of the target."""
    name = f"{build.framework} {build.version} ({build.variant})"
    answers = [
        platform_fits(item.platform, target).answer for item in build.wheels if python_fits(item, interpreter)
    ]
    if "yes" in answers:
        return yes(RULE, f"{name} has a wheel for {_words(interpreter)}", *build.sources)
    if "unknown" in answers:
        return unknown(RULE, f"whether a wheel of {name} fits is not known{_missing(target)}", *build.sources)
    if answers:
        return no(RULE, f"{name} has no wheel for {platform_of(target)}", *build.sources)
    return no(RULE, f"{name} has no wheel for {_words(interpreter)}", *build.sources)


def fitting_wheels(build: Build, interpreter: Interpreter, target: Target) -> Wheels | None:
    """The first wheels of `build` that certainly fit; None where none does or nobody can tell."""
    for item in build.wheels:
        if python_fits(item, interpreter) and platform_fits(item.platform, target).ok:
            return item
    return None


def has_platform(build: Build, target: Target) -> Verdict:
    """Whether `build` has wheels for the platform, for whichever Python."""
    name = f"{build.framework} {build.version} ({build.variant})"
    answers = {platform_fits(item.platform, target).answer for item in build.wheels}
    if "yes" in answers:
        return yes(RULE, f"{name} has wheels for {platform_of(target)}", *build.sources)
    if "unknown" in answers:
        return unknown(RULE, f"whether a wheel of {name} fits is not known{_missing(target)}", *build.sources)
    return no(RULE, f"{name} has no wheel for {platform_of(target)}", *build.sources)


def accepts_python(build: Build, interpreter: Interpreter) -> Verdict:
    """Whether the release admits this Python by its own bound.

    A version of two parts (3.12) means its newest patch release.
    """
    version = interpreter.version
    full = version if len(version.release) > 2 else Version(f"{version.major}.{version.minor}.99")
    name = f"{build.framework} {build.version}"
    text = f"{name} needs Python {build.requires_python}"
    if build.requires_python.contains(full, prereleases=True):
        return yes("python", text if str(build.requires_python) else "", *build.sources)
    return no("python", text, *build.sources)


def python_fits(wheels: Wheels, interpreter: Interpreter) -> bool:
    """Whether one of the tags (`cp312`, `cp313-cp313t`, `cp39-abi3`, `py3`) fits this CPython."""
    return any(tag_fits(tag, interpreter) for tag in wheels.pythons)


def tag_fits(tag: str, interpreter: Interpreter) -> bool:
    """Whether one tag of Python and ABI, or one of several joined by dots, fits this CPython."""
    pythons, _, abis = tag.partition("-")
    return any(
        _python_and_abi_fit(python, abi, interpreter)
        for python in pythons.split(".")
        for abi in (abis.split(".") if abis else ("",))
    )


def platform_fits(platform: str, target: Target) -> Verdict:
    """Whether a platform tag, or one of several joined by dots, fits the target."""
    answers = {_platform_answer(tag, target) for tag in platform.split(".")}
    if "yes" in answers:
        return yes(RULE)
    text = f"wheels for {platform} do not install on {platform_of(target)}"
    if "unknown" in answers:
        return unknown(RULE, f"whether wheels for {platform} install on {target.name} is not known")
    return no(RULE, text)


def wheels_of(filename: str) -> tuple[Wheels, ...]:
    """The tags of a wheel by its file name; empty for what is no wheel."""
    try:
        tags = parse_wheel_filename(filename)[3]
    except InvalidWheelFilename:
        return ()
    return tuple(Wheels(pythons=(f"{tag.interpreter}-{tag.abi}",), platform=tag.platform) for tag in tags)


def platform_target(platform: str) -> Target:
    """The system and processor a platform tag is for, as a target; empty for `any` and unknown tags."""
    tag = platform.split(".")[0]
    if found := _LINUX.fullmatch(tag) or _OLD_LINUX.fullmatch(tag):
        return Target(os="linux", arch=_arch(found["arch"]))
    if found := _MACOS.fullmatch(tag):
        return Target(os="macos", arch=_MACOS_ARCHES.get(found["arch"], (_arch(found["arch"]),))[0])
    if tag == "win32" or tag.startswith("win_"):
        return Target(os="windows", arch=_arch(tag.removeprefix("win_")))
    return Target()


def platform_of(target: Target) -> str:
    """`Linux x86_64 with glibc 2.31`, as much of it as is known."""
    systems = {"linux": "Linux", "windows": "Windows", "macos": "macOS"}
    words = ["an unknown system" if isinstance(target.os, Unknown) else systems[target.os]]
    if target.os == "macos" and not isinstance(target.release, Unknown):
        words.append(str(target.release))
    if not isinstance(target.arch, Unknown):
        words.append(target.arch)
    if isinstance(target.libc, Libc):
        version = "" if isinstance(target.libc.version, Unknown) else f" {target.libc.version}"
        words.append(f"with {target.libc.name}{version}")
    return " ".join(words)


def _missing(target: Target) -> str:
    """The fact of the target that would tell."""
    facts = (
        (target.os, "system"),
        (target.arch, "processor"),
        (target.libc if target.os == "linux" else "", "C library"),
        (target.libc.version if isinstance(target.libc, Libc) else "", "version of the C library"),
        (target.release if target.os == "macos" else "", "macOS release"),
    )
    lacking = [word for fact, word in facts if isinstance(fact, Unknown)]
    return f": nothing tells the {' and the '.join(lacking)} of {target.name}" if lacking else ""


def _words(interpreter: Interpreter) -> str:
    threads = " (free-threaded)" if interpreter.free_threaded else ""
    return f"Python {interpreter.version.major}.{interpreter.version.minor}{threads}"


def _python_and_abi_fit(python: str, abi: str, interpreter: Interpreter) -> bool:
    found = _PYTHON.fullmatch(python)
    if not found or int(found["major"]) != interpreter.version.major:
        return False
    minor = int(found["minor"]) if found["minor"] else 0
    if found["kind"] == "py":
        return abi in ("", "none") and minor <= interpreter.version.minor
    if abi == "abi3":
        return minor <= interpreter.version.minor and not interpreter.free_threaded
    if minor != interpreter.version.minor or not found["minor"]:
        return False
    return abi == "none" or (abi == f"{python}t") == interpreter.free_threaded


def _platform_answer(tag: str, target: Target) -> str:
    if tag == "any":
        return "yes"
    if found := _LINUX.fullmatch(tag):
        libc = "glibc" if found["kind"] == "manylinux" else "musl"
        return _linux_answer(target, found["arch"], libc, found["version"].replace("_", "."))
    if found := _OLD_LINUX.fullmatch(tag):
        version = _LEGACY.get(found["kind"])
        return _linux_answer(target, found["arch"], "glibc" if version else "", version or "")
    if found := _MACOS.fullmatch(tag):
        return _macos_answer(target, found["arch"], OsRelease(found["version"].replace("_", ".")))
    if tag == "win32" or tag.startswith("win_"):
        return _all((_same(target.os, "windows"), _same(target.arch, _arch(tag.removeprefix("win_")))))
    return "no"


def _linux_answer(target: Target, arch: str, libc: str, version: str) -> str:
    return _all(
        (_same(target.os, "linux"), _same(target.arch, _arch(arch)), _libc_answer(target, libc, version))
    )


def _libc_answer(target: Target, libc: str, version: str) -> str:
    if not libc:
        return "yes"
    if isinstance(target.libc, Unknown):
        return "unknown"
    if target.libc is None or target.libc.name != libc:
        return "no"
    if isinstance(target.libc.version, Unknown):
        return "unknown"
    return "no" if target.libc.version < LibcVersion(version) else "yes"


def _macos_answer(target: Target, arch: str, oldest: OsRelease) -> str:
    arches = _MACOS_ARCHES.get(arch, (_arch(arch),))
    fits = [_same(target.arch, item) for item in arches]
    some = "yes" if "yes" in fits else "unknown" if "unknown" in fits else "no"
    if isinstance(target.release, Unknown):
        return _all((_same(target.os, "macos"), some, "unknown"))
    return _all((_same(target.os, "macos"), some, "no" if target.release < oldest else "yes"))


def _arch(word: str) -> str:
    return _ARCHES.get(word, word)


def _same(known: str | Unknown, wanted: str) -> str:
    if isinstance(known, Unknown):
        return "unknown"
    return "yes" if known == wanted else "no"


def _all(answers: tuple[str, ...]) -> str:
    return "no" if "no" in answers else "unknown" if "unknown" in answers else "yes"
