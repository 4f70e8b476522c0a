"""Reads `notes/*.toml`, curated: what steps for a person rest on. Only `notes` needs it."""

from __future__ import annotations

from dlsetup.catalog.load import Places, opened
from dlsetup.model.note_facts import (
    AscendDriver,
    Bound,
    CannFiles,
    ContainerSource,
    DriverPackage,
    Hold,
    NoteFacts,
    OwnDriver,
    OwnToolkit,
    Repository,
    RocmInstaller,
    Switched,
    Warned,
    WheelIndex,
)
from dlsetup.model.record import Record
from dlsetup.model.source import Source


class NoteFile(Record, frozen=True, kw_only=True):
    """`notes/NAME.toml`. Which file a row is in is a matter of taste."""

    repository: tuple[Repository, ...] = ()
    driver_package: tuple[DriverPackage, ...] = ()
    own_driver: tuple[OwnDriver, ...] = ()
    own_toolkit: tuple[OwnToolkit, ...] = ()
    hold: tuple[Hold, ...] = ()
    container_source: tuple[ContainerSource, ...] = ()
    wheel_index: tuple[WheelIndex, ...] = ()
    rocm_installer: tuple[RocmInstaller, ...] = ()
    ascend_driver: tuple[AscendDriver, ...] = ()
    cann_files: tuple[CannFiles, ...] = ()
    switched: tuple[Switched, ...] = ()
    bound: tuple[Bound, ...] = ()
    harmless: tuple[Warned, ...] = ()
    source: tuple[Source, ...] = ()


def note_facts(folders: Places = ()) -> NoteFacts:
    """All rows of all files, those of given folders first. Raises `DataError` for a malformed file."""
    place = opened(folders)
    found = (place.toml(f"notes/{name}.toml", NoteFile) for name in place.names("notes", ".toml"))
    files = [file for file in found if file is not None]
    return NoteFacts(
        repositories=tuple(row for file in files for row in file.repository),
        driver_packages=tuple(row for file in files for row in file.driver_package),
        own_drivers=tuple(row for file in files for row in file.own_driver),
        own_toolkits=tuple(row for file in files for row in file.own_toolkit),
        holds=tuple(row for file in files for row in file.hold),
        container_sources=tuple(row for file in files for row in file.container_source),
        wheel_indexes=tuple(row for file in files for row in file.wheel_index),
        rocm_installers=tuple(row for file in files for row in file.rocm_installer),
        ascend_drivers=tuple(row for file in files for row in file.ascend_driver),
        cann_files=tuple(row for file in files for row in file.cann_files),
        switched=tuple(row for file in files for row in file.switched),
        bounds=tuple(row for file in files for row in file.bound),
        warned=tuple(row for file in files for row in file.harmless),
        sources=tuple(row for file in files for row in file.source),
    )
