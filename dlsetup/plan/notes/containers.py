"""GPUs for containers: the engine, NVIDIA's container toolkit, and how the engine is told of it."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from dlsetup.judge.checks.docker import GUIDE, install_toolkit
from dlsetup.judge.container_tools import CDI, CONFIGURE
from dlsetup.judge.evidence import of_package
from dlsetup.judge.linux_families import FAMILIES, Family, install_packages, remove_packages
from dlsetup.model.finding import Evidence
from dlsetup.model.machine import Docker, Tool
from dlsetup.model.note import NoteStep
from dlsetup.model.record import Unknown
from dlsetup.plan.notes.steps import ask, needed, optional, right
from dlsetup.plan.notes.subject import Subject, of_tool

TRY_DOCKER = ("docker run --rm --gpus all ubuntu nvidia-smi",)
TRY_PODMAN = (
    "podman run --rm --device nvidia.com/gpu=all --security-opt=label=disable ubuntu nvidia-smi -L",
)
SIGN = "the same GPUs as `nvidia-smi` shows outside"
ENGINE = "https://docs.docker.com/engine/install/"


def container_steps(subject: Subject) -> Iterator[NoteStep]:
    """For the engine that is here: Docker, Podman, or both."""
    docker, podman = subject.scene.machine.docker, tool(subject, "podman")
    if isinstance(docker, Docker) and docker.desktop is True:
        yield of_desktop(docker)
        return
    if isinstance(docker, Unknown) and podman is None:
        why = "The toolkit is told to the engine that is here."
        yield ask("engine", "See which container engine there is", why, ("docker info", "podman --version"))
        yield from _toolkit(subject)
        yield from _tell_docker(subject)
        yield replace(_tell_podman(subject), state="optional", only_if="Podman is the engine here")
        return
    if docker is None and podman is None:
        yield _engine(subject)
    else:
        yield from _engines(subject)
    yield from _toolkit(subject)
    by_podman = podman is not None or (docker is None and _by_podman(subject))
    if isinstance(docker, Docker) or not by_podman:
        yield from _tell_docker(subject)
    if by_podman:
        yield _tell_podman(subject)


def of_desktop(docker: Docker) -> NoteStep:
    """Docker Desktop hands GPUs over by means of its own."""
    engine = Evidence(fact="Docker Desktop", value=str(docker.engine), source="the Docker engine")
    return right(
        "engine",
        "Docker Desktop hands the GPU to containers by itself",
        [engine],
        check=TRY_DOCKER,
        sign=SIGN,
    )


def tool(subject: Subject, name: str) -> Tool | None:
    """A program of the machine."""
    known = subject.scene.machine.tools
    return (
        next((item for item in known if item.name == name), None) if not isinstance(known, Unknown) else None
    )


def _by_podman(subject: Subject) -> bool:
    """Whether the system's own engine is Podman."""
    return subject.family in ("fedora", "rhel")


def _engine(subject: Subject) -> NoteStep:
    """The engine that the system itself has: Podman in the family of Red Hat, Docker elsewhere."""
    by_podman = _by_podman(subject)
    packages: dict[Family, tuple[str, ...]] = dict.fromkeys(FAMILIES, ("docker",))
    packages |= {
        "ubuntu": ("docker.io",),
        "debian": ("docker.io",),
        "fedora": ("podman",),
        "rhel": ("podman",),
    }
    commands = install_packages(subject.scene, packages)
    starts = () if by_podman or not commands else ("sudo systemctl enable --now docker",)
    make = needed if commands else ask
    return make(
        "engine",
        f"Install {'Podman' if by_podman else 'Docker'}",
        f"There is no container engine here; {ENGINE} has Docker's own packages, which are newer.",
        (*commands, *starts) or ("cat /etc/os-release",),
        check=(f"{'podman' if by_podman else 'docker'} --version",),
        sign="a version",
        undo=remove_packages(subject.scene, packages[subject.family]) if subject.family else (),
    )


def _engines(subject: Subject) -> Iterator[NoteStep]:
    docker = subject.scene.machine.docker
    podman = tool(subject, "podman")
    if isinstance(docker, Docker) and docker.snap is True:
        yield needed(
            "snap",
            f"Exchange Docker from snap for Docker's own packages ({ENGINE})",
            "The snap is confined and does not see the toolkit of the host.",
            ("sudo snap remove docker",),
            check=("docker info",),
            sign="a server version",
            undo=("sudo snap install docker",),
        )
    elif isinstance(docker, Docker):
        yield from _docker(docker)
    if podman is not None:
        version = podman.version if isinstance(podman.version, str) else ""
        yield right("podman", "Podman is here", [of_tool("podman", version, podman.path)])


def _docker(docker: Docker) -> Iterator[NoteStep]:
    if isinstance(docker.engine, str):
        evidence = Evidence(fact="Docker engine", value=docker.engine, source="the Docker engine")
        yield right("engine", "A Docker engine answers", [evidence])
    elif docker.engine is None:
        yield needed(
            "engine",
            "Start the Docker engine",
            "The client is here, and no engine answers.",
            ("sudo systemctl enable --now docker",),
            check=("docker info",),
            sign="a server version",
            undo=("sudo systemctl disable --now docker",),
        )
    else:
        why = "An engine is configured that this user could not ask; members of the group `docker` may."
        yield ask("engine", "See whether the Docker engine answers", why, ("sudo docker info", "id -nG"))


def _toolkit(subject: Subject) -> Iterator[NoteStep]:
    """NVIDIA's packages, unless they are there."""
    docker = subject.scene.machine.docker
    there = subject.package("nvidia-container-toolkit")
    known = docker.nvidia_toolkit if isinstance(docker, Docker) else None
    if there is not None or isinstance(known, str):
        path = Evidence(fact="NVIDIA container toolkit", value=str(known), source="PATH")
        yield right(
            "toolkit", "NVIDIA's container toolkit is installed", [of_package(there) if there else path]
        )
        return
    commands = install_toolkit(subject.scene)
    row = next((row for row in subject.facts.container_sources if subject.family in row.families), None)
    if not commands or row is None:
        why = f"{GUIDE} has the commands for each package manager."
        yield ask(
            "toolkit", "Find out the system, and install the toolkit for it", why, ("cat /etc/os-release",)
        )
        return
    sure = isinstance(docker, Docker) and docker.nvidia_toolkit is None
    listed = not isinstance(subject.scene.machine.packages, Unknown) and not subject.scene.machine.partial
    only_if = "" if sure or listed else "`nvidia-ctk --version` does not find it"
    tegra = subject.scene.on_tegra is True
    if row.commands and not tegra:
        yield needed(
            "repository",
            "Make NVIDIA's repository of the toolkit known",
            "The toolkit comes from it, for every release of this family of systems.",
            row.commands,
            only_if=only_if,
            undo=row.undo,
            sources=subject.sources(row.source),
        )
    yield needed(
        "toolkit",
        f"Install NVIDIA's container toolkit{' of JetPack' if tegra else ''}",
        "It puts the driver's libraries and devices of the host into containers.",
        commands,
        only_if=only_if,
        check=("nvidia-ctk --version",),
        sign="a version",
        undo=remove_packages(subject.scene, ("nvidia-container-toolkit",)),
        sources=subject.sources(row.source),
    )


def _tell_docker(subject: Subject) -> Iterator[NoteStep]:
    docker = subject.scene.machine.docker
    runtimes = docker.runtimes if isinstance(docker, Docker) else ()
    if not isinstance(runtimes, Unknown) and any("nvidia" in name for name in runtimes):
        evidence = Evidence(fact="Docker runtimes", value=", ".join(runtimes), source="the Docker engine")
        yield right("configure", "Docker knows the runtime `nvidia`", [evidence], check=TRY_DOCKER, sign=SIGN)
        return
    yield needed(
        "configure",
        "Tell Docker of the toolkit, and start it anew",
        "It writes the runtime `nvidia` into /etc/docker/daemon.json and keeps what else is in there. "
        "Containers that run are stopped by the restart.",
        CONFIGURE,
        only_if="`docker info` does not list the runtime `nvidia`" if isinstance(docker, Unknown) else "",
        check=TRY_DOCKER,
        sign=SIGN,
        undo_words="take the entry `nvidia` out of `runtimes` in /etc/docker/daemon.json, and restart Docker",
        sources=(GUIDE,),
    )
    yield optional(
        "rootless",
        "For rootless Docker, tell the engine of the user instead",
        "An engine without root has settings of its own, and may not set up control groups for devices.",
        (
            'nvidia-ctk runtime configure --runtime=docker --config="$HOME/.config/docker/daemon.json"',
            "systemctl --user restart docker",
            "sudo nvidia-ctk config --set nvidia-container-cli.no-cgroups=true --in-place",
        ),
        only_if="`docker info` lists `rootless` among its security options",
        check=TRY_DOCKER,
        sign=SIGN,
        undo=("sudo nvidia-ctk config --set nvidia-container-cli.no-cgroups=false --in-place",),
        sources=(GUIDE,),
    )


def _tell_podman(subject: Subject) -> NoteStep:
    docker = subject.scene.machine.docker
    devices = docker.cdi_devices if isinstance(docker, Docker) else ()
    if not isinstance(devices, Unknown) and any("nvidia.com/gpu" in name for name in devices):
        evidence = Evidence(fact="CDI devices", value=", ".join(devices), source="/etc/cdi")
        return right(
            "cdi", "A CDI specification of the GPUs is there", [evidence], check=TRY_PODMAN, sign=SIGN
        )
    return needed(
        "cdi",
        "Write the CDI specification of the GPUs for Podman",
        "Podman takes devices by their CDI names, with root and without. Write it anew after each "
        "change of driver or MIG.",
        CDI,
        check=TRY_PODMAN,
        sign=SIGN,
        undo=("sudo rm /etc/cdi/nvidia.yaml",),
        sources=(GUIDE,),
    )
