"""What a framework's own index has, where a refresh could read it."""

from __future__ import annotations

from collections.abc import Mapping

from packaging.version import Version

from dlsetup.catalog.generated_form import ListedRelease, ListingFile
from dlsetup.model.record import UNKNOWN, Unknown


class Listings:
    """Listings by the name of the index."""

    def __init__(self, files: Mapping[str, ListingFile]) -> None:
        self._files = files

    def of(self, index: str) -> ListingFile | None:
        """None: nobody could read the index."""
        return self._files.get(index)

    def release(
        self, index: str, distribution: str, version: Version, variant: str
    ) -> ListedRelease | None | Unknown:
        """A release as the index has it, under its local version or its plain one.

        None: it is not there, or was withdrawn. Unknown: the index was not read, or not asked about that
        distribution.
        """
        file = self._files.get(index)
        found = [item for item in file.distributions if item.name == distribution] if file else []
        if not found:
            return UNKNOWN
        names = (f"{version}+{variant}", str(version))
        releases = {str(item.version): item for item in found[0].releases if not item.yanked}
        return next((releases[name] for name in names if name in releases), None)
