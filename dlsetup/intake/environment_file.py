"""`environment.yml` of conda: its pip part, its Python, its CUDA, and its packages by name."""

from __future__ import annotations

import re
from typing import Any

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from dlsetup.intake.requirements_file import parse_line, parse_one
from dlsetup.intake.yaml_files import read_yaml
from dlsetup.model.errors import DataError
from dlsetup.model.listing import Left, Listing, Said

MOST = 2000
"""Signs: reading YAML is slow."""
_SPEC = re.compile(r"(?:[\w./-]+::)?([A-Za-z0-9_][\w.-]*)\s*(.*)")
_OTHER_NAMES = {
    "pytorch": "torch",
    "pytorch-cpu": "torch",
    "pytorch-gpu": "torch",
    "tensorflow-cpu": "tensorflow",
    "tensorflow-gpu": "tensorflow",
}
"""The same software under the name that wheels have."""
_CUDA = ("pytorch-cuda", "cudatoolkit", "cuda-version", "cuda-toolkit", "cuda")
_CPU = ("cpuonly", "pytorch-cpu", "tensorflow-cpu")


def parse_environment(text: str, name: str) -> Listing:
    """What the file says. Raises `DataError` for what is no such file."""
    dependencies = _document(text, name).get("dependencies")
    if not isinstance(dependencies, list):
        raise DataError(f"{name}: it has no list `dependencies`")
    reader = Reader(name)
    for item in dependencies[:MOST]:
        if isinstance(item, str):
            reader.conda(item)
        elif isinstance(item, dict) and isinstance(item.get("pip"), list):
            for line in item["pip"][:MOST]:
                reader.pip(str(line) if isinstance(line, str) else "")
    return reader.listing()


class Reader:
    """Gathers what the entries say, one after the other."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.said: dict[str, list[Said]] = {"requirement": [], "index": [], "include": [], "bound": []}
        self.left: list[Left] = []
        self.python = ""
        self.cuda = ""
        self.cpu = False

    def listing(self) -> Listing:
        return Listing(
            requirements=tuple(self.said["requirement"]),
            indexes=tuple(self.said["index"]),
            includes=tuple(self.said["include"]),
            bounds=tuple(self.said["bound"]),
            python=self.python,
            cuda=self.cuda,
            cpu=self.cpu,
            left=tuple(self.left),
        )

    def pip(self, line: str) -> None:
        if line.strip():
            self._take(parse_line(line.strip(), f"{self.name}, pip"))

    def conda(self, text: str, marker: str = "") -> None:
        """A package of conda. `marker`: where it is asked for, if not everywhere."""
        found = _SPEC.fullmatch(text.strip()) if len(text) < 300 and text.isprintable() else None
        specifier = specifier_of(found[2]) if found else None
        if found is None or specifier is None:
            self._leave(text, "it cannot be read as a package of conda")
            return
        name = found[1].lower()
        if name == "python":
            self.python = str(specifier)
        elif name in _CUDA:
            self._cuda(text, specifier)
        elif name == "pip":
            return
        else:
            self.cpu = self.cpu or name in _CPU or re.search(r"=\*?cpu[^=]*$", found[2]) is not None
            if name != "cpuonly":
                wheel = _OTHER_NAMES.get(name, name)
                where = f" ; {marker}" if marker else ""
                self._take(parse_one(f"{wheel}{specifier}{where}", f"{self.name}, conda"))

    def _take(self, found: tuple[str, Said] | Left) -> None:
        if isinstance(found, Left):
            self.left.append(found)
        else:
            self.said[found[0]].append(found[1])

    def _cuda(self, text: str, specifier: SpecifierSet) -> None:
        pins = [re.match(r"\d+\.\d+|\d+", item.version) for item in specifier if item.operator == "=="]
        if len(pins) == 1 and pins[0]:
            self.cuda = pins[0][0]
        elif str(specifier):
            self._leave(text, "no one CUDA version")

    def _leave(self, text: str, because: str) -> None:
        shown = text[:200] if text.isprintable() else repr(text[:200])[1:-1]
        self.left.append(Left(text=shown, where=f"{self.name}, conda", because=because))


def specifier_of(text: str) -> SpecifierSet | None:
    """What conda writes as `=2.1`, `2.1.*`, `>=2,<3` or `==2.1.0=build`; None: wheels have no such wish."""
    parts = text.replace(" ", ",") if "=" not in text else text.replace(" ", "")
    pieces = [_piece(part) for part in filter(None, parts.split(","))]
    if "|" in text or None in pieces:
        return None
    try:
        return SpecifierSet(",".join(filter(None, pieces)))
    except InvalidSpecifier:
        return None


def _piece(text: str) -> str | None:
    if text == "*":
        return ""
    if re.match(r"[<>!~]", text):
        return text
    exact = re.fullmatch(r"==?=?([^=]+)(?:=[^=]*)?", text) or re.fullmatch(r"([^=]+)", text)
    if not exact:
        return None
    version = exact[1].strip()
    if version == "*":
        return ""
    loose = re.match(r"=[^=]", text) is not None and text.count("=") == 1
    if loose and "*" not in version:
        return f"=={version}.*"
    return f"=={re.sub(r'[.]?[*]$', '.*', version)}"


def _document(text: str, name: str) -> dict[str, Any]:
    import yaml

    data = read_yaml(text, name, yaml.safe_load)
    if not isinstance(data, dict):
        raise DataError(f"{name}: it has no list `dependencies`")
    return data
