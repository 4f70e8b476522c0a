"""`dlsetup profiles list`: the named starting points."""

from __future__ import annotations

from dlsetup.catalog.profiles import load_profile, profile_names
from dlsetup.commands.question import folders
from dlsetup.show import json
from dlsetup.show.lines import write
from dlsetup.show.profiles import ProfilesDocument, list_lines


def run(catalog: tuple[str, ...] = (), *, as_json: bool = False) -> int:
    """Print every profile with what it holds."""
    places = folders(catalog)
    profiles = tuple(load_profile(name, places) for name in profile_names(places))
    if as_json:
        json.write(ProfilesDocument(profiles=profiles))
    else:
        write(list_lines(profiles))
    return 0
