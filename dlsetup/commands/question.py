"""What was asked on the command line, turned into a wish, a target and the part of the catalog they need."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from msgspec.structs import replace
from packaging.specifiers import SpecifierSet

from dlsetup.model.errors import DataError, UsageError
from dlsetup.model.framework import Accelerator, Catalog
from dlsetup.model.machine import Machine
from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.target import Target
from dlsetup.model.wish import Profile, Wanted, Wish

if TYPE_CHECKING:
    from dlsetup.catalog.load import Places


class Question(Record, frozen=True, kw_only=True):
    """The words of `resolve` and `create env`, as they were typed."""

    frameworks: tuple[str, ...] = ()
    profile: str | None = None
    python: str | None = None
    cpu: bool = False
    accelerator: str | None = None
    cuda: str | None = None
    allow_cpu: bool = False
    machine_file: str | None = None
    files: tuple[str, ...] = ()
    """Files that list packages: `requirements.txt`, `environment.yml`, `pyproject.toml`, a lock."""
    extras: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    """Of a `pyproject.toml`: which optional dependencies and which dependency groups."""
    prefer: str = "newest"
    env: str | None = None
    """The environment that `--prefer keep` starts from."""
    target: str | None = None
    """A target in words; neither this nor a file: the machine one sits at."""
    catalog: tuple[str, ...] = ()
    """Folders that add to the catalog."""

    @property
    def foreign(self) -> bool:
        """Whether it is about another machine than this one."""
        return self.target is not None or self.machine_file is not None


def folders(question_catalog: tuple[str, ...]) -> tuple[Path, ...]:
    """The catalog folders that were named. Raises `UsageError` for one that is none."""
    for name in question_catalog:
        if not name or not Path(name).is_dir():
            raise UsageError(
                f"the catalog folder `{name}` is not there", hint="name a folder with `--catalog DIR`"
            )
    return tuple(map(Path, question_catalog))


def wish_of(question: Question, *, alone: bool = True) -> Wish:
    """What is wanted. What is named beside a profile replaces the profile's own word on it.

    `alone`: nothing else, no file and no environment, names a framework.
    """
    from dlsetup.intake.wish import parse_cuda, parse_python, parse_wanted

    named = [parse_wanted(text) for text in question.frameworks]
    profile = _profile(question)
    own = _own(profile) if profile else Wish(wanted=())
    known = {item.framework for item in named}
    named += [item for item in own.wanted if item.framework not in known]
    if not named and alone:
        raise UsageError(
            "no framework is named", hint="name one, as in `torch`, or a profile: `--profile research`"
        )
    return replace(
        own,
        wanted=_once(named),
        python=own.python if question.python is None else parse_python(question.python),
        accelerator=_accelerator(question),
        cuda=None if question.cuda is None else parse_cuda(question.cuda),
        allow_cpu=question.allow_cpu,
    )


def catalog_of(wish: Wish, question: Question) -> Catalog:
    """The catalog of the frameworks that are wanted. Raises `UsageError` for an unknown one."""
    from dlsetup.catalog.load import load

    return load([item.framework for item in wish.wanted], folders(question.catalog))


def target_of(question: Question) -> Target:
    """Where it has to run: as said in words, as saved in a file, or this machine."""
    if question.target is not None and question.machine_file is not None:
        raise UsageError(
            "both a target and a machine file are given", hint="leave out `--target` or `--machine`"
        )
    if question.target is not None:
        from dlsetup.intake.target import parse

        return parse(question.target)
    if question.machine_file is not None:
        return Target.of(machine_of(question.machine_file), name=f"the machine in {question.machine_file}")
    return target_here()


def buildable_target_of(question: Question) -> Target:
    """As `create env` sees it: on this machine uv can bring further Pythons."""
    target = target_of(question)
    if question.foreign or isinstance(target.pythons, Unknown):
        return target
    from dlsetup.act.uv import fetchable_pythons
    from dlsetup.plan.building_target import building_target

    unsaid = replace(target, pythons=UNKNOWN)
    return building_target(unsaid, target.pythons, fetchable_pythons(os.environ))


def target_here() -> Target:
    """This machine as a target: what it has, not what is installed on it, so no clue is looked for."""
    from dlsetup.probe.host import Host
    from dlsetup.probe.look import look

    return Target.of(look(Host.here(os.environ)))


def machine_of(file: str | None, environment: str | None = None, places: Places = ()) -> Machine:
    """A saved or pasted machine, or this one as it is now. `places`: catalog folders, open or not."""
    if file is not None:
        if environment is not None:
            hint = "leave out `--env`: a saved machine keeps the environment that it was saved with"
            raise UsageError("both `--env` and a machine file are given", hint=hint)
        return _in_file(file, places)
    from dlsetup.catalog.load import clues
    from dlsetup.probe.host import Host
    from dlsetup.probe.look import look

    return look(Host.here(os.environ), environment=environment, clues=clues(places))


def _in_file(file: str, places: Places) -> Machine:
    """A machine that dlsetup saved, or that a pasted report tells of. Raises `UsageError` or `DataError`."""
    from dlsetup.intake.saved import read
    from dlsetup.intake.texts import text_of

    if text_of(Path(file)).data.lstrip().startswith(b"{"):
        return read(Path(file))
    from dlsetup.commands.pasted import pasted

    return pasted([file], places)[0].machine


def _profile(question: Question) -> Profile | None:
    if question.profile is None:
        return None
    from dlsetup.catalog.profiles import load_profile

    return load_profile(question.profile, folders(question.catalog))


def _own(profile: Profile) -> Wish:
    """The wish that a profile holds. Raises `DataError` that names it for what cannot be read."""
    from packaging.requirements import InvalidRequirement, Requirement

    from dlsetup.intake.wish import parse_python, parse_wanted

    try:
        for package in profile.packages:
            Requirement(package)
        return Wish(
            wanted=tuple(map(parse_wanted, profile.frameworks)),
            python=parse_python(profile.python) if profile.python else SpecifierSet(),
            packages=profile.packages,
            profile=profile.name,
        )
    except UsageError as exc:
        raise DataError(f"the profile `{profile.name}`: {exc.message}", hint=exc.hint) from exc
    except InvalidRequirement as exc:
        hint = "`packages` holds requirements such as `pandas` or `pandas>=2`"
        raise DataError(
            f"the profile `{profile.name}`: cannot read the package `{package}`", hint=hint
        ) from exc


def _accelerator(question: Question) -> Accelerator | None:
    name = question.accelerator
    if question.cuda is not None and (question.cpu or name not in (None, "cuda")):
        option = "--cpu" if question.cpu else f"--accelerator {name}"
        raise UsageError(f"both `--cuda` and `{option}` are given", hint=f"leave out `--cuda` or `{option}`")
    if question.cpu and name not in (None, "cpu"):
        raise UsageError(
            f"both the CPU and `{name}` are asked for", hint="leave out `--cpu` or `--accelerator`"
        )
    if name is None:
        return "cpu" if question.cpu else None
    known: tuple[Accelerator, ...] = get_args(Accelerator)
    for item in known:
        if name == item:
            return item
    raise UsageError(f"there is no accelerator `{name}`", hint=f"the accelerators are {', '.join(known)}")


def _once(named: list[Wanted]) -> tuple[Wanted, ...]:
    """Each framework once. Raises `UsageError` where two of its specifiers stand side by side."""
    first: dict[str, Wanted] = {}
    for item in named:
        other = first.setdefault(item.framework, item)
        if other.specifier != item.specifier:
            both = ",".join(str(one.specifier) for one in (other, item) if str(one.specifier))
            hint = f"join them: `{item.framework}{both}`"
            raise UsageError(f"`{item.framework}` is asked for twice", hint=hint)
    return tuple(first.values())
