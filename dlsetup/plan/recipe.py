"""An image before it has the form of a file: what is in it, what it needs, how it is started."""

from __future__ import annotations

from collections.abc import Iterable

from packaging.utils import canonicalize_name

from dlsetup.model.errors import UsageError
from dlsetup.model.framework import Accelerator
from dlsetup.model.hardware import Hardware
from dlsetup.model.image import Purpose, SystemPackages
from dlsetup.model.record import Record
from dlsetup.plan.base_image import Base
from dlsetup.plan.contents import Contents
from dlsetup.rules.driver import driver_floor
from dlsetup.rules.installed import asked_for
from dlsetup.rules.kernels import name_of

USER = 1000
"""Whoever runs in the image; the first account of most hosts has the same number."""
SHARED_MEMORY = 8
"""GiB of /dev/shm: workers of a DataLoader and NCCL hand data over there; 64 MB end in a bus error."""


class Handing(Record, frozen=True, kw_only=True):
    """How a container gets the devices of a vendor that has no runtime of its own."""

    devices: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    privileged: bool = False


HANDINGS: dict[Accelerator | None, Handing] = {
    "rocm": Handing(devices=("/dev/kfd", "/dev/dri"), groups=("video", "render")),
    "xpu": Handing(devices=("/dev/dri",), groups=("render",)),
    "tpu": Handing(privileged=True),
}


class Server(Record, frozen=True, kw_only=True):
    """What answers requests in an image."""

    program: str = ""
    """Name of the model's program among ours; empty: the base image has a server of its own."""
    port: int = 8000
    health: tuple[str, ...] = ("python", "/opt/serve.py", "--check")
    start: tuple[str, ...] = ("python", "/opt/serve.py")


SERVERS = {name: Server(program=name) for name in ("onnxruntime", "torch")}
"""By framework."""
_ASK = "GET /v1/models/$MODEL_NAME HTTP/1.0\\r\\n\\r\\n"
TENSORFLOW_SERVING = Server(
    port=8501,
    health=(
        "bash",
        "-c",
        f'exec 3<>/dev/tcp/127.0.0.1/8501 && printf "{_ASK}" >&3 && grep -q AVAILABLE <&3',
    ),
    start=(),
)
"""Of images `tensorflow/serving`: neither Python nor curl is in them, and `bash` can ask a port."""


class Recipe(Record, frozen=True, kw_only=True):
    """Everything that the files of an image say."""

    name: str
    """Of the image: `demo`, `lab/demo:2`."""
    purpose: Purpose
    base: Base
    python: str = ""
    """`3.12`; empty: no packages are installed."""
    holds: tuple[str, ...]
    """`torch 2.14.1 (cu126)`."""
    asks: tuple[str, ...] = ()
    """What an installer is asked for: `torch==2.14.1+cu126`."""
    imports: tuple[str, ...] = ()
    """Modules that prove that it works."""
    target: str
    """In the words of `--target`."""
    lock_name: str = ""
    """`pylock.toml` or `requirements.txt`."""
    lock: str = ""
    """SHA-256 of it."""
    uv: str = ""
    """The version of uv that installs it."""
    system_packages: tuple[str, ...] = ()
    device: Accelerator | None = None
    """What it computes on; None: the CPU."""
    requirement: str = ""
    """What the container runtime of NVIDIA asks of the host before it starts the image."""
    server: Server | None = None
    compiles: bool = False
    mounts: bool = True
    """Whether the builder is BuildKit, which keeps what was fetched between two builds."""

    @property
    def handing(self) -> Handing:
        """How its devices are handed over; nothing where NVIDIA's runtime does it, or there are none."""
        return HANDINGS.get(self.device, Handing())

    @property
    def folder(self) -> str:
        """Where the user's files are."""
        return "/models" if self.server else "/work"


def recipe_for(contents: Contents, base: Base, known: Iterable[SystemPackages], **more: object) -> Recipe:
    """The recipe; `more`: the parts of it that are not found out here. Raises `UsageError`."""
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
        asks=tuple(dict.fromkeys(text for build in contents.builds for text in build.requirements)),
        system_packages=tuple(sorted({*needed, *tools})),
        device=next(iter(contents.accelerators), None),
        compiles=contents.compiles,
        server=_server(contents),
        **more,  # type: ignore[arg-type]
    )


def requirement_of(contents: Contents, hardware: Hardware) -> str:
    """The oldest driver that runs the builds, as NVIDIA_REQUIRE_CUDA says it; empty where no row tells."""
    if contents.cuda is None:
        return ""
    floor = driver_floor(contents.cuda, hardware, windows=False)
    return "" if floor is None else f"driver>={floor[0]}"


def _server(contents: Contents) -> Server | None:
    """The server for the builds. Raises `UsageError` where there is none."""
    if contents.purpose != "serve":
        return None
    for build in contents.builds:
        if build.framework in SERVERS:
            return SERVERS[build.framework]
    raise UsageError(
        f"there is no server for {' and '.join(build.framework for build in contents.builds)}",
        hint="export the model to ONNX and serve it with `onnxruntime`, or name `tensorflow` alone",
    )
