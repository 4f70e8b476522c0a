"""A bundle as it lies in a folder."""

from __future__ import annotations

from pathlib import Path

from dlsetup.model.bundle import Manifest
from dlsetup.model.codec import decode
from dlsetup.model.errors import DataError, UsageError
from dlsetup.model.record import Record

_LARGEST = 20 << 20


class Bundle(Record, frozen=True, kw_only=True):
    """What was read of it; its files are checked by whoever installs them."""

    folder: str
    manifest: Manifest

    @property
    def lock(self) -> str:
        return str(Path(self.folder) / "pylock.toml")

    @property
    def pythons(self) -> str:
        """Address of the Pythons in it, as uv takes it for a mirror."""
        return (Path(self.folder) / "python").as_uri()


def read_bundle(folder: Path) -> Bundle:
    """Raises `UsageError` for what is no bundle, `DataError` for one that is damaged."""
    if folder.is_file() and folder.name.endswith(".tar"):
        raise UsageError(f"`{folder}` is packed", hint=f"unpack it first: `tar -xf {folder.name}`")
    place = folder / "bundle.json"
    try:
        with place.open("rb") as file:
            data = file.read(_LARGEST + 1)
    except (OSError, ValueError) as error:
        raise UsageError(
            f"`{folder}` is no bundle: it has no `bundle.json`", hint="`dlsetup bundle` makes one"
        ) from error
    if len(data) > _LARGEST:
        raise DataError(f"{place}: larger than {_LARGEST >> 20} MiB, which none is", hint="make it anew")
    manifest = decode(data, Manifest, where=str(place))
    lacking = [item.path for item in manifest.files if not _is_there(folder, item.path, item.size)]
    if lacking:
        more = f" and {len(lacking) - 1} more" if len(lacking) > 1 else ""
        raise DataError(
            f"the bundle in `{folder}` lacks `{lacking[0]}`{more}, or has it in another size",
            hint="copy it again",
        )
    return Bundle(folder=str(folder), manifest=manifest)


def _is_there(folder: Path, path: str, size: int) -> bool:
    try:
        return (folder / path).stat().st_size == size
    except (OSError, ValueError):
        return False
