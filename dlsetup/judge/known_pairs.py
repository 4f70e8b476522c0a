"""Releases of torchvision and torchaudio that were made for releases of torch before the catalog begins."""

from __future__ import annotations

from packaging.version import Version

SOURCE = "tables of releases in the READMEs of pytorch/vision and pytorch/audio (checked 2026-12-02)"
_ROWS = (
    ("1.7.1", "0.8.2", "0.7.2"),
    ("1.7.0", "0.8.1", "0.7.0"),
    ("1.6.0", "0.7.0", "0.6.0"),
    ("1.5.1", "0.6.1", "0.5.1"),
    ("1.5.0", "0.6.0", "0.5.0"),
    ("1.4.0", "0.5.0", "0.4.0"),
    ("1.3.1", "0.4.2", ""),
    ("1.3.0", "0.4.1", ""),
    ("1.2.0", "0.4.0", ""),
    ("1.1.0", "0.3.0", ""),
)
"""torch, torchvision, torchaudio."""
_COLUMNS = {"torchvision": 1, "torchaudio": 2}


def old_release_for(name: str, torch: Version) -> Version | None:
    """The release of a member of the family that was made for this torch."""
    found = (row[_COLUMNS[name]] for row in _ROWS if name in _COLUMNS and row[0] == torch.public)
    return next((Version(text) for text in found if text), None)


def old_torch_for(name: str, release: Version) -> Version | None:
    """The torch for which this release of a member was made."""
    rows = _ROWS if name in _COLUMNS else ()
    return next((Version(row[0]) for row in rows if row[_COLUMNS[name]] == release.public), None)
