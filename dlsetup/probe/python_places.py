"""Where Pythons and environments are looked for."""

from __future__ import annotations

from collections.abc import Iterator

from dlsetup.probe.host import Host
from dlsetup.probe.pythons import Place, base_python, environment_in, pyenv_root

NAMES = ("python", "python3", *(f"python3.{minor}" for minor in range(8, 17)), "python3.13t", "python3.14t")
PROJECT = (".venv", "venv", "env", ".pixi/envs/default")
CONDA_HOMES = ("miniconda3", "anaconda3", "miniforge3", "mambaforge", "micromamba", "miniconda", "anaconda")
WINDOWS_PYTHONS = ("{LOCALAPPDATA}/Programs/Python/Python3*/python.exe", "C:/Python3*/python.exe")
MAC_TOOLS = ("/Library/Developer/CommandLineTools", "/Applications/Xcode.app/Contents/Developer")
MAC_PYTHONS = ("/Library/Frameworks/Python.framework/Versions/3.*/bin/python3", "/opt/homebrew/bin/python3")
LIMIT = 200


def places(host: Host) -> tuple[Place, ...]:
    """Every Python once: active environments, those of the project, conda's, then base interpreters."""
    found: dict[str, Place] = {}
    for folder in (*active(host), *_environments(host)):
        key = host.real(folder)
        if key not in found and len(found) < LIMIT:
            place = environment_in(host, folder)
            if place is not None:
                found[key] = place
    seen = set(found)
    for path in _interpreters(host):
        key = host.real(path)
        if key not in seen and len(seen) < LIMIT:
            seen.add(key)
            place = base_python(host, path)
            if place is not None:
                found.setdefault(host.real(place.environment.path), place)
    return tuple(found.values())


def active(host: Host) -> list[str]:
    """The environments that a shell says are active, the innermost first."""
    told = (host.environ.get(name, "") for name in ("VIRTUAL_ENV", "CONDA_PREFIX"))
    return [host.slashes(folder).rstrip("/") for folder in told if folder]


def project(host: Host) -> list[str]:
    """Where people keep the environment of the project they stand in."""
    return [f"{host.folder.rstrip('/')}/{name}" for name in PROJECT]


def first_on_path(host: Host) -> str | None:
    """What `python` starts: the version that pyenv has chosen where its shim comes first."""
    for name in ("python", "python3"):
        path = host.which(name)
        if path is None or "WindowsApps" in path or _installs_itself(host, path):
            continue
        return _behind_shim(host) or path if path.startswith(f"{pyenv_root(host)}/shims/") else path
    return None


def _installs_itself(host: Host, path: str) -> bool:
    """Whether starting it would open a window: Apple's stub, as long as its developer tools are missing."""
    if host.platform != "darwin" or not path.startswith("/usr/bin/"):
        return False
    return not any(host.is_file(f"{folder}/usr/bin/python3") for folder in MAC_TOOLS)


def _behind_shim(host: Host) -> str | None:
    """pyenv asks PYENV_VERSION, then `.python-version` here or above, then its own file."""
    told = host.environ.get("PYENV_VERSION", "").replace(":", " ")
    folder = host.folder.rstrip("/")
    while not told and folder:
        told = host.read(f"{folder}/.python-version", 4096) or ""
        folder = folder.rpartition("/")[0]
    told = told or host.read(f"{pyenv_root(host)}/version", 4096) or ""
    for version in told.split():
        path = f"{pyenv_root(host)}/versions/{version}/bin/python"
        if host.is_file(path):
            return path
    return None


def _environments(host: Host) -> Iterator[str]:
    yield from project(host)
    if host.own:
        yield host.own
    roots = [root for root in _conda_roots(host) if host.is_folder(root)]
    yield from roots
    for root in roots:
        yield from (f"{root}/envs/{name}" for name in _shown(host, f"{root}/envs"))
    listed = (host.read(f"{host.home}/.conda/environments.txt") or "").splitlines()
    yield from (line.strip().rstrip("/") for line in listed[:LIMIT] if line.strip())
    versions = f"{pyenv_root(host)}/versions"
    yield from (f"{versions}/{name}" for name in host.names(versions))
    workshop = host.environ.get("WORKON_HOME") or f"{host.home}/.virtualenvs"
    yield from (f"{workshop}/{name}" for name in _shown(host, workshop))


def _shown(host: Host, folder: str) -> Iterator[str]:
    """Names in a folder. A former environment that is kept for an undo is hidden, and none to be offered."""
    return (name for name in host.names(folder) if not name.startswith("."))


def _conda_roots(host: Host) -> list[str]:
    versions = f"{pyenv_root(host)}/versions"
    told = [
        host.environ.get("CONDA_EXE", "").rpartition("/bin/")[0],
        host.environ.get("MAMBA_ROOT_PREFIX", ""),
        host.environ.get("CONDA_PREFIX", "").partition("/envs/")[0],
        *(f"{versions}/{name}" for name in host.names(versions) if name.startswith(CONDA_HOMES)),
    ]
    usual = [f"{base}/{name}" for base in (host.home, "/opt") for name in CONDA_HOMES]
    return list(dict.fromkeys(root.rstrip("/") for root in (*told, "/opt/conda", *usual) if root.rstrip("/")))


def _interpreters(host: Host) -> Iterator[str]:
    """Interpreters on PATH except the shims of pyenv and its like, in /usr/bin, and those of pyenv and uv."""
    folders = dict.fromkeys((*host.variable_paths("PATH"), "/usr/bin", "/usr/local/bin"))
    for folder in folders if host.platform != "win32" else ():
        if not folder.endswith("/shims"):
            paths = (path for name in NAMES if host.is_file(path := f"{folder}/{name}"))
            yield from (path for path in paths if not _installs_itself(host, path))
    versions = f"{pyenv_root(host)}/versions"
    yield from (f"{versions}/{name}/bin/python" for name in host.names(versions))
    yield from _of_uv(host)
    patterns = {"darwin": MAC_PYTHONS, "win32": WINDOWS_PYTHONS}.get(host.platform, ())
    for pattern in patterns:
        yield from host.glob(pattern.format(LOCALAPPDATA=host.environ.get("LOCALAPPDATA", "C:")))


def _of_uv(host: Host) -> Iterator[str]:
    data = host.environ.get("XDG_DATA_HOME") or f"{host.home}/.local/share"
    if host.platform == "win32":
        data = host.environ.get("APPDATA", "C:")
    home = host.environ.get("UV_PYTHON_INSTALL_DIR") or f"{data}/uv/python"
    for name in host.names(home):
        tail = "python.exe" if host.platform == "win32" else "bin/python"
        if not name.startswith("."):
            yield f"{home}/{name}/{tail}"
