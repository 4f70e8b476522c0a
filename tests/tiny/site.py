"""A catalog folder of a site, with one framework of its own."""

from __future__ import annotations

import json
from pathlib import Path

HEAD = """
name = "deep"
title = "Deep"
distributions = ["deep"]
imports = "deep"
known_to = "2.0"
distribution = [{ name = "deep" }]
source = [{ id = "s", what = "a page", checked = "2026-01-31" }]
"""


def make_site(folder: Path, rows: str, *versions: str, wheel: tuple[str, str]) -> Path:
    """`rows`: what its file says beside the head; `wheel`: Python and platform of each release."""
    site = folder / "site"
    (site / "frameworks").mkdir(parents=True)
    (site / "generated").mkdir()
    (site / "frameworks" / "deep.toml").write_text(HEAD + rows)
    releases = [{"version": version, "wheels": [[*wheel, 1000]]} for version in versions]
    generated = {"distribution": "deep", "checked": "2026-02-01", "releases": releases}
    (site / "generated" / "deep.json").write_text(json.dumps(generated))
    return site
