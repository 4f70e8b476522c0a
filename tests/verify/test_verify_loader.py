"""What is predicted of the loader is what it does: real shared objects in many layouts."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from elf_maker import Maker, compiler

from dlsetup.model.libraries import Observed
from dlsetup.model.loading import LoaderSettings
from dlsetup.probe.host import Host
from dlsetup.probe.loader import settings_of
from dlsetup.probe.loader_files import LoaderFiles
from dlsetup.rules.loader import Process, Refused
from dlsetup.rules.loader_agreement import differences
from dlsetup.verify.loader import taken
from dlsetup.verify.loader_trace import searches

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux") or compiler() is None or not Path("/etc/ld.so.cache").exists(),
    reason="needs gcc and the loader of glibc",
)


@pytest.fixture(scope="module")
def maker(tmp_path_factory: pytest.TempPathFactory) -> Maker:
    return Maker(tmp_path_factory.mktemp("made"))


class World:
    """A program in a folder, the variables it is started with, and what becomes of what it opens."""

    def __init__(self, program: Path, folder: Path, **variables: str) -> None:
        self.program = program
        self.folder = folder
        kept = {name: value for name, value in os.environ.items() if not name.startswith("LD_")}
        self.environ = {**kept, **variables}
        self.host = Host.here(self.environ)
        self.host.folder = str(folder)
        self.settings: LoaderSettings = settings_of(self.host, os.path.realpath(program))

    def predicted(self, *names: str) -> tuple[Process, str]:
        process = Process(self.settings, LoaderFiles(self.host))
        failure = ""
        for name in names:
            try:
                process.open(name)
            except Refused as exc:
                failure = failure or str(exc)
        return process, failure

    def observed(self, *names: str) -> Observed:
        trace = self.folder / "trace"
        ran = subprocess.run(
            [str(self.program), *names],
            env={**self.environ, "LD_DEBUG": "libs", "LD_DEBUG_OUTPUT": str(trace)},
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
        )
        (written,) = self.folder.glob("trace.*")
        seen = tuple(taken(item, str(self.program)) for item in searches(written.read_text()))
        written.unlink()
        return Observed(program="it", seen=seen, failure=ran.stdout.partition("\n")[0])

    def predicted_not_to_start(self) -> str:
        try:
            Process(self.settings, LoaderFiles(self.host))
        except Refused as exc:
            return str(exc)
        return ""

    def refuses_to_start(self) -> str:
        """The library that the real loader misses, which ends the program before its first line."""
        ran = subprocess.run(
            [str(self.program)], env=self.environ, capture_output=True, text=True, check=False
        )
        assert ran.returncode == 127
        return ran.stderr.split("error while loading shared libraries: ")[1].partition(":")[0]

    def agree(self, *names: str) -> tuple[Process, str]:
        """The prediction, after it was seen to be right."""
        process, failure = self.predicted(*names)
        observed = self.observed(*names)
        assert list(differences("it", process, failure, observed)) == []
        return process, failure


def winner(process: Process, name: str) -> Path:
    resident = process.resident(name)
    assert resident is not None
    return Path(resident.real)


PLACES = ("own", "wheel", "conda", "system", "other")


@pytest.mark.parametrize("seed", range(60))
def test_the_prediction_is_what_happens(seed: int, maker: Maker, tmp_path: Path) -> None:
    """A consumer, what it needs, and what that needs, with copies anywhere and every kind of folder list."""
    dice = random.Random(seed)

    def some(most: int = 3) -> list[str]:
        return dice.sample(PLACES, dice.randint(0, most))

    def listed(style: str) -> str:
        return ":".join(f"{style}/../{place}" for place in some())

    def lists() -> dict[str, str]:
        kind = dice.choice(("", "rpath", "runpath"))
        return {kind: listed("$ORIGIN")} if kind else {}

    for place in PLACES:
        (tmp_path / place).mkdir()
    for place in dice.sample(PLACES, dice.randint(1, 4)):
        maker.library(tmp_path / place / "libcudart.so.12", "libcudart.so.12", **lists())
    for place in dice.sample(PLACES, dice.randint(1, 4)):
        path = tmp_path / place / "libcublas.so.12"
        maker.library(path, "libcublas.so.12", needs=["libcudart.so.12"], **lists())
    maker.library(
        tmp_path / "own" / "libuser.so",
        needs=dice.sample(["libcublas.so.12", "libcudart.so.12"], 2),
        **lists(),
    )
    program = maker.program(tmp_path / "own" / "program", **lists())
    variables = {}
    if dice.random() < 0.6:
        variables["LD_LIBRARY_PATH"] = ":".join(str(tmp_path / place) for place in some())
    if dice.random() < 0.3:
        preloaded = dice.choice(sorted(tmp_path.glob("*/libcu*")))
        variables["LD_PRELOAD"] = dice.choice([str(preloaded), preloaded.name])
    world = World(program, tmp_path, **variables)
    opened = [str(tmp_path / "own" / "libuser.so"), "libcublas.so.12", "libcudart.so.12"]
    if dice.random() < 0.3:
        opened.insert(0, str(dice.choice(sorted(tmp_path.glob("*/libcu*")))))
    missed = world.predicted_not_to_start()
    if missed:
        assert world.refuses_to_start() in missed
    else:
        world.agree(*opened)
