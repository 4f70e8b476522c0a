"""How fast and how large dlsetup is, as ratios to programs people know, measured on this machine.

    python benchmarks/bench.py [--runs 10] [--cache FOLDER]

It builds the wheel, installs it and the programs it is compared with in environments of their own under the
cache folder (bytecode compiled), and prints a table. The package index is reached as uv is configured.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from measure import Command, Measure, measure

ROOT = Path(__file__).parents[1]
MEMORY_BOUND = 80e6
RIVALS = {"cuda-doctor": "cuda-doctor==0.2.0", "env-doctor": "env-doctor==0.3.5"}
TOGETHER = ("torch", "tensorflow", "jax")


class Row(NamedTuple):
    """One comparison: the ratio has to be at most the bound."""

    what: str
    ours: str
    other: str
    theirs: str
    ratio: float
    bound: float

    def __str__(self) -> str:
        mark = "✓" if self.ratio <= self.bound else "✗"
        figures = f"{self.ours} | {self.other} | {self.theirs} | {self.ratio:.2f} | ≤ {self.bound} {mark}"
        return f"| {self.what} | {figures} |"


def timed(what: str, ours: Measure, other: str, theirs: Measure, bound: float) -> Row:
    """A comparison of wall time."""
    return Row(what, str(ours), other, str(theirs), ours.seconds / theirs.seconds, bound)


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    words.add_argument("--runs", type=int, default=10)
    words.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "dlsetup-benchmarks")
    asked = words.parse_args()
    cache: Path = asked.cache.resolve()
    uv = shutil.which("uv") or str(Path(sys.executable).with_name("uv"))
    install_all(cache, uv)
    print("| what | dlsetup | compared with | that | ratio | bound |")
    print("| --- | --- | --- | --- | --- | --- |")
    for row in rows(cache, uv, asked.runs):
        print(row, flush=True)


def rows(cache: Path, uv: str, runs: int) -> Iterator[Row]:
    """Every comparison, the quick ones first."""
    here = cache / "empty-folder"
    here.mkdir(exist_ok=True)
    python = str(cache / "dlsetup/bin/python")
    dlsetup = str(cache / "dlsetup/bin/dlsetup")
    any_code = tuple(range(256))

    def ours(*words: str) -> Command:
        return Command((dlsetup, *words), here, codes=(0, 1))

    first, second = measure(ours("--version"), Command((python, "-c", "import typer")), runs=runs)
    yield timed("`dlsetup --version`", first, "`python -c 'import typer'`", second, 1.2)
    for name, words, bound in (("cuda-doctor", (), 0.7), ("env-doctor", ("check",), 0.3)):
        rival = Command((str(cache / name / "bin" / name), *words), here, codes=any_code)
        doctor, second = measure(ours("doctor"), rival, runs=runs)
        title = f"`{' '.join((name, *words))}` {RIVALS[name].partition('==')[2]}"
        yield timed("`dlsetup doctor`", doctor, title, second, bound)
    peak = doctor.peak_bytes
    yield Row("peak memory of doctor", f"{peak / 1e6:.0f} MB", "bound", "80 MB", peak / MEMORY_BOUND, 1.0)
    full, empty = (str(environment(cache, count)) for count in (400, 0))
    first, second = measure(ours("doctor", "--env", full), ours("doctor", "--env", empty), runs=runs)
    yield timed("`doctor --env`, 400 distributions", first, "the same, empty", second, 1.3)
    compile_ = Command((uv, "pip", "compile", "-q", "-"), here, stdin="\n".join(TOGETHER))
    first, second = measure(ours("resolve", *TOGETHER), compile_, runs=runs)
    yield timed("`dlsetup resolve torch tensorflow jax`", first, "`uv pip compile`, warm", second, 0.5)


def install_all(cache: Path, uv: str) -> None:
    """dlsetup as a wheel, made anew; the others once."""
    cache.mkdir(parents=True, exist_ok=True)
    built = cache / "wheel"
    shutil.rmtree(built, ignore_errors=True)
    call(uv, "build", "-q", "--wheel", "--out-dir", str(built), str(ROOT))
    shutil.rmtree(cache / "dlsetup", ignore_errors=True)
    install(cache / "dlsetup", uv, str(next(built.glob("*.whl"))))
    for name, requirement in RIVALS.items():
        if not (cache / name / "bin" / name).exists():
            install(cache / name, uv, requirement)


def install(place: Path, uv: str, requirement: str) -> None:
    call(uv, "venv", "-q", "--clear", "--python", sys.executable, str(place))
    call(uv, "pip", "install", "-q", "--compile-bytecode", "--python", str(place / "bin/python"), requirement)


def environment(cache: Path, count: int) -> Path:
    """A virtual environment that holds the metadata of `count` small distributions."""
    place = cache / f"environment-{count}"
    if not place.exists():
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place)], check=True)
        packages = next(place.glob("lib/python3*/site-packages"))
        for number in range(count):
            _distribution(packages, f"small_{number:03}", "1.0")
    return place


def _distribution(packages: Path, name: str, version: str) -> None:
    folder = packages / f"{name}-{version}.dist-info"
    folder.mkdir()
    requires = "".join(f"Requires-Dist: other{number}>=1\n" for number in range(10))
    (folder / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{requires}\n" + "x\n" * 200
    )
    (folder / "RECORD").write_text("".join(f"{name}/file{number}.py,,10\n" for number in range(100)))
    (folder / "INSTALLER").write_text("pip\n")
    (folder / "WHEEL").write_text("Wheel-Version: 1.0\nTag: py3-none-any\n")
    (packages / name).mkdir()
    (packages / name / "__init__.py").write_text("")


def call(*argv: str) -> None:
    subprocess.run(argv, check=True, env={**os.environ, "VIRTUAL_ENV": ""})


if __name__ == "__main__":
    main()
