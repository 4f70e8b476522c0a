"""Real shared objects and a real program, compiled for a test, with the names and folders that it wants."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

OPENER = r"""
#include <dlfcn.h>
#include <stdio.h>
int main(int count, char **names) {
    for (int at = 1; at < count; at++)
        if (!dlopen(names[at], RTLD_NOW)) printf("%s\n", dlerror());
    return 0;
}
"""


def compiler() -> str | None:
    """gcc, where there is one."""
    return shutil.which("gcc") or shutil.which("cc")


class Maker:
    """Compiles each different file once, and puts copies of it where they are wanted."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.made: dict[str, Path] = {}

    def library(
        self,
        path: Path,
        soname: str = "",
        *,
        needs: Sequence[str] = (),
        rpath: str = "",
        runpath: str = "",
        offers: Sequence[str] = (),
        calls: Sequence[str] = (),
        version: str = "",
        against: Mapping[str, str] | None = None,
    ) -> Path:
        """A library that needs others by their SONAMEs and calls functions of them.

        `version`: the name of the version of all that it offers. `against`: by SONAME, the version of the
        calls to it. What it needs may be missing where it is compiled.
        """
        key = repr((soname, needs, rpath, runpath, offers, calls, version, against))
        if key not in self.made:
            place = self.folder / f"made-{len(self.made)}"
            place.mkdir()
            stubs = [self._stub(place, name, calls, (against or {}).get(name, "")) for name in needs]
            code = "".join(f"int {name}(void) {{ return 1; }}\n" for name in offers)
            code += "".join(f"extern int {name}(void);\n" for name in calls)
            body = " + ".join(f"{name}()" for name in calls) or "0"
            code += f"int used_{len(self.made)}(void) {{ return {body}; }}\n"
            self.made[key] = _link(place / "out.so", code, soname, stubs, rpath, runpath, version)
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(self.made[key], path)
        return path

    def _stub(self, place: Path, soname: str, offers: Sequence[str], version: str) -> Path:
        """A library of that name to link against, with every function."""
        code = "".join(f"int {name}(void) {{ return 1; }}\n" for name in offers) or "int nothing;\n"
        return _link(place / f"stub-{soname}", code, soname, [], "", "", version)

    def program(self, path: Path, *, rpath: str = "", runpath: str = "") -> Path:
        """A program that opens every name it is given and prints what the loader says of failures."""
        path.parent.mkdir(parents=True, exist_ok=True)
        source = self.folder / "opener.c"
        source.write_text(OPENER)
        _run([str(compiler()), "-o", str(path), str(source), *_folders(rpath, runpath), "-ldl"])
        return path


def _link(
    path: Path, code: str, soname: str, against: Sequence[Path], rpath: str, runpath: str, version: str
) -> Path:
    source = path.with_suffix(".c")
    source.write_text(code)
    argv = [str(compiler()), "-shared", "-fPIC", "-nostdlib", "-o", str(path), str(source)]
    argv += [f"-Wl,-soname,{soname}"] if soname else []
    argv += _folders(rpath, runpath)
    argv += ["-Wl,--no-as-needed", "-Wl,--allow-shlib-undefined", *map(str, against)]
    if version:
        script = path.with_suffix(".map")
        script.write_text(f"{version} {{ global: *; }};\n")
        argv.append(f"-Wl,--version-script={script}")
    _run(argv)
    return path


def _folders(rpath: str, runpath: str) -> list[str]:
    if runpath:
        return ["-Wl,--enable-new-dtags", f"-Wl,-rpath,{runpath}"]
    return ["-Wl,--disable-new-dtags", f"-Wl,-rpath,{rpath}"] if rpath else []


def _run(argv: Sequence[str]) -> None:
    ran = subprocess.run(argv, capture_output=True, text=True, check=False, env={**os.environ, "LC_ALL": "C"})
    assert ran.returncode == 0, ran.stderr
