"""Docker: whether an engine answers, and whether it can hand GPUs to containers."""

from __future__ import annotations

import re
from typing import Any

from dlsetup.model.machine import Docker
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.probe.docker_engine import engine_info
from dlsetup.probe.host import Host
from dlsetup.probe.notes import Notes, printable

SOCKETS = ("/var/run/docker.sock", "/run/docker.sock")
OWN_SOCKETS = (".docker/run/docker.sock", ".docker/desktop/docker.sock", ".colima/default/docker.sock")
PIPE = "npipe:////./pipe/docker_engine"
DEADLINE = 3.0
TOOLKIT = ("nvidia-ctk", "nvidia-container-cli", "nvidia-container-runtime")


def docker(host: Host, notes: Notes) -> Docker | None:
    """None: neither a client nor an engine. The engine is asked through its socket, never by its text."""
    client = host.which("docker")
    address = _address(host)
    if client is None and address is None:
        return None
    told = _ask(host, notes, address) if address else {}
    engine: str | Unknown | None = None if told is not None else UNKNOWN
    version = told.get("ServerVersion") if told else None
    desktop = "Docker Desktop" in str(told.get("OperatingSystem")) if told else UNKNOWN
    return Docker(
        engine=printable(str(version)) if version else engine,
        runtimes=tuple(sorted(map(str, told.get("Runtimes") or ()))) if told else UNKNOWN,
        cdi_devices=_cdi_devices(host, told),
        nvidia_toolkit=_toolkit(host, desktop),
        snap=_is_snap(host, client, told),
        desktop=desktop,
    )


def _toolkit(host: Host, desktop: bool | Unknown) -> str | None | Unknown:
    """The program on this side; Docker Desktop keeps its own inside its virtual machine."""
    path = next((path for name in TOOLKIT if (path := host.which(name))), None)
    return UNKNOWN if path is None and (desktop is True or host.platform == "win32") else path


def _address(host: Host) -> str | None:
    """Where the engine listens; a client without DOCKER_HOST and without a socket has none."""
    told = host.environ.get("DOCKER_HOST")
    if told:
        return told
    if host.platform == "win32":
        return PIPE if host.which("docker") else None
    rootless = f"{host.environ.get('XDG_RUNTIME_DIR', '/run/user/0')}/docker.sock"
    own = (f"{host.home}/{place}" for place in OWN_SOCKETS)
    path = next((path for path in (*SOCKETS, rootless, *own) if host.is_socket(path)), None)
    return f"unix://{host.local(path)}" if path else None


def _ask(host: Host, notes: Notes, address: str) -> dict[str, Any] | None:
    """What the engine says of itself; None: there is an address but nobody could be asked."""
    try:
        return engine_info(address, DEADLINE)
    except PermissionError:
        reason = "this user may not ask it"
    except Exception as exc:  # the SDK lets errors of every library below it through
        reason = f"it does not answer ({type(exc).__name__})"
    notes.gap("docker.engine", f"a Docker engine is configured, but {reason}", "docker info")
    return None


def _cdi_devices(host: Host, told: dict[str, Any] | None) -> tuple[str, ...] | Unknown:
    """Devices by their CDI name; older engines do not list them, then the files tell their kind."""
    listed = told.get("DiscoveredDevices") if told else None
    if isinstance(listed, list):
        return tuple(printable(str(item.get("ID", ""))) for item in listed if isinstance(item, dict))
    kinds = set()
    for path in (*host.glob("/etc/cdi/*.y*ml"), *host.glob("/var/run/cdi/*.y*ml")):
        kind = re.search(r"^kind:\s*[\"']?([\w./-]+)", host.read(path) or "", re.MULTILINE)
        kinds.add(kind[1] if kind else "")
    return tuple(sorted(kinds - {""}))


def _is_snap(host: Host, client: str | None, told: dict[str, Any] | None) -> bool:
    root = str(told.get("DockerRootDir", "")) if told else ""
    real = host.real(client) if client else ""
    return "/snap/" in root or real.startswith("/snap/") or (client or "").startswith("/snap/")
