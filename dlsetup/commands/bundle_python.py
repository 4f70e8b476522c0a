"""The Python that goes along with a bundle (`--python-too`)."""

from __future__ import annotations

import tempfile
from pathlib import Path

from dlsetup.act.uv import find_uv, run_uv
from dlsetup.model.bundle import Fetched
from dlsetup.model.errors import StepFailed
from dlsetup.model.resolution import Plan
from dlsetup.plan.bundle_tools import python_for
from dlsetup.probe.host import Host
from dlsetup.rules.wheels import platform_of


def python_of(plan: Plan, host: Host) -> tuple[str, Fetched]:
    """uv's name of the Python for the target, and its file. Raises `StepFailed` where uv knows none."""
    uv = find_uv(host.environ)
    words = ("--only-downloads", "--all-platforms", "--output-format", "json", str(plan.python))
    listing = run_uv((uv, "python", "list", *words), host.environ).out
    found = python_for(listing, plan, host.environ.get("UV_PYTHON_INSTALL_MIRROR", ""))
    if found is None:
        raise StepFailed(
            f"uv knows no build of Python {plan.python} for {platform_of(plan.target)}.",
            hint="leave out `--python-too`, and bring a Python there in another way.",
        )
    return found


def check_python(key: str, part: Path, host: Host) -> None:
    """Has uv install it where it is gone afterwards: only uv knows its hash. Raises `StepFailed`."""
    uv = find_uv(host.environ)
    mirror = (part / "python").as_uri()
    environ = {**host.environ, "UV_PYTHON_INSTALL_MIRROR": mirror, "UV_PYTHON_DOWNLOADS": "manual"}
    environ.pop("UV_PYTHON_CACHE_DIR", None)
    with tempfile.TemporaryDirectory(prefix="dlsetup-python-") as folder:
        words = ("--install-dir", folder, "--no-bin", "--no-registry", key)
        try:
            run_uv((uv, "python", "install", *words), environ)
        except StepFailed as error:
            raise StepFailed(
                f"the Python that was fetched is not the one that uv knows: {error.message}",
                hint="remove it and try again; if it stays so, do not trust where it comes from "
                "(`UV_PYTHON_INSTALL_MIRROR`).",
            ) from error
