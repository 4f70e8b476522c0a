"""Where conda-forge lies for this user: as conda's own settings have it, else where the library knows it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from dlsetup.intake.yaml_files import LARGEST, read_yaml
from dlsetup.model.errors import DataError
from dlsetup.plan.rattler import Channels

FORGE = "conda-forge"
_NOT_SERVED = ("defaults", "nodefaults", "pytorch", "nvidia", "anaconda", "main")
"""Channels of the settings that no plan of ours takes anything from."""


def channels(environ: Mapping[str, str]) -> Channels:
    """`CONDA_CHANNELS` names them all; settings say where `conda-forge` lies (`custom_channels`,
    `channel_alias`, or an address among `channels` that ends in its name)."""
    settings = list(_settings(environ))
    alias = environ.get("CONDA_CHANNEL_ALIAS") or _first(settings, "channel_alias")
    said = [item.strip() for item in environ.get("CONDA_CHANNELS", "").split(",")]
    named = tuple(item for item in said if item and item not in _NOT_SERVED)
    return Channels(names=named or (_forge(settings),), alias=alias)


def _forge(settings: list[dict[str, Any]]) -> str:
    for each in settings:
        own = each.get("custom_channels")
        if isinstance(own, dict) and isinstance(own.get(FORGE), str):
            return f"{str(own[FORGE]).rstrip('/')}/{FORGE}"
        listed = each.get("channels")
        for item in listed if isinstance(listed, list) else []:
            if isinstance(item, str) and "/" in item and item.rstrip("/").rpartition("/")[2] == FORGE:
                return item
    return FORGE


def _first(settings: list[dict[str, Any]], key: str) -> str:
    return next((each[key] for each in settings if isinstance(each.get(key), str)), "")


def _settings(environ: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """The user's own files, the weightiest first. What cannot be read says nothing."""
    home = environ.get("HOME") or environ.get("USERPROFILE") or ""
    places = [environ.get("CONDARC", ""), environ.get("MAMBARC", "")]
    if home:
        places += [f"{home}/.condarc", f"{home}/.conda/.condarc", f"{home}/.mambarc"]
    if root := environ.get("CONDA_ROOT") or environ.get("MAMBA_ROOT_PREFIX"):
        places.append(f"{root}/.condarc")
    for place in filter(None, places):
        with contextlib.suppress(OSError, ValueError):
            path = Path(place)
            if path.is_file() and path.stat().st_size <= LARGEST:
                yield _read(path.read_text("utf-8", "replace"))


def _read(text: str) -> dict[str, Any]:
    import yaml

    try:
        found = read_yaml(text, "", yaml.safe_load)
    except DataError:
        return {}
    return found if isinstance(found, dict) else {}
