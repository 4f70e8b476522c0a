"""Reads what distributions are called on conda-forge."""

from __future__ import annotations

from importlib.resources import files
from typing import TypeVar

from dlsetup.model.codec import convert
from dlsetup.model.conda import ChannelToolkits, CondaPackage
from dlsetup.model.modernised import OldFacts
from dlsetup.model.record import Record

T = TypeVar("T")


class _Plain(Record, frozen=True, kw_only=True):
    """Distributions of which conda-forge has one build for every device, under their own name."""

    distributions: tuple[str, ...]
    source: str
    checked: str


class _File(Record, frozen=True, kw_only=True):
    plain: tuple[_Plain, ...] = ()
    package: tuple[CondaPackage, ...] = ()
    channel: tuple[ChannelToolkits, ...] = ()


def conda_packages() -> tuple[CondaPackage, ...]:
    """Every distribution whose conda-forge name is known. Raises `DataError`."""
    return _file().package


def plain_packages() -> frozenset[str]:
    """Distributions that conda-forge has under the same name, for every device. Raises `DataError`."""
    return frozenset(name for row in _file().plain for name in row.distributions)


def channel_toolkits() -> tuple[ChannelToolkits, ...]:
    """For which CUDA the `pytorch` channel has builds, by release. Raises `DataError`."""
    return _file().channel


def old_facts() -> OldFacts:
    """What names of old instructions mean today. Raises `DataError`."""
    return _read("conda_old.toml", OldFacts)


def _file() -> _File:
    return _read("conda.toml", _File)


def _read(name: str, form: type[T]) -> T:
    import tomli

    text = files("dlsetup.catalog").joinpath("data", name).read_text("utf-8")
    return convert(tomli.loads(text), form, where=name)
