"""What a pasted report says beside the facts of a machine: messages, answers, commands, files that ask."""

from __future__ import annotations

from typing import Literal

from dlsetup.model.record import UNKNOWN, Record, Unknown


class Message(Record, frozen=True, kw_only=True):
    """Something a program printed, recognised by a signature of the catalog."""

    signature: str
    """Id of the signature, such as `torch-driver-too-old`."""
    values: tuple[tuple[str, str], ...] = ()
    """What the named groups of its pattern held."""
    text: str
    """The line, cleaned and bounded."""
    source: str
    """`run.log:12`."""

    def value(self, name: str) -> str | None:
        """What one named group held; None: it took no part."""
        return next((value for key, value in self.values if key == name), None)


class Observation(Record, frozen=True, kw_only=True):
    """What a program answered when it was asked: `torch.cuda.is_available` was `False`."""

    subject: str
    """Dotted, without brackets: `torch.cuda.is_available`, `jax.devices`, `torch.__version__`."""
    value: str
    source: str


class Command(Record, frozen=True, kw_only=True):
    """A command that was run or is about to be, in the order of the report."""

    words: tuple[str, ...]
    """Split as a shell would, without the prompt, `sudo` and leading `NAME=value`."""
    kind: Literal["shell", "build"] = "shell"
    """`build`: a RUN of a Dockerfile."""
    source: str


class Asked(Record, frozen=True, kw_only=True):
    """One line of a file or of an install command that asks for a package; it need not be installed."""

    name: str
    """Of the distribution as Python calls it: conda's `pytorch` is `torch`."""
    specifier: str = ""
    """PEP 440 for pip, a match spec's version and build for conda; empty: any version."""
    installer: Literal["pip", "conda", "system"] = "pip"
    extras: tuple[str, ...] = ()
    """What stands in brackets behind the name: `and-cuda`, `cuda12`."""
    index: str = ""
    """Index address or conda channel that the line names for it."""
    beside: bool = False
    """Whether that index is asked beside the default one, so that the newest of both comes."""
    source: str


class Contained(Record, frozen=True, kw_only=True):
    """How a container is built or started: by a recipe, a compose file, a command, a pod."""

    kind: Literal["dockerfile", "compose", "run", "pod", "cog", "devcontainer", "apptainer"]
    tool: str = ""
    """Program that starts it, `docker`, `podman`, `singularity`; empty: the kind tells."""
    name: str = ""
    """Of a service of a compose file."""
    image: str | Unknown = UNKNOWN
    """Base image of a Dockerfile (its last stage), or the image that is started."""
    gpus: bool | Unknown = UNKNOWN
    """Whether GPUs are asked for."""
    shm_bytes: int | None | Unknown = UNKNOWN
    """Size of /dev/shm that is asked for; None: none is, so the default of 64 MiB holds."""
    host_ipc: bool | Unknown = UNKNOWN
    platform: str = ""
    """`linux/arm64`; empty: that of the host."""
    built: bool = False
    """Whether a recipe beside it is built for it (`build:` of a service)."""
    command: str = ""
    """What it starts, as far as that is said."""
    settings: tuple[str, ...] = ()
    """Of the environment variables that it is given those that name devices, each `NAME=value`."""
    devices: tuple[str, ...] = ()
    volumes: tuple[str, ...] = ()
    source: str


class Stage(Record, frozen=True, kw_only=True):
    """One stage of a Dockerfile: what it begins with, and what it does."""

    image: str
    """The image at its root, through all stages that it builds on; a variable without a value stays in it."""
    above: str = ""
    """Source of the stage that it builds on; empty: none."""
    last: bool = False
    """Whether it is the image that the file makes."""
    platform: str = ""
    """`linux/arm64`; empty: that of the builder."""
    runs: tuple[str, ...] = ()
    """Its RUN instructions, each on one line."""
    copies: tuple[str, ...] = ()
    """What it copies from other stages and images: `--from=build /usr/local/cuda /usr/local/cuda`."""
    starts: str = ""
    """ENTRYPOINT and CMD."""
    indexes: tuple[str, ...] = ()
    """Names of the variables that hold in it and have installers ask other indexes: `PIP_INDEX_URL`."""
    source: str
    """Place of its FROM."""
    end: str
    """Place of its last line."""


class Report(Record, frozen=True, kw_only=True):
    """Empty for a machine that was looked at."""

    messages: tuple[Message, ...] = ()
    observations: tuple[Observation, ...] = ()
    commands: tuple[Command, ...] = ()
    asked: tuple[Asked, ...] = ()
    containers: tuple[Contained, ...] = ()
    stages: tuple[Stage, ...] = ()
    lines: int = 0
    """How many were read; 0: this is no report."""
