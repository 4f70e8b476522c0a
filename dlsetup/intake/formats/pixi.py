"""pixi: `pixi.toml` (or `[tool.pixi]` of a project) and `pixi list`.

[workspace]
channels = ["conda-forge"]
[system-requirements]
cuda = "12.0"
[dependencies]
python = "3.11.*"
pytorch-gpu = { version = ">=2.4", build = "*cuda*" }
[feature.dev.pypi-dependencies]
torch = { version = "==2.5.1", index = "https://download.pytorch.org/whl/cu124" }

Package   Version  Build                 Size       Kind   Source
pytorch   2.4.0    cuda120_py311h0_301   25.3 MiB   conda  conda-forge
einops    0.8.0                          1.2 MiB    pypi   einops-0.8.0-py3-none-any.whl
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from packaging.version import Version

from dlsetup.intake.fact import Fact, observed, shown
from dlsetup.intake.packages import asked_of_conda, canonical, from_conda, version_in
from dlsetup.intake.page import Line, Page
from dlsetup.intake.reading import reads
from dlsetup.model.report import Asked

_TABLE = re.compile(r"^\s{0,4}\[([\w.\"-]{1,100})\]\s*(?:#.*)?$")
_PART = re.compile(
    r"^(?:tool\.pixi\.)?(?P<feature>feature\.[\w-]{1,60}\.)?(?:target\.[\w-]{1,40}\.)?"
    r"(?P<part>dependencies|pypi-dependencies|system-requirements|project|workspace)$"
)
_ENTRY = re.compile(r"^\s{0,4}[\"']?([A-Za-z_][\w.-]{0,80})[\"']?\s{0,20}=\s{0,20}(\S.{0,600})$")
_TEXT = re.compile(r"^[\"']([^\"']{0,200})[\"']")
_FIELD = re.compile(r"\b(version|build|channel|index)\s{0,4}=\s{0,4}[\"']([^\"']{0,200})[\"']")
_HEAD = re.compile(r"^\s{0,4}(?:Package|Name)\s+Version\s+Build\s+Size\s+Kind\b")
_ROW = re.compile(
    r"^\s{0,4}([A-Za-z_][\w.-]{0,80})\s+(\d[\w.+!-]{0,50})\s+(?:(\w[\w.]{0,80})\s+)?"
    r"(?:[\d.]{1,12} ?(?:[KMG]i?B|B|bytes)\s+)?(conda|pypi)\b\s*(\S{0,200})"
)


@reads("pixi.toml", "[dependencies]", "[tool.pixi", "pypi-dependencies]", "[workspace]")
def manifest(page: Page) -> Iterator[Fact]:
    """What all environments ask for, and of features what nothing else asks for: features may be choices."""
    if not page.holds("[tool.pixi", "channels", "pypi-dependencies]", "[system-requirements]"):
        return
    common: list[Fact] = []
    chosen: dict[str, list[Fact]] = {}
    channel, part, feature = "", "", False
    for line in page.lines:
        if head := _TABLE.match(line.text):
            table = _PART.match(head[1])
            part, feature = (table["part"], bool(table["feature"])) if table else ("", False)
            continue
        entry = _ENTRY.match(line.text) if part else None
        if entry is None:
            continue
        if part in ("project", "workspace") and entry[1] == "channels":
            channel = next(iter(re.findall(r"[\"']([\w./:-]{1,80})[\"']", entry[2])), "")
        for fact in _entry(part, entry[1], entry[2], channel, line):
            if feature and fact.about == "asked":
                chosen.setdefault(fact.value.name, []).append(fact)
            else:
                common.append(fact)
    asked = {fact.value.name for fact in common if fact.about == "asked"}
    yield from common
    yield from (facts[0] for name, facts in chosen.items() if len(facts) == 1 and name not in asked)


def _entry(part: str, name: str, value: str, channel: str, line: Line) -> Iterator[Fact]:
    plain = _TEXT.match(value)
    fields = dict(_FIELD.findall(value)) if value.startswith("{") else {}
    version = plain[1] if plain else fields.get("version", "")
    version = "" if version == "*" else version
    if part == "system-requirements":
        yield observed(f"pixi.system-requirements.{name}", version, line)
    elif part == "dependencies" and (plain or fields):
        build = f" {fields['build']}" if fields.get("build") else ""
        own = fields.get("channel", channel)
        yield shown("asked", asked_of_conda(name, f"{version}{build}", line, channel=own), line)
    elif part == "pypi-dependencies" and (plain or fields):
        index = fields.get("index", "")
        yield shown(
            "asked", Asked(name=canonical(name), specifier=version, index=index, source=line.place), line
        )


@reads("pixi list", "Kind")
def listing(page: Page) -> Iterator[Fact]:
    """Rows below the head of the table; what pip's index served has no build."""
    inside = False
    for line in page.lines:
        if _HEAD.match(line.text):
            inside = True
            continue
        row = _ROW.match(line.text) if inside else None
        inside = inside and row is not None
        if row is None:
            continue
        pypi = row[4] == "pypi"
        channel = "pypi" if pypi else row[5].rstrip("/").split("/")[-1]
        item = from_conda(row[1], row[2], line, build=row[3] or "", channel=channel)
        if item:
            yield shown("distribution", item, line)
        if row[1] == "python" and (version := version_in(row[2])):
            yield shown("environment.python", Version(version.base_version), line)
            yield shown("environment.kind", "conda", line)
