"""A generated file that was just learned, beside the one that a catalog folder has."""

from __future__ import annotations

from msgspec.structs import replace

from dlsetup.catalog.folders import Folders
from dlsetup.catalog.form import GeneratedFile
from dlsetup.catalog.generated_form import ListingFile, OverlapsFile
from dlsetup.catalog.guards import lost, lost_listed, lost_overlaps
from dlsetup.catalog.written import written, written_listing, written_overlaps
from dlsetup.model.record import Record

OVERLAPS = "overlaps"
"""The name of the file that says which wheels share files."""


class NewFile(Record, frozen=True, kw_only=True):
    """What goes into one file, and what its folder has so far."""

    new: GeneratedFile | ListingFile | OverlapsFile
    old: GeneratedFile | ListingFile | OverlapsFile | None

    @classmethod
    def of(cls, new: GeneratedFile | ListingFile | OverlapsFile, place: Folders) -> NewFile:
        return cls(new=new, old=place.json(f"generated/{_name(new)}.json", type(new)))

    @property
    def name(self) -> str:
        """A distribution, `index-NAME`, or `overlaps`."""
        return _name(self.new)

    @property
    def path(self) -> str:
        """Inside a catalog folder."""
        return f"generated/{self.name}.json"

    @property
    def text(self) -> bytes:
        """What is written."""
        match self.new:
            case GeneratedFile():
                return written(self.new)
            case ListingFile():
                return written_listing(self.new)
            case OverlapsFile():
                return written_overlaps(self.new)

    @property
    def rows(self) -> int:
        """Releases, versions of a library, or groups of distributions."""
        match self.new:
            case GeneratedFile():
                return len(self.new.releases) or len(self.new.versions)
            case ListingFile():
                return sum(len(item.releases) for item in self.new.distributions)
            case OverlapsFile():
                return len(self.new.libraries) + len(self.new.twins)

    @property
    def changed(self) -> bool:
        """Whether more than the date is new."""
        return self.old is None or replace(self.old, checked=self.new.checked) != self.new

    def lost(self) -> list[str]:
        """What the old file has and the new one has not."""
        match self.old, self.new:
            case GeneratedFile(), GeneratedFile():
                gone = lost(self.old, self.new)
            case ListingFile(), ListingFile():
                gone = lost_listed(self.old, self.new)
            case OverlapsFile(), OverlapsFile():
                gone = lost_overlaps(self.old, self.new)
            case _:
                gone = []
        return [f"{self.name} {item}" for item in gone]


def _name(file: GeneratedFile | ListingFile | OverlapsFile) -> str:
    match file:
        case GeneratedFile():
            return file.distribution
        case ListingFile():
            return f"index-{file.index}"
        case OverlapsFile():
            return OVERLAPS
