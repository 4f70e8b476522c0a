"""A wish in words: `tensorflow>=2.18`, `--python 3.12`, `--cuda 12.6`."""

from __future__ import annotations

import re

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from dlsetup.model.errors import UsageError
from dlsetup.model.wish import WITHOUT_CUDA, Wanted

LONGEST = 200
EXAMPLE = "write it like `torch`, `'tensorflow>=2.18'` or `jax==0.10.2`"


def parse_wanted(text: str) -> Wanted:
    """One framework with the versions that will do, and its extras. Raises `UsageError`.

    An extra that names a device (`jax[cuda12]`) is a wish for its builds; without one the machine decides.
    """
    shown = text[:LONGEST]
    if len(text) > LONGEST or not text.isprintable():
        raise UsageError(f"cannot read the framework `{shown!r}`", hint=EXAMPLE)
    try:
        item = Requirement(text)
    except InvalidRequirement:
        raise UsageError(f"cannot read the framework `{shown}`", hint=EXAMPLE) from None
    if item.url or item.marker:
        raise UsageError(f"`{shown}` holds an address or a marker", hint=EXAMPLE)
    return Wanted(
        framework=canonicalize_name(item.name),
        specifier=item.specifier,
        text=text.strip(),
        extras=tuple(sorted(map(canonicalize_name, item.extras))),
    )


def without_extras(wanted: Wanted) -> Wanted:
    """The same, where only a name and versions have a meaning. Raises `UsageError` for an extra."""
    if wanted.extras:
        plain = f"{wanted.framework}{wanted.specifier}"
        hint = f"name `{plain}`: its builds for every device are shown"
        raise UsageError(f"`{wanted.text}` asks for an extra", hint=hint)
    return wanted


def parse_release(text: str, hint: str) -> Version:
    """One release: `2.15.0`, `2.15.0+cu130`. Raises `UsageError` with the hint."""
    try:
        return Version(_bounded(text))
    except InvalidVersion:
        raise UsageError(f"cannot read the version `{text[:LONGEST]}`", hint=hint) from None


def parse_releases(text: str) -> SpecifierSet:
    """`>=2.10,<2.12`, or the beginning of versions: `2.10` has 2.10.1 too. Raises `UsageError`."""
    wanted = _bounded(text)
    try:
        return SpecifierSet(wanted if wanted[:1] in "<>=!~" else f"=={wanted.removesuffix('.*')}.*")
    except InvalidSpecifier:
        hint = "write it like `2.10` or `>=2.10,<2.12`"
        raise UsageError(f"cannot read the versions `{text[:LONGEST]}`", hint=hint) from None


def parse_python(text: str) -> SpecifierSet:
    """`3.12` (every patch release of it), `3.12.4` or a range such as `>=3.11,<3.13`. Raises `UsageError`."""
    wanted = text.strip()
    if re.fullmatch(r"3\.\d{1,2}", wanted):
        return SpecifierSet(f"=={wanted}.*")
    if re.fullmatch(r"3\.\d{1,2}\.\d{1,2}", wanted):
        return SpecifierSet(f"=={wanted}")
    try:
        return SpecifierSet(_bounded(wanted) if re.match(r"[<>=!~]", wanted) else "?")
    except InvalidSpecifier:
        hint = "write it like `3.12` or `>=3.11,<3.13`"
        raise UsageError(f"cannot read the Python version `{text[:LONGEST]}`", hint=hint) from None


def _bounded(text: str) -> str:
    """The text; nothing that anybody reads as a version where it is too long for Python to count."""
    return text if len(text) <= LONGEST else "?"


def parse_cuda(text: str) -> str:
    """`12` (a family), `12.6` (a line) or `none`, as `Wish.cuda` holds it. Raises `UsageError`."""
    wanted = text.strip().lower().removeprefix("cuda").strip()
    if wanted == WITHOUT_CUDA:
        return wanted
    if compact := re.fullmatch(r"cu(\d{2})(\d)", wanted):
        wanted = f"{compact[1]}.{compact[2]}"
    if not re.fullmatch(r"\d{1,2}(\.\d{1,2})?", wanted):
        hint = "write `12` for any CUDA 12, `12.6`, or `none`"
        raise UsageError(f"cannot read the CUDA version `{text[:LONGEST]}`", hint=hint)
    return wanted
