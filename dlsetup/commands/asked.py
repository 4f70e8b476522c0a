"""What is asked for in words and in files, as one wish, with what was made of each file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, get_args

from msgspec.structs import replace
from packaging.version import Version

from dlsetup.commands.question import Question, folders, machine_of, wish_of
from dlsetup.model.errors import UsageError
from dlsetup.model.framework import Catalog
from dlsetup.model.listing import Listing, Reading
from dlsetup.model.machine import Environment, Machine
from dlsetup.model.record import Record, Unknown
from dlsetup.model.target import Interpreter, Target
from dlsetup.model.wish import Kept, Prefer, Wanted, Wish

if TYPE_CHECKING:
    from dlsetup.catalog.load import Places


class Asked(Record, frozen=True, kw_only=True):
    """Everything that was asked, read before anything is looked at. `on` a target it becomes a wish."""

    question: Question
    wish: Wish
    """The words and the profile."""
    listings: tuple[tuple[str, Listing], ...]
    owners: dict[str, str]
    catalog: Catalog
    environment: Environment | None = None
    """What `keep` starts from."""

    def on(self, target: Target) -> tuple[Wish, tuple[Reading, ...]]:
        """The wish as it is on this target. Raises `UsageError` where it asks for no framework."""
        wish = self._with_environment(self.wish)
        readings: list[Reading] = []
        for path, listing in self.listings:
            wish, reading = self._with_file(wish, path, listing, target)
            readings.append(reading)
        if not wish.wanted:
            names = ", ".join(f"`{path}`" for path, _ in self.listings) or "the environment"
            raise UsageError(f"{names} asks for no framework of the catalog", hint="name one, as in `torch`")
        if wish.prefer == "keep" and not wish.kept:
            hint = "name an environment with `--env`, or a lock or a file with exact versions with `-r`"
            raise UsageError("there is nothing to keep", hint=hint)
        return wish, tuple(readings)

    def there(self, target: Target) -> Target:
        """The target with the Python of the environment that is kept: it can be had, since it is there."""
        if self.environment is None or isinstance(target.pythons, Unknown):
            return target
        own = self.environment.python
        if isinstance(own, Unknown) or any(
            item.version.release[:2] == own.release[:2] for item in target.pythons
        ):
            return target
        windows = target.os == "windows"
        path = f"{self.environment.path}{'/Scripts/python.exe' if windows else '/bin/python'}"
        threads = self.environment.free_threaded is True
        found = Interpreter(version=own, path=path, free_threaded=threads)
        return replace(target, pythons=(*target.pythons, found))

    def _with_environment(self, wish: Wish) -> Wish:
        if self.environment is None:
            return wish
        kept = list(_kept(self.environment, self.catalog))
        python = self.environment.python
        return replace(
            wish,
            wanted=_more(wish.wanted, [Wanted(framework=item.framework, filed=True) for item in kept]),
            kept=tuple(kept),
            kept_python=None if isinstance(python, Unknown) else Version(f"{python.major}.{python.minor}"),
        )

    def _with_file(self, wish: Wish, path: str, listing: Listing, target: Target) -> tuple[Wish, Reading]:
        from dlsetup.resolve.listed import Taking
        from dlsetup.resolve.pythons import admitted_pythons

        wish, notes = _with_bounds(wish, listing, words=self.question)
        pythons = admitted_pythons(wish, target)
        taking = Taking(self.catalog, self.owners, target, pythons, keep=wish.prefer == "keep")
        taking.take(listing)
        known = {item.framework for item in wish.kept}
        wish = replace(
            wish,
            wanted=_more(wish.wanted, taking.wanted.values()),
            packages=(*wish.packages, *(said.text for said in taking.packages)),
            constraints=(*wish.constraints, *taking.constraints),
            kept=(*wish.kept, *(item for name, item in taking.kept.items() if name not in known)),
        )
        return wish, Reading(
            path=path,
            frameworks=tuple(taking.frameworks),
            packages=tuple(taking.packages),
            notes=(*notes, *taking.notes),
            left=tuple(taking.left),
        )


def asked(question: Question) -> Asked:
    """Reads words, profile and files. Raises `UsageError` or `DataError` for what cannot be read."""
    prefer = _prefer(question)
    several = bool(question.files or prefer == "keep")
    wish = replace(wish_of(question, alone=not several), prefer=prefer, origin=tuple(_origin(question)))
    if question.env is not None and prefer != "keep":
        raise UsageError("`--env` says what to keep", hint="add `--prefer keep`, or leave it out")
    if (question.extras or question.groups) and not question.files:
        raise UsageError("`--extra` and `--group` choose parts of a file", hint="add `-r pyproject.toml`")
    return _gathered(question, wish)


def _gathered(question: Question, wish: Wish) -> Asked:
    from dlsetup.catalog.load import load, named, opened, owners

    places = opened(folders(question.catalog))
    wish = _named_by_distribution(wish, places)
    listings = tuple(_listings(question))
    environment = _environment(question, wish)
    names = [item.framework for item in wish.wanted]
    known: dict[str, str] = {}
    if listings:
        from dlsetup.resolve.listed import frameworks_in

        known = owners(places)
        names += [name for _, listing in listings for name in frameworks_in(listing, known)]
    if environment is not None and not isinstance(environment.distributions, Unknown):
        names += named({item.name for item in environment.distributions}, places)
    catalog = load(list(dict.fromkeys(names)), places)
    return Asked(
        question=question,
        wish=wish,
        listings=listings,
        owners=known,
        catalog=catalog,
        environment=environment,
    )


def _origin(question: Question) -> Iterator[str]:
    """The words that say the same of files, of what to keep and of folders that add to the catalog."""
    options = (
        ("-r", question.files),
        ("--extra", question.extras),
        ("--group", question.groups),
        ("--catalog", question.catalog),
    )
    for option, values in options:
        for value in values:
            yield from (option, value)
    if question.prefer == "keep":
        yield from ("--prefer", "keep")
        yield from ("--env", question.env) if question.env is not None else ()


def _named_by_distribution(wish: Wish, places: Places) -> Wish:
    """`onnxruntime-gpu` is a name of ONNX Runtime under which some of its builds are installed."""
    from dlsetup.catalog.load import load, names, owners
    from dlsetup.rules.installed import asked_for

    frameworks = names(places)
    unknown = [item for item in wish.wanted if item.framework not in frameworks]
    known = owners(places) if unknown else {}
    wanted: list[Wanted] = []
    for item in wish.wanted:
        owner = known.get(item.framework)
        if item in unknown and owner is not None:
            found = load([owner], places).framework(owner)
            if found is not None and any(item.framework in asked_for(build) for build in found.builds):
                item = replace(item, framework=owner, distribution=item.framework)
        wanted.append(item)
    return replace(wish, wanted=tuple(wanted))


def _listings(question: Question) -> Iterator[tuple[str, Listing]]:
    if question.files:
        from dlsetup.intake.listed import read_listed

        for path in question.files:
            parts = path.replace("\\", "/").rpartition("/")[2] == "pyproject.toml"
            extras, groups = (
                (question.extras, question.groups) if parts or len(question.files) == 1 else ((), ())
            )
            yield path, read_listed(path, extras=extras, groups=groups)


def _environment(question: Question, wish: Wish) -> Environment | None:
    """The environment that `keep` starts from: the one that is named, or the one of a saved machine."""
    if wish.prefer != "keep" or (question.files and question.env is None):
        return None
    if question.env is None and question.machine_file is None:
        return None
    machine: Machine = machine_of(question.machine_file, question.env, folders(question.catalog))
    return machine.environment


def _kept(environment: Environment, catalog: Catalog) -> Iterator[Kept]:
    """The frameworks that are installed, each in its release and, where that can be told, its variant."""
    from dlsetup.rules.installed import variant_of

    for framework in catalog.frameworks:
        there = [item for name in framework.distributions if (item := environment.distribution(name))]
        if there:
            variant = variant_of(there[0], environment, catalog)
            known = "" if isinstance(variant, Unknown) else variant
            yield Kept(framework=framework.name, version=Version(there[0].version.public), variant=known)


def _with_bounds(wish: Wish, listing: Listing, *, words: Question) -> tuple[Wish, list[str]]:
    """Python, CUDA and CPU as a file has them; a word on the command line counts more."""
    from dlsetup.intake.wish import parse_cuda, parse_python

    notes: list[str] = []
    if listing.python and words.python is None:
        try:
            wish = replace(wish, python=wish.python & parse_python(listing.python))
            notes.append(f"Python {listing.python}")
        except UsageError:
            notes.append(f"`{listing.python[:100]}` was not understood as versions of Python")
    device = words.cuda or words.accelerator or words.cpu
    if listing.cpu and not device:
        wish = replace(wish, accelerator="cpu")
        notes.append("builds for the CPU")
    elif listing.allow_cpu and not device:
        wish = replace(wish, allow_cpu=True)
        notes.append("a CPU build where a framework has none for the GPU")
    elif listing.cuda and not device:
        wish = replace(wish, cuda=parse_cuda(listing.cuda))
        notes.append(f"CUDA {listing.cuda}")
    return wish, notes


def _more(wanted: tuple[Wanted, ...], more: Iterable[Wanted]) -> tuple[Wanted, ...]:
    """Words come first, and replace what a file says of the same framework."""
    known = {item.framework for item in wanted}
    return (*wanted, *(item for item in more if item.framework not in known))


def _prefer(question: Question) -> Prefer:
    known: tuple[Prefer, ...] = get_args(Prefer)
    for item in known:
        if question.prefer == item:
            return item
    raise UsageError(f"`{question.prefer}` is nothing to prefer", hint=f"`--prefer` knows {', '.join(known)}")
