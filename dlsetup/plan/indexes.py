"""Package indexes as the user names them: another address for one of the catalog, or one more."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import urlsplit, urlunsplit

from msgspec.structs import replace

from dlsetup.model.errors import UsageError
from dlsetup.model.framework import Index
from dlsetup.model.resolution import Plan

_NAMED = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)=(.+)")


def parse_index(text: str) -> Index:
    """`URL` (an index without a name, '') or `NAME=URL`. Raises `UsageError` for anything else."""
    found = _NAMED.fullmatch(text)
    name, address = (found[1], found[2]) if found else ("", text)
    if not re.match(r"(https?|file)://[^\s]+\Z", address):
        raise UsageError(
            f"`{text}` is no address of a package index.",
            hint="write `--index https://…/simple`, or `--index pytorch-cu126=https://…` for an index of the "
            "catalog.",
        )
    return Index(name=name, url=address)


def with_addresses(
    plan: Plan, given: Iterable[Index], known: Iterable[Index] = ()
) -> tuple[Plan, tuple[Index, ...]]:
    """The plan with the addresses that were given for its indexes, and the indexes that are further ones.

    Another address of an index that is `known`, and of which the plan takes nothing, is neither: whatever
    else lies there must not be taken for a package of the same name.
    """
    own = {index.name for index in plan.indexes if index.url is not None}
    unused = {index.name for index in known if index.url is not None} - own
    told = {index.name: index for index in given if index.name in own}
    rest = tuple(index for index in given if index.name not in {*told, *unused})
    return replace(plan, indexes=tuple(told.get(index.name, index) for index in plan.indexes)), rest


def without_secrets(plan: Plan) -> Plan:
    """The plan as it may be kept: no user names and passwords in addresses."""
    bare = tuple(replace(index, url=bare_address(index.url)) for index in plan.indexes)
    return replace(plan, indexes=bare)


def bare_address(address: str | None) -> str | None:
    """An address without user and password."""
    if address is None:
        return None
    parts = urlsplit(address)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
