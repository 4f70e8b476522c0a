"""Which release of torchvision or torchaudio was made for which release of torch.

The catalog knows it from their metadata; the rows are those of releases before it begins.
"""

from __future__ import annotations

from packaging.version import Version

from dlsetup.judge.demands import required_name
from dlsetup.judge.scene import Scene
from dlsetup.model.framework import Build
from dlsetup.rules.libraries import applying

SOURCE = "requirements in the wheels of torchvision and torchaudio (read 2026-12-02)"
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
)
"""torch, torchvision, torchaudio."""
_COLUMNS = {"torchvision": 1, "torchaudio": 2}


def release_for(scene: Scene, name: str, torch: Version) -> Version | None:
    """The newest release of a member of the family that was made for this torch; None: nothing tells."""
    framework = scene.catalog.framework(name)
    builds = framework.builds if framework else ()
    made = {build.version for build in builds if not build.yanked and _asks_for(build, torch)}
    return max(made, default=None) or _old_release_for(name, torch)


def _asks_for(build: Build, torch: Version) -> bool:
    asked = (applying(text, None) for text in build.requires if required_name(text) == "torch")
    return any(item and str(item.specifier) and item.specifier.contains(torch.public) for item in asked)


def _old_release_for(name: str, torch: Version) -> Version | None:
    """The release of a member of the family that was made for this torch."""
    found = (row[_COLUMNS[name]] for row in _ROWS if name in _COLUMNS and row[0] == torch.public)
    return next((Version(text) for text in found if text), None)


def old_torch_for(name: str, release: Version) -> Version | None:
    """The torch for which this release of a member was made."""
    rows = _ROWS if name in _COLUMNS else ()
    return next((Version(row[0]) for row in rows if row[_COLUMNS[name]] == release.public), None)
