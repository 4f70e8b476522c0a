"""`dlsetup verify` as a user calls it, on environments that a test puts together out of parts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
from tiny.wheels import TinyWheel, contents_of, record_line

from dlsetup.model import codec
from dlsetup.show.verify import VerifyDocument

RUN = "TEST_OF_VERIFY"
"""Variable that everything inherits that a run begins, `dlsetup` itself too."""


@dataclass
class Verified:
    """What a run of `verify --json` came to."""

    code: int
    document: dict[str, Any]
    errors: str

    def of(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = next(item for item in self.document["proved"] if item["id"] == name)
        return found

    def findings(self, name: str) -> list[str]:
        return [item["id"] for item in self.of(name).get("findings", ())]

    def explained(self, name: str) -> list[str]:
        return [item["id"] for item in self.of(name).get("explained", ())]


def argv(environment: Path, *words: str) -> list[str]:
    return [sys.executable, "-m", "dlsetup", "verify", "--env", str(environment), *words]


def variables(**more: str) -> dict[str, str]:
    """Those of a user who stands elsewhere; what names GPUs is left out."""
    return {
        **os.environ,
        "PYTHONPATH": str(Path(__file__).parents[2]),
        "PYTHONDONTWRITEBYTECODE": "1",
        **more,
    }


def verify(environment: Path, *words: str, before: Sequence[str] = (), **more: str) -> Verified:
    """Runs it, `before` standing in front of the command. No fault of ours, and nothing is left running."""
    mark = uuid.uuid4().hex
    ran = subprocess.run(
        [*before, *argv(environment, *words, "--json")],
        env=variables(**more, **{RUN: mark}),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert "Traceback" not in ran.stderr, ran.stderr
    document = json.loads(ran.stdout)
    codec.decode(ran.stdout, VerifyDocument, where="stdout")
    assert not survivors(mark)
    return Verified(ran.returncode, document, ran.stderr)


def survivors(mark: str, seconds: float = 5) -> list[str]:
    """Commands that a run began and that still run after so many seconds: the killed may take a moment."""
    until = time.monotonic() + seconds
    while found := [process for process in psutil.process_iter() if _marked(process, mark)]:
        if time.monotonic() > until:
            return [str(process) for process in found]
        time.sleep(0.05)
    return []


def _marked(process: psutil.Process, mark: str) -> bool:
    try:
        return process.environ().get(RUN) == mark and process.status() != psutil.STATUS_ZOMBIE
    except (psutil.Error, OSError):
        return False


def make(folder: Path, *wheels: TinyWheel) -> Path:
    """An environment with these in it, without asking an installer."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    for wheel in wheels:
        contents = contents_of(wheel)
        record = f"{wheel.folder}.dist-info/RECORD"
        contents[record] = "".join(record_line(*item) for item in contents.items()) + f"{record},,\n"
        for name, text in contents.items():
            path = site(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode() if isinstance(text, str) else text)
    return folder


def site(environment: Path) -> Path:
    return next(environment.glob("lib/python*/site-packages"))


def lend(environment: Path, lender: Path, *names: str) -> None:
    """Has packages of another environment seen in this one: `numpy` with its metadata and libraries."""
    for name in names:
        for path in site(lender).glob(f"{name}*"):
            if path.name.split("-")[0].split(".")[0] == name:
                (site(environment) / path.name).symlink_to(path)


def xformers(text: str) -> TinyWheel:
    """A package of the catalog of which only the import is asked."""
    return TinyWheel("xformers", "0.0.33", files={"xformers/__init__.py": text})
