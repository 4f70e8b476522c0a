"""Where the catalog's files lie: folders given, the user's refreshed data, the packaged data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from stat import S_ISFIFO
from typing import TypeVar

from dlsetup.model.codec import convert, decode
from dlsetup.model.errors import DataError
from dlsetup.model.record import Record

T = TypeVar("T")

PACKAGED = Path(__file__).parent / "data"
INCOMING = "incoming"
"""In a folder: files that a refresh delivered and did not move into their places yet (see `delivery`)."""
LIMIT = 32 * 1024 * 1024


def user_folder() -> Path | None:
    """Where `dlsetup catalog refresh` puts what it learns; None for a user without a home."""
    from platformdirs import user_data_path

    try:
        return user_data_path("dlsetup", appauthor=False) / "catalog"
    except RuntimeError:
        return None


class Head(Record, frozen=True, kw_only=True, forbid_unknown_fields=False):
    """What every generated file says of itself."""

    distribution: str = ""
    checked: str = ""


class Sheet(Record, frozen=True, kw_only=True):
    """A generated file, its JSON well formed, but only the head of it read."""

    head: Head
    text: bytes
    where: str


class Folders:
    """Folders of catalog files; the first that has a file wins.

    Of the generated files in the user's own folder and in the package the one checked later wins, so
    that an update of dlsetup is not hidden by an older refresh. Curated files are read once: one command
    asks for the same ones several times. So are generated ones.

    `faults`: a list that takes what is malformed, as text; such a file is passed over, and the next folder
    asked. Without the list a malformed file is an error.
    """

    def __init__(
        self, given: Sequence[Path] = (), *, user: Path | None = None, faults: list[str] | None = None
    ) -> None:
        self._given = tuple(given)
        self._user = user
        self.faults = faults
        self._names: dict[tuple[str, str], list[str]] = {}
        self._curated: dict[str, object] = {}
        self._sheets: dict[str, Sheet | None] = {}
        self._delivered: dict[Path, bool] = {}
        """Whether a folder has files that a refresh delivered and did not put into their places."""

    @property
    def _curated_in(self) -> tuple[Path, ...]:
        return (*self._given, PACKAGED)

    def names(self, kind: str, ending: str) -> list[str]:
        """Names of the files of a kind, without their ending: `torch` for `frameworks/torch.toml`."""
        if (kind, ending) not in self._names:
            found = {
                path.name.removesuffix(ending)
                for folder in self._curated_in
                for path in (folder / kind).glob(f"*{ending}")
            }
            self._names[kind, ending] = sorted(found)
        return self._names[kind, ending]

    def given(self, kind: str, ending: str) -> list[str]:
        """The same of the given folders alone."""
        found = {path.name for folder in self._given for path in (folder / kind).glob(f"*{ending}")}
        return sorted(name.removesuffix(ending) for name in found)

    def toml(self, relative: str, kind: type[T]) -> T | None:
        """A curated file as a record; None if no folder has it. Raises `DataError` with its path."""
        if relative not in self._curated:
            found = (self.sound(partial(read_toml, folder / relative, kind)) for folder in self._curated_in)
            self._curated[relative] = next((record for record in found if record is not None), None)
        record = self._curated[relative]
        return record if isinstance(record, kind) else None

    def json(self, relative: str, kind: type[T]) -> T | None:
        """A generated file as a record; None if no folder has it. Raises `DataError` with its path."""
        sheet = self.sheet(relative)
        if sheet is None:
            return None
        return self.sound(partial(decode, sheet.text, kind, where=sheet.where))

    def sheet(self, relative: str) -> Sheet | None:
        """A generated file of which only the head is read; None if no folder has it. Raises `DataError`."""
        if relative not in self._sheets:
            given = (self.sound(partial(self._sheet, folder, relative)) for folder in self._given)
            found = next((sheet for sheet in given if sheet is not None), None)
            self._sheets[relative] = found or self._later(relative)
        return self._sheets[relative]

    def _later(self, relative: str) -> Sheet | None:
        folders = (folder for folder in (self._user, PACKAGED) if folder)
        found = [self.sound(partial(self._sheet, folder, relative)) for folder in folders]
        return max(filter(None, found), default=None, key=lambda sheet: sheet.head.checked)

    def _sheet(self, folder: Path, relative: str) -> Sheet | None:
        if folder not in self._delivered:
            self._delivered[folder] = (folder / INCOMING).is_dir()
        incoming = _read(folder / INCOMING / relative) if self._delivered[folder] else None
        text = incoming or _read(folder / relative)
        if text is None:
            return None
        where = f"{folder}/{relative}"
        return Sheet(head=decode(text, Head, where=where), text=text, where=where)

    def sound(self, read: Callable[[], T | None]) -> T | None:
        """What `read` gives; None for malformed data where its faults are taken down."""
        if self.faults is None:
            return read()
        try:
            return read()
        except DataError as exc:
            self.faults.append(exc.message)
            return None


def _read(path: Path) -> bytes | None:
    try:
        if S_ISFIFO(path.stat().st_mode):
            raise DataError(f"{path}: it is a pipe, which might never end")
        with path.open("rb") as file:
            text = file.read(LIMIT + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as exc:
        raise DataError(f"{path}: {exc.strerror or exc}") from exc
    if len(text) > LIMIT:
        raise DataError(f"{path}: larger than {LIMIT} bytes")
    return text


def read_toml(path: Path, kind: type[T]) -> T | None:
    """A TOML file as a record; None if there is no such file. Raises `DataError` with its path."""
    import tomli

    text = _read(path)
    if text is None:
        return None
    try:
        document = tomli.loads(text.decode("utf-8"))
    except (ValueError, RecursionError) as exc:
        raise DataError(f"{path}: {exc}") from exc
    return convert(document, kind, where=str(path))


def read_json(path: Path, kind: type[T]) -> T | None:
    """A JSON file as a record; None if there is no such file. Raises `DataError` with its path."""
    text = _read(path)
    return None if text is None else decode(text, kind, where=str(path))
