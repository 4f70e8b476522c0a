"""The targets that one lock has to serve: machines, words and containers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from dlsetup.commands.question import Question, buildable_target_of, folders
from dlsetup.model.errors import UsageError
from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.target import Interpreter, Target

if TYPE_CHECKING:
    from dlsetup.catalog.containers import Inside

MOST = 16


class Places(Record, frozen=True, kw_only=True):
    """What was said of where it has to run; nothing: this machine."""

    machines: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    container: str | None = None
    """An image in which each of them runs it."""

    @property
    def plain(self) -> bool:
        """Whether it is one machine or one target in words, and no container."""
        one = len(self.machines) + len(self.targets) <= 1
        return one and self.container is None and not any("container" in words for words in self.targets)

    @property
    def foreign(self) -> bool:
        """Whether the machine at hand is not meant, or not as it is."""
        return bool(self.machines or self.targets or self.container)


def targets_of(places: Places, catalog: tuple[str, ...]) -> tuple[Target, ...]:
    """Each target by a name of its own. Raises `UsageError`."""
    count = len(places.machines) + len(places.targets)
    if count > MOST:
        raise UsageError(f"{count} targets are named", hint=f"name at most {MOST}")
    found = tuple(_targets(places, catalog))
    names = [target.name for target in found]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"two targets are called `{name}`", hint="name them: `--target name=login,…`")
    return found


def _targets(places: Places, catalog: tuple[str, ...]) -> Iterator[Target]:
    from dlsetup.intake.place import image_name, placed

    outer = image_name(places.container or "")
    for file in places.machines:
        yield _in_container(buildable_target_of(Question(machine_file=file)), outer, catalog)
    several = len(places.machines) + len(places.targets) > 1
    for number, words in enumerate(places.targets, start=1):
        said = placed(words)
        asked = Question(target=said.words) if said.words else Question()
        target = buildable_target_of(asked)
        target = _in_container(target, said.container or outer, catalog)
        if said.name or (said.words and several):
            target = replace(target, name=said.name or f"target {number}")
        yield target
    if not places.machines and not places.targets:
        yield _in_container(buildable_target_of(Question()), outer, catalog)


def _in_container(target: Target, image: str, catalog: tuple[str, ...]) -> Target:
    """The host's driver and GPUs with what the image brings."""
    if not image:
        return target
    from dlsetup.catalog.containers import inside

    found = inside(image, folders(catalog))
    pythons = UNKNOWN if isinstance(found.python, Unknown) else (Interpreter(version=found.python),)
    return in_container(target, found, pythons)


def in_container(target: Target, found: Inside, pythons: tuple[Interpreter, ...] | Unknown) -> Target:
    """The host's driver and GPUs with what an image brings. Raises `UsageError` for another processor's."""
    known = () if isinstance(found.architectures, Unknown) else found.architectures
    if known and not isinstance(target.arch, Unknown) and target.arch not in known:
        listed = " and ".join(known)
        raise UsageError(f"the image `{found.image}` is for {listed}, and the host is {target.arch}")
    inner = replace(
        target,
        name=f"{found.image} on {target.name}",
        os="linux",
        release=UNKNOWN,
        libc=found.libc,
        pythons=pythons,
    )
    if target.os == "macos":
        return replace(inner, driver=None, cuda_ceiling=UNKNOWN, gpus=(), wsl=False)
    return replace(inner, wsl=True) if target.os == "windows" else inner
