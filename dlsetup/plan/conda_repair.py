"""A repair of a conda environment: what of it is conda's to do, and what is left to uv.

Whatever conda has put there is changed by conda alone. An intent names builds of wheels: here they become
specs of packages, in the same release first, then in the release line, then in the nearest older release,
then in any.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from dlsetup.model.conda import CondaPackage, CondaRecord
from dlsetup.model.framework import Catalog
from dlsetup.model.machine import Environment
from dlsetup.model.record import Record, Unknown
from dlsetup.model.repair import Intent
from dlsetup.model.resolution import Pick
from dlsetup.model.target import Target
from dlsetup.model.variants import conda_variant
from dlsetup.model.versions import CudaVersion
from dlsetup.plan.conda_cuda import Bounds, bounds, channels, cuda_spec
from dlsetup.plan.expectation import expectations
from dlsetup.plan.neighbours import distributions_of, is_companion

LEVELS = 4


class Division(Record, frozen=True, kw_only=True):
    """An intent, divided between conda and uv."""

    tiers: tuple[tuple[str, ...], ...] = ()
    """Specs for conda, the least change first; empty: it need not move anything."""
    served: Bounds = Bounds()
    """The CUDA versions that may come of it."""
    built: tuple[str, ...] = ()
    """Packages whose build tells the CUDA that has come of it."""
    take: tuple[str, ...] = ()
    """Packages that conda takes away alone."""
    again: tuple[str, ...] = ()
    """Packages whose files conda writes again."""
    part: tuple[str, ...] = ()
    """Distributions of pip that lie over those of conda."""
    channels: tuple[str, ...] = ()
    pip: Intent
    """What is left to uv, with conda's own distributions as constraints."""


class Known(Record, frozen=True, kw_only=True):
    """What the division of an intent rests on."""

    environment: Environment
    records: tuple[CondaRecord, ...]
    packages: tuple[CondaPackage, ...]
    catalog: Catalog
    target: Target

    @property
    def owned(self) -> dict[str, CondaRecord]:
        """What conda brought, by the name of the distribution."""
        return {item.distribution: item for item in self.records if item.distribution}

    def record(self, name: str) -> CondaRecord | None:
        return next((item for item in self.records if item.name == name), None)

    def row(self, distribution: str) -> CondaPackage:
        rows = (item for item in self.packages if item.distribution == distribution)
        plain = CondaPackage(distribution=distribution, source="", checked="")
        return next(rows, plain)


def divide(intent: Intent, known: Known) -> Division | str:
    """Who does what; or why the repair cannot be told to conda."""
    picks = [pick for pick in intent.plan.picks if _is_of_conda(pick, known)]
    wanted = {item.framework: item.accelerator for item in expectations(intent.plan, known.catalog)}
    gpu = {pick.framework: wanted.get(pick.framework) == "cuda" for pick in picks}
    served = bounds(known.target, known.catalog.hardware)
    moving = [pick for pick in picks if _moves(pick, gpu[pick.framework], served, known)]
    groups = {_group(pick, known) for pick in moving}
    named = [pick for pick in picks if _group(pick, known) in groups]
    reason = next((text for pick in named if (text := _not_told(pick, gpu[pick.framework], known))), None)
    if reason is not None:
        return reason
    tiers = tuple(_tiers(named, gpu, served, known))
    bound = tuple(_bound_specs(intent.plan.constraints, known, every=bool(tiers)))
    names = {_name(pick) for pick in picks}
    take = tuple(dict.fromkeys(_against(named, gpu, known)))
    needed = _needed((*take, *_twins(intent, known)), known)
    if needed:
        return needed
    return Division(
        tiers=tuple((*tier, *bound) for tier in tiers) or ((bound,) if bound else ()),
        served=served,
        built=tuple(row.built for pick in named if (row := known.row(_name(pick))).built),
        take=take,
        again=tuple(_again(intent, named, known)),
        part=tuple(sorted(_of_pip(names if named else (), known))),
        channels=channels(known.records, [known.row(_name(pick)).name for pick in picks]),
        pip=_left_to_pip(intent, names, {_name(pick) for pick in named}, known),
    )


def _is_of_conda(pick: Pick, known: Known) -> bool:
    """Whether conda brought it, or another member of its family: these have to be of one maker."""
    owned = known.owned
    if _name(pick) in owned:
        return True
    own = known.catalog.framework(pick.framework)
    family = own.family if own else ""
    members = (item for item in known.catalog.frameworks if family and item.family == family)
    return any(name in owned for item in members for name in item.distributions)


def _moves(pick: Pick, gpu: bool, served: Bounds, known: Known) -> bool:
    """Whether what conda has there is another release, for another device, or for a CUDA that is not served.

    Builds of conda differ from wheels in their CUDA, which alone is no reason.
    """
    row = known.row(_name(pick))
    found = known.record(row.name)
    if found is None or not found.whole or known.owned.get(_name(pick)) != found:
        return True
    if Version(pick.version.public).release != Version(found.version).release:
        return True
    teller = known.record(row.built) if row.built else None
    variant = conda_variant(teller.build) if teller else None
    if variant is None or isinstance(variant, Unknown):
        return False
    cuda = CudaVersion.from_variant(variant)
    return (cuda is not None) is not gpu or (cuda is not None and not served.hold(cuda))


def _not_told(pick: Pick, gpu: bool, known: Known) -> str | None:
    """Why a pick cannot be told to conda."""
    row = known.row(_name(pick))
    if gpu and not row.cuda:
        return f"what conda calls a CUDA build of {_name(pick)} is not known."
    if not row.source and known.record(row.name) is None:
        return f"what conda calls {_name(pick)} is not known."
    return None


def _tiers(
    picks: Sequence[Pick], gpu: Mapping[str, bool], served: Bounds, known: Known
) -> Iterator[tuple[str, ...]]:
    """Specs for all picks, the least change first."""
    for level in range(LEVELS if picks else 0):
        specs = [spec for pick in picks for spec in _specs(pick, gpu[pick.framework], level, known)]
        if any(gpu[pick.framework] for pick in picks):
            specs.append(cuda_spec(served, known.records, _torch(picks)))
        yield tuple(dict.fromkeys(specs))


def _torch(picks: Iterable[Pick]) -> Version | None:
    return next((pick.version for pick in picks if pick.framework == "torch"), None)


def _specs(pick: Pick, gpu: bool, level: int, known: Known) -> Iterator[str]:
    """`pytorch=2.14.1=*cuda*`, or `jax=0.10.2` and `jaxlib=*=*cuda*`, and what holds to that build."""
    row = known.row(_name(pick))
    build = "*cuda*" if gpu else "*cpu*"
    own = row.built == row.name
    yield _spec(row.name, pick.version, build if own else "", level)
    if row.built and not own:
        yield f"{row.built}=*={build}"
    kept = row.of_cuda if gpu else row.of_cpu
    yield from (_spec(name, pick.version, "", level) for name in kept if known.record(name))


def _spec(name: str, version: Version, build: str, level: int) -> str:
    number, line = version.public, ".".join(map(str, version.release[:2]))
    told = {0: f"={number}", 1: f"={line}.*", 2: f"<{number}", 3: ""}[level]
    if not build:
        return name + told
    if level == 2:
        return f"{name}[version='<{number}',build='{build}']"
    return f"{name}{told or '=*'}={build}"


def _bound_specs(constraints: Iterable[str], known: Known, *, every: bool) -> Iterator[str]:
    """Bounds on what conda brought: those that do not hold now, and `every` one where conda moves at all."""
    for text in constraints:
        bound = Requirement(text)
        found = known.owned.get(canonicalize_name(bound.name))
        if found is not None and (every or not bound.specifier.contains(found.version, prereleases=True)):
            yield f"{found.name}{bound.specifier}"


def _against(picks: Iterable[Pick], gpu: Mapping[str, bool], known: Known) -> Iterator[str]:
    """Packages without files that hold the environment to the other build."""
    for pick in picks:
        row = known.row(_name(pick))
        against = row.of_cpu if gpu[pick.framework] else row.of_cuda
        yield from (name for name in against if known.record(name))


def _twins(intent: Intent, known: Known) -> Iterator[str]:
    """Packages that conda brought and that must not be beside those of the plan."""
    yield from (known.owned[name].name for name in intent.twins if name in known.owned)


def _needed(take: Sequence[str], known: Known) -> str | None:
    """That another package asks for one that is to go alone."""
    for item in known.records:
        missed = [name for name in item.depends if name in take]
        if missed and item.name not in take:
            return f"`{missed[0]}` would have to go, and conda's `{item.name}` asks for it."
    return None


def _again(intent: Intent, named: Iterable[Pick], known: Known) -> Iterator[str]:
    """What pip has written over, and what has lost its files."""
    lost = {pin.partition("==")[0] for pin in intent.again}
    written_over = {_name(pick) for pick in named}
    for name, item in known.owned.items():
        if name in lost or (name in written_over and not item.whole):
            yield item.name


def _of_pip(names: Iterable[str], known: Known) -> Iterator[str]:
    """Distributions of these names that pip has put there."""
    owned = known.owned
    there = {item.name for item in distributions_of(known.environment)}
    yield from (name for name in names if name in there and not (name in owned and owned[name].whole))


def _left_to_pip(intent: Intent, conda: set[str], moving: set[str], known: Known) -> Intent:
    """The intent without what is conda's; what conda brought and does not move is pinned."""
    owned = {name: item for name, item in known.owned.items() if item.whole}
    ours = {*owned, *conda}
    pins = (f"{name}=={item.distribution_version}" for name, item in owned.items() if name not in moving)
    plan = intent.plan
    bounds_left = (text for text in plan.constraints if _named(text) not in ours)
    requirements = tuple(text for text in plan.requirements if _named(text) not in ours)
    others = tuple(text for text in intent.others if _named(text) not in ours)
    left = [*requirements, *others, *(item.name for item in distributions_of(known.environment))]
    libraries = [name for text in left if (name := _named(text)) not in ours and is_companion(name)]
    return replace(
        intent,
        plan=replace(
            plan,
            requirements=requirements,
            constraints=(*bounds_left, *pins),
            sources=tuple(pair for pair in plan.sources if canonicalize_name(pair[0]) not in ours),
        ),
        others=others,
        replace=tuple(name for name in intent.replace if name not in ours),
        again=tuple(pin for pin in intent.again if _named(pin) not in ours),
        idle=intent.idle or not (requirements or libraries),
    )


def _group(pick: Pick, known: Known) -> str:
    own = known.catalog.framework(pick.framework)
    return own.family if own and own.family else pick.framework


def _name(pick: Pick) -> str:
    return canonicalize_name(Requirement(pick.requirement).name)


def _named(text: str) -> str:
    return canonicalize_name(Requirement(text).name)
