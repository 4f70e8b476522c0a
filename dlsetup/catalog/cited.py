"""What the builds of a framework rest on beside the sources that its own file names."""

from __future__ import annotations

from collections.abc import Iterator

from dlsetup.catalog.form import FrameworkFile
from dlsetup.catalog.shelf import Shelf
from dlsetup.model.source import Source


def registry_id(distribution: str) -> str:
    """The id of the source that all generated rows of a distribution rest on."""
    return f"registry-{distribution}"


def measured_id(distribution: str) -> str:
    """The id of the source that architectures read out of wheels of a distribution rest on."""
    return f"measured-{distribution}"


def listing_id(index: str) -> str:
    """The id of the source that says what another index than the default one has."""
    return f"index-{index}"


def learned_sources(file: FrameworkFile, rows: FrameworkFile, shelf: Shelf) -> Iterator[Source]:
    """What a refresh learned and what was measured, as far as the builds of `rows` may rest on it."""
    for name in (item.name for item in file.distribution):
        head, measured = shelf.head(name), shelf.measured_file(name)
        if head:
            what = f"the registry's metadata of the wheels of `{head.distribution}`"
            yield Source(id=registry_id(name), what=what, checked=head.checked)
        if measured:
            yield Source(id=measured_id(name), what=measured.how, checked=measured.checked)
    for index in sorted({row.index for row in rows.build}):
        listing = shelf.listings.of(index)
        if listing:
            what = f"the pages of the index `{index}`"
            yield Source(id=listing_id(index), what=what, checked=listing.checked)
