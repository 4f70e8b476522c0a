"""Commands that fit the examined environment, quoted so that they can be pasted.

Names, versions and paths come from outside. POSIX shells get everything through `shlex.quote`; a
Windows command that holds anything but plain characters is not written at all.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath, PureWindowsPath

from dlsetup.judge.scene import Scene
from dlsetup.judge.shown_installer import into_tool, names_python, pip_of, tool_of
from dlsetup.model.framework import Build
from dlsetup.model.machine import Distribution, Environment
from dlsetup.model.record import Unknown
from dlsetup.model.report import Command

ASK_TORCH = 'python -c "import torch; print(torch.zeros(1).cuda())"'
"""What settles whether torch computes on this GPU under this driver."""
PIP = "python -m pip"
_PLAIN = re.compile(r"[\w./:\\@+=,~-]+")
_QUOTABLE = re.compile(r"[\w./:\\@+=,~<>!;\[\]()* -]+")


def line(scene: Scene, argv: Sequence[str]) -> tuple[str, ...]:
    """One command line, or none where a word cannot be quoted safely for that system's shell."""
    if scene.machine.system.os != "windows":
        return (" ".join(_posix_word(word) for word in argv),)
    if not all(_QUOTABLE.fullmatch(word) for word in argv):
        return ()
    return (" ".join(word if _PLAIN.fullmatch(word) else f'"{word}"' for word in argv),)


def quoted(scene: Scene, command: str, values: Mapping[str, str]) -> str:
    """A command of the catalog with values in place of `{name}`, each quoted as one word.

    Empty where a value is missing or cannot be quoted safely for that system's shell.
    """
    for name in re.findall(r"\{(\w+)\}", command):
        if name not in values:
            return ""
        word = line(scene, [values[name]])
        if not word:
            return ""
        command = command.replace(f"{{{name}}}", word[0])
    return command


def of_catalog(scene: Scene, command: str) -> str:
    """A command of the catalog with the quotes of this system and the Python of the environment."""
    if scene.machine.system.os == "windows" and '"' not in command:
        command = command.replace("'", '"')
    argv = _installer(scene, "install")[:-1]
    if not command.startswith(PIP) or not argv or argv[0] == "uv":
        return command
    return "".join(line(scene, argv)) + command.removeprefix(PIP) if line(scene, argv) else command


def install(scene: Scene, requirements: Sequence[str], *, index: str | None = None) -> tuple[str, ...]:
    """The command that installs requirements into the examined environment, from one index if told."""
    tool = _tool(scene)
    if tool is not None:
        argv = into_tool(tool.words, requirements, index)
        return line(scene, argv) if argv else ()
    argv = _installer(scene, "install")
    if not argv:
        return ()
    return line(scene, [*argv, *_from_index(argv[0], index), *requirements])


def reinstall(scene: Scene, names: Sequence[str]) -> tuple[str, ...]:
    """The command that writes the files of installed distributions again, in their present versions."""
    argv = _installer(scene, "install")
    pins = [f"{item.name}=={item.version}" for name in names for item in scene.copies(name)[:1]]
    if not argv or not pins:
        return ()
    force = "--reinstall" if argv[0] == "uv" else "--force-reinstall"
    builds = [item.build for item in scene.installed if item.distribution.name in names]
    addresses = [_address(scene, build) for build in builds if isinstance(build, Build)]
    source = _from_index(argv[0], next((item for item in addresses if item), None))
    return line(scene, [*argv, force, "--no-deps", *source, *pins])


def uninstall(scene: Scene, names: Sequence[str]) -> tuple[str, ...]:
    """The command that removes distributions from the examined environment."""
    argv = _installer(scene, "uninstall")
    if not argv or not names or _tool(scene) is not None:
        return ()
    return line(scene, [*argv, *([] if argv[0] == "uv" else ["--yes"]), *names])


def conda(scene: Scene, verb: str, words: Sequence[str]) -> tuple[str, ...]:
    """`conda install` or `remove` in the examined conda environment, with the tool that is there."""
    environment = scene.environment
    if environment is None or not (environment.kind == "conda" or _lists_conda(scene)):
        return ()
    tool = next((name for name in ("conda", "mamba", "micromamba") if _has_tool(scene, name)), "conda")
    where = [] if _active(scene, environment) else ["--prefix", environment.path]
    return line(scene, [tool, verb, *where, *words])


def install_builds(scene: Scene, builds: Sequence[Build]) -> tuple[str, ...]:
    """The command that installs builds that share one index."""
    requirements = [word for build in builds for word in build.requirements]
    return install(scene, requirements, index=_address(scene, builds[0]))


def by_conda(distribution: Distribution) -> bool:
    """Whether conda installed it, so that pip had better not replace it."""
    return distribution.installer == "conda"


def _address(scene: Scene, build: Build) -> str | None:
    """The address of the index a build comes from; None: the one that the installer is configured with."""
    return next((item.url for item in scene.catalog.indexes if item.name == build.index), None)


def _from_index(installer: str, address: str | None) -> list[str]:
    if address is None:
        return []
    return ["--index" if installer == "uv" else "--index-url", address]


def _lists_conda(scene: Scene) -> bool:
    """Whether a report lists packages of conda, without saying of which environment."""
    return scene.machine.partial and any(by_conda(item) for item in scene.distributions)


def _tool(scene: Scene) -> Command | None:
    return tool_of(scene.machine.report)


def _installer(scene: Scene, verb: str) -> list[str]:
    """`uv pip VERB …` or `python -m pip VERB`; empty for an environment that must not be changed."""
    environment = scene.environment
    shown = pip_of(scene.machine.report)
    if environment is None:
        return [*(shown or ["python", "-m", "pip"]), verb] if scene.machine.partial else []
    if environment.externally_managed:
        return []
    active = _active(scene, environment)
    if _made_by_uv(scene, environment) or shown[:1] == ["uv"]:
        return ["uv", "pip", verb, *([] if active else ["--python", environment.path])]
    if names_python(shown) or (active and shown):
        return [*shown, verb]
    return ["python" if active else python_of(scene, environment), "-m", "pip", verb]


def python_of(scene: Scene, environment: Environment) -> str:
    """The interpreter of an environment, which is named by its folder or by its interpreter."""
    if scene.machine.system.os == "windows":
        folder = PureWindowsPath(environment.path)
        if folder.name.lower() in ("python.exe", "python3.exe"):
            return str(folder)
        inner = folder if environment.kind == "conda" else folder / "Scripts"
        return str(inner / "python.exe")
    place = PurePosixPath(environment.path)
    return str(place if re.fullmatch(r"python[\d.]*", place.name) else place / "bin" / "python")


def _made_by_uv(scene: Scene, environment: Environment) -> bool:
    """uv leaves its name in what it installs, and leaves pip out of the environments it makes."""
    if environment.kind == "conda":
        return False
    if environment.kind == "uv" or any(item.installer == "uv" for item in scene.distributions):
        return True
    return environment.distribution("pip") is None and _has_tool(scene, "uv")


def _active(scene: Scene, environment: Environment) -> bool:
    name = "CONDA_PREFIX" if environment.kind == "conda" else "VIRTUAL_ENV"
    return not environment.path or scene.machine.variable(name) == environment.path


def _has_tool(scene: Scene, name: str) -> bool:
    tools = scene.machine.tools
    return not isinstance(tools, Unknown) and any(tool.name == name for tool in tools)


def _posix_word(word: str) -> str:
    """A quoted word. A leading `~/` stays outside the quotes, where the shell still expands it."""
    return f"~/{shlex.quote(word[2:])}" if word.startswith("~/") and len(word) > 2 else shlex.quote(word)
