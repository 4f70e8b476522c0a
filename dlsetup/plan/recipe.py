"""An image before it has the form of a file: what is in it, what it needs, how it is started."""

from __future__ import annotations

from collections.abc import Iterable

from packaging.utils import canonicalize_name

from dlsetup.model.errors import UsageError
from dlsetup.model.framework import Accelerator, Framework
from dlsetup.model.hardware import Hardware
from dlsetup.model.image import Purpose, SystemPackages
from dlsetup.model.record import Record
from dlsetup.plan.base_image import Base
from dlsetup.plan.contents import Contents
from dlsetup.rules.driver import driver_floor
from dlsetup.rules.installed import asked_for
from dlsetup.rules.kernels import name_of

PORT = 8000
USER = 1000
"""Whoever runs in the image; the first account of most hosts has the same number."""
SHARED_MEMORY = 8
"""GiB of /dev/shm: workers of a DataLoader and NCCL hand over their data there, and 64 MB end in a bus error."""
SERVER_FILES = ("serve.py", "model.py")
"""What answers requests, and the model of one framework."""
SERVERS = {"onnxruntime": "onnxruntime", "torch": "torch"}
"""Frameworks for which there is a server, and what it is called."""


class Recipe(Record, frozen=True, kw_only=True):
    """Everything that the files of an image say."""

    name: str
    """Of the image: `demo`, `lab/demo:2`."""
    purpose: Purpose
    base: Base
    python: str
    """`3.12`."""
    holds: tuple[str, ...]
    """`torch 2.14.1 (cu126)`."""
    imports: tuple[str, ...]
    target: str
    """In the words of `--target`."""
    lock: str
    """SHA-256 of `pylock.toml`."""
    uv: str
    """The version of uv that installs it."""
    system_packages: tuple[str, ...] = ()
    device: Accelerator | None = None
    """What it computes on; None: the CPU."""
    requirement: str = ""
    """What the container runtime of NVIDIA asks of the host before it starts the image."""
    server: str = ""
    """Name of the server; empty: none."""
    compiles: bool = False
    mounts: bool = True
    """Whether the builder is BuildKit, which keeps what was fetched between two builds."""


def recipe_for(
    contents: Contents, base: Base, known: Iterable[SystemPackages], **more: object
) -> Recipe:
    """The recipe; `more`: the parts of it that are not found out here."""
    asked = (name for build in contents.builds for name in asked_for(build))
    names = {canonicalize_name(name) for name in (*contents.packages, *asked)}
    needed = [
        name
        for row in known
        if row.distribution in names and contents.purpose in row.purposes
        for name in row.names
    ]
    tools = ("git", "openssh-client") if contents.purpose == "dev" else ()
    return Recipe(
        purpose=contents.purpose,
        base=base,
        python=str(contents.python),
        holds=tuple(map(name_of, contents.builds)),
        system_packages=tuple(sorted({*needed, *tools})),
        device=next(iter(contents.accelerators), None),
        compiles=contents.compiles,
        **more,  # type: ignore[arg-type]
    )


def requirement_of(contents: Contents, hardware: Hardware) -> str:
    """The oldest driver that runs the builds, as NVIDIA_REQUIRE_CUDA says it; empty where no row tells."""
    if contents.cuda is None:
        return ""
    floor = driver_floor(contents.cuda, hardware, windows=False)
    return "" if floor is None else f"driver>={floor[0]}"


def server_of(contents: Contents) -> str:
    """The server for the builds. Raises `UsageError` where there is none."""
    if contents.purpose != "serve":
        return ""
    for build in contents.builds:
        if build.framework in SERVERS:
            return SERVERS[build.framework]
    raise UsageError(
        f"there is no server for {' and '.join(build.framework for build in contents.builds)}",
        hint="export the model to ONNX, and serve it with `onnxruntime`",
    )


def imports_of(contents: Contents, frameworks: Iterable[Framework]) -> tuple[str, ...]:
    """The modules that prove that it works."""
    known = {item.name: item.imports for item in frameworks}
    return tuple(known[build.framework] for build in contents.builds if build.framework in known)
