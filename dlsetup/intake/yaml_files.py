"""YAML that somebody else wrote: bounded, and without what makes a small file a large one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dlsetup.model.errors import DataError

LARGEST = 200_000
"""Signs of a file."""


def read_yaml(text: str, name: str, read: Callable[[str], Any]) -> Any:
    """What `read`, a reader of PyYAML, makes of the text. Raises `DataError` that names it."""
    import yaml

    if len(text) > LARGEST:
        raise DataError(f"{name}: too long for an environment file")
    try:
        # Aliases have no use here, and a few of them can stand for more entries than memory holds.
        if any(isinstance(token, yaml.AliasToken) for token in yaml.scan(text)):
            raise DataError(f"{name}: aliases are not read")
        return read(text)
    except (yaml.YAMLError, RecursionError, ValueError) as exc:
        raise DataError(f"{name}: no YAML: {' '.join(str(exc).split())[:200]}") from exc
