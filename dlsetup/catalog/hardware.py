"""CUDA toolkits, drivers, GPUs and libraries: `hardware/*.toml`, curated."""

from __future__ import annotations

from dlsetup.catalog.folders import Folders
from dlsetup.catalog.hardware_form import HardwareFile
from dlsetup.model.hardware import GpuModel, Hardware


def hardware(place: Folders) -> Hardware:
    """All hardware files as one record. Raises `DataError` with the path of a malformed one."""
    found = (place.toml(f"hardware/{name}.toml", HardwareFile) for name in place.names("hardware", ".toml"))
    files = [file for file in found if file is not None]
    return Hardware(
        toolkits=tuple(row for file in files for row in file.toolkit),
        floors=tuple(row for file in files for row in file.floor),
        branches=tuple(row for file in files for row in file.branch),
        gpus=tuple(
            GpuModel(name=name, compute_capability=row.compute_capability, source=row.source)
            for file in files
            for row in file.gpus
            for name in row.names
        ),
        libraries=tuple(row for file in files for row in file.library),
        overlaps=tuple(row for file in files for row in file.overlap),
        sources=tuple(row for file in files for row in file.source),
    )
