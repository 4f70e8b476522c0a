"""Reads what distributions are called on conda-forge."""

from __future__ import annotations

from importlib.resources import files

from dlsetup.model.codec import convert
from dlsetup.model.conda import ChannelToolkits, CondaPackage
from dlsetup.model.record import Record


class _File(Record, frozen=True, kw_only=True):
    package: tuple[CondaPackage, ...] = ()
    channel: tuple[ChannelToolkits, ...] = ()


def conda_packages() -> tuple[CondaPackage, ...]:
    """Every distribution whose conda-forge name is known. Raises `DataError`."""
    return _file().package


def channel_toolkits() -> tuple[ChannelToolkits, ...]:
    """For which CUDA the `pytorch` channel has builds, by release. Raises `DataError`."""
    return _file().channel


def _file() -> _File:
    import tomli

    text = files("dlsetup.catalog").joinpath("data", "conda.toml").read_text("utf-8")
    return convert(tomli.loads(text), _File, where="conda.toml")
