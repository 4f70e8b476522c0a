"""Records to JSON and back, with the place in every error, and their published JSON Schema."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from dlsetup.model.errors import DataError
from dlsetup.model.versions import Dotted

T = TypeVar("T")


def _to_plain(value: Any) -> Any:
    if isinstance(value, (Dotted, Version, SpecifierSet)):
        return str(value)
    raise NotImplementedError(f"cannot write a {type(value).__name__}")


def _from_plain(kind: type, value: Any) -> Any:
    if not isinstance(value, str):
        raise ValueError(f"expected a version as text, got {type(value).__name__}")
    try:
        if kind in (Version, SpecifierSet) or issubclass(kind, Dotted):
            return kind(value)
    except (InvalidVersion, InvalidSpecifier) as exc:
        raise ValueError(str(exc)) from exc
    raise NotImplementedError(f"cannot read a {kind.__name__}")


def encode(record: Any, *, indent: int = 0) -> bytes:
    """JSON of a record. Unknown parts are left out."""
    text = msgspec.json.encode(record, enc_hook=_to_plain)
    return msgspec.json.format(text, indent=indent) if indent else text


def plain(record: Any) -> Any:
    """A record as dictionaries, lists and text."""
    return msgspec.to_builtins(record, enc_hook=_to_plain)


def decode(text: bytes | str, kind: type[T], *, where: str) -> T:
    """A record out of JSON. Raises `DataError` that names `where` and the path inside it."""
    try:
        return msgspec.json.decode(text, type=kind, dec_hook=_from_plain)
    except (msgspec.DecodeError, UnicodeDecodeError) as exc:
        raise DataError(f"{where}: {exc}") from exc


def convert(value: Any, kind: type[T], *, where: str) -> T:
    """A record out of dictionaries (as TOML gives them). Raises `DataError` like `decode`."""
    try:
        return msgspec.convert(value, type=kind, dec_hook=_from_plain)
    except msgspec.ValidationError as exc:
        raise DataError(f"{where}: {exc}") from exc


def schema(kind: type) -> dict[str, Any]:
    """The JSON Schema of a record."""
    return msgspec.json.schema(kind, schema_hook=lambda _kind: {"type": "string"})
