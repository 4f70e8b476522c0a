"""How long `fix` takes against a bare `uv pip install` of the packages that it changes, with a warm cache.

.venv/bin/python benchmarks/fix_time.py --runs 5
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import tempfile
from pathlib import Path

from crash import KINDS, World
from tiny.broken import Broken, Fix, moves

from dlsetup.act.uv import find_uv


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    print("| what | fix | uv pip install | bound: 1.3 × that + 1 s |\n| --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        for name in KINDS:
            mended, bare = _times(world, world.broken[name], runs, name)
            bound = 1.3 * bare + 1
            mark = "✓" if mended <= bound else "✗"
            print(f"| {name} | {mended:.2f} s | {bare:.2f} s | {bound:.2f} s {mark} |")
        world.index.close()


def _times(world: World, broken: Broken, runs: int, name: str) -> tuple[float, float]:
    """Medians of both, each from the same broken environment."""
    fix = Fix(world.command, broken)
    changed = [f"{name}=={after}" for name, (_, after) in moves(fix("--dry-run")).items() if after]
    mended, bare = [], []
    for _ in range(runs):
        mended.append(world.time(fix.argv("--yes")))
        world.undo(name)
        spare = Path(tempfile.mkdtemp(dir=world.folder)) / "env"
        subprocess.run(["cp", "-a", str(broken.folder), str(spare)], check=True)
        sources = [
            word for kind in ("cpu", "cu126") for word in ("--index", world.index.address(f"pytorch-{kind}"))
        ]
        install = (
            find_uv(world.environ),
            "pip",
            "install",
            "--no-deps",
            "--reinstall",
            "--python",
            str(spare),
        )
        strategy = ("--index-strategy", "unsafe-best-match")
        bare.append(world.time([*install, *strategy, *sources, *changed]))
    return statistics.median(mended), statistics.median(bare)


if __name__ == "__main__":
    main()
