"""Kills `fix all` and `create env` at random moments, and looks at what is left after the next command.

    .venv/bin/python benchmarks/crash.py --runs 200 --seed 7

Only dlsetup itself is killed: a uv or conda that it started goes on for a while, as it would in life.
Afterwards an environment must be byte for byte the former one, or changed and well (`undo` then has to
restore the former one to the byte); one that was being created must not be there, or be there and well.
Every second kill of `fix` is aimed at the exchange: it comes up to 40 ms after the journal has got what the
mended copy holds.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from tiny import broken as tiny  # noqa: E402
from tiny.command import Command  # noqa: E402
from tiny.conda import make_channel, make_world  # noqa: E402
from tiny.index import TinyIndex  # noqa: E402
from tiny.world import shelves, torch  # noqa: E402

from dlsetup.act.turn import is_taken  # noqa: E402


def at_once(broken: tiny.Broken, index: TinyIndex) -> None:
    """Two faults that have nothing to do with each other."""
    tiny.collide(broken, index)
    tiny.pair(broken)


KINDS = {
    "fix: overwritten cuDNN": tiny.collide,
    "fix: torchvision of another torch": tiny.mismatch,
    "fix: twin distributions": lambda broken, index: tiny.pair(broken),
    "fix: overwritten cuDNN and twins": at_once,
}
CONDA = "fix: torchvision of pip over conda's torch"
CREATE = "create env"
AFTER = 0.04
"""Seconds after the sign within which an aimed kill comes."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=1e9, help="stop early after so long")
    parser.add_argument("--only", default="", help="what has this in its name")
    given = parser.parse_args()
    chance = random.Random(given.seed)
    found: collections.Counter[tuple[str, str]] = collections.Counter()
    end = time.monotonic() + given.seconds
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        names = [*world.broken, CREATE]
        names = [name for name in names if given.only in name]
        for number in range(given.runs):
            if time.monotonic() > end:
                break
            name = names[number % len(names)]
            aimed = name != CREATE and number // len(names) % 2 == 1
            moment = chance.uniform(0, AFTER if aimed else world.lasting[name] * 1.05)
            outcome = world.create(moment, number) if name == CREATE else world.fix(name, moment, aimed=aimed)
            name += ", aimed" if aimed else ""
            found[name, outcome] += 1
        world.index.close()
    print("| what | what was left | runs |\n| --- | --- | --- |")
    for (name, outcome), count in sorted(found.items()):
        print(f"| {name} | {outcome} | {count} |")
    print(f"| all | | {found.total()} |")
    sys.exit(any(outcome.startswith("THIRD") for _, outcome in found))


class World:
    """The tiny indexes, a broken environment of each kind, and the command line."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.index = TinyIndex(folder / "index")
        for name, wheels in shelves().items():
            self.index.add(name, wheels)
        home = folder / "home"
        home.mkdir()
        kept = {name: text for name, text in os.environ.items() if not name.startswith(("UV_", "PIP_"))}
        self.environ = {
            **kept,
            "UV_DEFAULT_INDEX": self.index.address("default"),
            "UV_CACHE_DIR": str(folder / "cache"),
            "UV_NO_CONFIG": "1",
            "UV_HTTP_RETRIES": "0",
            "UV_PYTHON_DOWNLOADS": "never",
            "DLSETUP_STATE": str(folder / "state"),
            "PYTHONPATH": str(ROOT),
            "PYTHONDONTWRITEBYTECODE": "1",
            "HOME": str(folder / "user"),
        }
        self.command = Command(home, self.environ)
        for name in ("pytorch-cu126", "pytorch-cpu"):
            self.command.indexes += ["--index", f"{name}={self.index.address(name)}"]
        self.broken = {}
        self.lasting: dict[str, float] = {}
        for number, (name, spoil) in enumerate(KINDS.items()):
            made = tiny.make_broken(folder / "envs" / f"env{number}", self.environ)
            spoil(made, self.index)
            self._add(name, made)
        self._add(CONDA, self._of_conda())
        self._stock()
        self.lasting[CREATE] = self.time(self._creation("warm"))

    def _add(self, name: str, made: tiny.Broken) -> None:
        self.broken[name] = made
        self.lasting[name] = self.time(tiny.Fix(self.command, made).argv("--yes"))
        assert self.undo(name) == 0

    def _of_conda(self) -> tiny.Broken:
        """What mends it moves a package of conda and a distribution of pip."""
        place = self.folder / "of-conda"
        place.mkdir()
        world = make_world(place, make_channel(place / "channel"), self.environ)
        world.install("pytorch=2.14.1=cpu*")
        world.broken.put("torchvision==0.28.0")
        return world.broken

    def fix(self, name: str, moment: float, *, aimed: bool) -> str:
        made = self.broken[name]
        before = made.tree()
        fix = tiny.Fix(self.command, made)
        killed = self._kill(fix.argv("--yes"), moment, aimed=aimed)
        while is_taken(self.folder / "state", made.folder):
            time.sleep(0.02)
        self.command("history", "--env", str(made.folder), "--forget", "all", "--older-than", "999", "--yes")
        left = [path for path in made.beside() if path.startswith(f".{made.folder.name}.")]
        if left:
            return f"THIRD: {left} beside it"
        word = "killed" if killed else "at its end"
        if made.tree() == before:
            return f"{word}: as before"
        if fix("--dry-run")["result"] != "nothing-to-mend":
            return "THIRD: neither as before nor well"
        if self.undo(name) or made.tree() != before:
            return "THIRD: not restored by undo"
        return f"{word}: well, and restored by undo to the byte"

    def create(self, moment: float, number: int) -> str:
        name = f"made{number}"
        killed = self._kill(self._creation(name), moment)
        word = "killed" if killed else "at its end"
        place = self.command.home / name
        there = place.exists()
        again = self.command(*self._creation(name)[3:])
        left = [path for path in self.command.entries() if name in path and path != name]
        if left:
            return f"THIRD: {left} beside it"
        if not there:
            return (
                f"{word}: not there, and built by the next" if again.returncode == 0 else "THIRD: not rebuilt"
            )
        done = json.loads(self.command("doctor", "--env", str(place), "--json").stdout)
        return f"{word}: there and well" if done["ok"] else "THIRD: there and not well"

    def _creation(self, name: str) -> list[str]:
        return self.command.argv("create", "env", name, "torch", "--cpu", "--yes", *self.command.indexes)

    def _stock(self) -> None:
        plan = self.command.json("stock", "torch", "--cpu", "--dry-run")["plan"]
        for pick in plan["picks"]:
            self.index.add(pick["index"], torch(pick["version"] + "+cpu", None, "numpy"))

    def undo(self, name: str) -> int:
        done = self.command("undo", "--env", str(self.broken[name].folder), "--yes")
        self.command("history", "--forget", "all", "--yes")
        return done.returncode

    def time(self, argv: list[str]) -> float:
        begun = time.monotonic()
        subprocess.run(argv, cwd=self.command.home, env=self.environ, check=True, capture_output=True)
        return time.monotonic() - begun

    def _kill(self, argv: list[str], seconds: float, *, aimed: bool = False) -> bool:
        """Starts a command and kills it after so long. Gives whether it still ran."""
        signs = self._signs()
        process = subprocess.Popen(
            argv,
            cwd=self.command.home,
            env=self.environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while aimed and process.poll() is None and self._signs() <= signs:
            time.sleep(0.001)
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            return True
        return False

    def _signs(self) -> set[Path]:
        """Changes of which the journal knows how they end, just before they do."""
        return set((self.folder / "state" / "journal").glob("*/after"))


if __name__ == "__main__":
    main()
