"""The texts of a bundle beside its script: `README.md` and `SHA256SUMS`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dlsetup.model.bundle import Carried, Manifest
from dlsetup.model.target import Target
from dlsetup.rules.wheels import platform_of


def checksums(files: Iterable[Carried]) -> str:
    """As `sha256sum -c` reads them."""
    return "".join(f"{item.sha256}  {item.path}\n" for item in sorted(files, key=lambda item: item.path))


def readme(manifest: Manifest, target: Target, packages: Sequence[str], sources: Sequence[str]) -> str:
    """What the bundle is for and how it is used, as Markdown."""
    blocks = [
        f"# {len(packages)} packages for {_one_line(platform_of(target))}, Python {manifest.python}",
        "Made by dlsetup for a machine without network. Every file is named in `SHA256SUMS`.",
        _fence(manifest.words, "It was made for this target:") if manifest.words else "",
        _steps(target, manifest),
        _with_dlsetup(manifest),
        _sources(sources),
        "What is in it:\n\n" + "\n".join(f"- {_one_line(text)}" for text in packages),
    ]
    return "\n\n".join(filter(None, blocks)) + "\n"


def _steps(target: Target, manifest: Manifest) -> str:
    if target.os == "windows":
        pip = "demo\\Scripts\\python -m pip install --no-index --find-links wheels --require-hashes --no-deps"
        rows = [f"py -{manifest.python} -m venv demo", f"{pip} -r requirements.txt"]
        return _fence("\n".join(rows), "In this folder, in PowerShell:", "powershell")
    row = "sh install.sh ~/envs/demo"
    told = (
        f"It needs Python {manifest.python} with pip, or uv; `PYTHON=/path/to/python sh install.sh …` names "
        "one. "
        "The hashes are checked first. Nothing that exists is written over."
    )
    return f"{_fence(row, 'With a plain Python or uv, without dlsetup:', 'sh')}\n\n{told}"


def _with_dlsetup(manifest: Manifest) -> str:
    own = next((item.path for item in manifest.files if item.path.startswith("tools/dlsetup-")), None)
    rows = ["dlsetup create env demo --offline --bundle ."]
    if own is not None:
        install = "python -m pip install --no-index --find-links tools dlsetup"
        rows = ["python -m venv dlsetup", f"dlsetup/bin/{install}", f"dlsetup/bin/{rows[0]}"]
    title = "With dlsetup, which also holds the lock against the machine and has every framework compute:"
    return _fence("\n".join(rows), title, "sh")


def _sources(names: Sequence[str]) -> str:
    if not names:
        return ""
    rows = "\n".join(f"- {_one_line(name)}" for name in names)
    return (
        "These have no wheel for the target and are compiled there. Their compilers, and what their builds "
        f"need, are not in here:\n\n{rows}"
    )


def _fence(text: str, title: str, language: str = "") -> str:
    bar = "```"
    while bar in text:
        bar += "`"
    return f"{title}\n\n{bar}{language}\n{text}\n{bar}"


def _one_line(text: str) -> str:
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
