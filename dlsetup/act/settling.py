"""An environment that was built and proved is put into place, with what points to it."""

from __future__ import annotations

from pathlib import Path

from dlsetup.act.environment import Build
from dlsetup.act.interruption import undisturbed
from dlsetup.act.kernels import register
from dlsetup.act.workplace import remove
from dlsetup.plan.environment import Place
from dlsetup.plan.kernel import Kernel


def settle(build: Build, place: Place, kernel: Kernel | None) -> None:
    """Both stay or neither. Short, so an interruption has to wait."""
    with undisturbed():
        build.settle()
        if kernel is None:
            return
        try:
            register(kernel)
        except BaseException:
            remove(Path(place.final))
            raise
