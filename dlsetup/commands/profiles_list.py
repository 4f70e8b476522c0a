"""`dlsetup profiles list`: the named starting points."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from dlsetup.catalog.profiles import load_profile, profile_names
from dlsetup.commands.question import folders
from dlsetup.model.record import Record
from dlsetup.model.wish import Profile
from dlsetup.show import json
from dlsetup.show.lines import Line, write


class ProfilesDocument(Record, frozen=True, kw_only=True):
    """Every profile, in alphabetical order."""

    schema: Literal["dlsetup.profiles-list/1"] = "dlsetup.profiles-list/1"
    ok: bool = True
    profiles: tuple[Profile, ...]


def run(catalog: tuple[str, ...] = (), *, as_json: bool = False) -> int:
    """Print every profile with what it holds."""
    places = folders(catalog)
    profiles = tuple(load_profile(name, places) for name in profile_names(places))
    if as_json:
        json.write(ProfilesDocument(profiles=profiles))
    else:
        write(_lines(profiles))
    return 0


def _lines(profiles: tuple[Profile, ...]) -> Iterator[Line]:
    width = max((len(item.name) for item in profiles), default=0)
    for item in profiles:
        text = f"{item.title}: {', '.join((*item.frameworks, *item.packages))}"
        yield Line(mark=item.name.ljust(width), text=text, style="title")
        yield Line(text=item.summary, indent=width + 1, style="faint")
