"""The search: resolvelib settles every key, or proves that it cannot be done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from resolvelib import AbstractProvider, BaseReporter
from resolvelib.resolvers import Resolution, ResolutionImpossible, ResolutionTooDeep
from resolvelib.structs import Matches, RequirementInformation

from dlsetup.model.errors import UsageError
from dlsetup.resolve.pieces import ALL, CUDA, PYTHON, Ask, Choice, Force, Group
from dlsetup.resolve.question import Question
from dlsetup.resolve.remembered import Remembered

ROUNDS = 30_000
"""Steps of one search, which can be minutes."""
Settled = dict[str, Choice]


def settle(
    question: Question, force: Force = ALL, limits: Iterable[Ask] = (), *, rounds: int | None = None
) -> Settled | None:
    """One choice for every key that has to be settled, or None if there is no way.

    `force` says which clauses hold; `limits` narrow keys further without asking for them to be settled.
    Whatever order the search takes, the answer to *whether* there is a way is exact; the way it finds
    need not be the best (`choose` is). Raises `UsageError` where the answer is too far to be found.
    """
    provider = _Provider(question, force, tuple(limits))
    roots = tuple(question.roots(force))
    steps = rounds or ROUNDS
    try:
        state = Resolution(provider, _Reporter(question.blame)).resolve(roots, max_rounds=steps)
    except ResolutionImpossible:
        return None
    except ResolutionTooDeep as exc:
        names = ", ".join(question.wanted)
        raise UsageError(
            f"whether {names} go together was not found out in {steps} steps",
            hint="ask for fewer of them at once, or name the releases that you want",
        ) from exc
    return _reached(state.mapping, roots, provider)


def _reached(settled: Mapping[str, Choice], roots: Iterable[Ask], provider: _Provider) -> Settled:
    """What the wish leads to, without what choices asked for that were taken back.

    resolvelib's own way from a key back to the wish does not end where two ask for each other.
    """
    reached: set[str] = set()
    waiting = [ask.key for ask in roots]
    while waiting:
        key = waiting.pop()
        if key not in reached and key in settled:
            reached.add(key)
            waiting += [ask.key for ask in provider.get_dependencies(settled[key])]
    return {key: choice for key, choice in settled.items() if key in reached}


class _Reporter(BaseReporter[Ask, Choice, str]):
    """Counts how often a key was part of a dead end."""

    def __init__(self, blame: Counter[str]) -> None:
        self.blame = blame

    def resolving_conflicts(self, causes: Collection[RequirementInformation[Ask, Choice]]) -> None:
        met = {cause.requirement.key for cause in causes}
        self.blame.update(met | {cause.parent.key for cause in causes if cause.parent is not None})


class _Provider(AbstractProvider[Ask, Choice, str]):
    """What resolvelib asks of us."""

    def __init__(self, question: Question, force: Force, limits: tuple[Ask, ...]) -> None:
        self.question = question
        self.force = force
        self.limits = limits
        self.order = {key: place for place, key in enumerate((CUDA, PYTHON, *question.frameworks))}
        self._admitted: dict[tuple[str, int], Remembered[Choice]] = {}
        self._least: dict[tuple[str, int], list[Choice]] = {}
        self._asks: dict[Choice, list[Ask]] = {}

    def identify(self, requirement_or_candidate: Ask | Choice) -> str:
        return requirement_or_candidate.key

    def get_preference(
        self,
        identifier: str,
        resolutions: Mapping[str, Choice],
        candidates: Mapping[str, Iterator[Choice]],
        information: Mapping[str, Iterator[RequirementInformation[Ask, Choice]]],
        backtrack_causes: Sequence[RequirementInformation[Ask, Choice]],
    ) -> tuple[int, int, int, str]:
        """CUDA and Python first, then what led into most dead ends so far: so those are met early."""
        place = self.order.get(identifier, len(self.order))
        return min(place, 2), -self.question.blame[identifier], place, identifier

    def find_matches(
        self,
        identifier: str,
        requirements: Mapping[str, Iterator[Ask]],
        incompatibilities: Mapping[str, Iterator[Choice]],
    ) -> Matches[Choice]:
        asks = tuple(requirements[identifier])
        excluded = set(incompatibilities[identifier])

        def matching() -> Iterator[Choice]:
            for number, group in enumerate(self.question.groups(identifier)):
                if not all(group.may_admit(ask) for ask in asks):
                    continue
                for choice in self._choices(identifier, number, group):
                    if choice not in excluded and all(ask.admits(choice) for ask in asks):
                        yield choice

        return matching

    def _choices(self, key: str, number: int, group: Group) -> Iterable[Choice]:
        """The choices within the limits that nothing in force forbids.

        As long as nobody had to read them all, the newest come first; then only those that ask least remain.
        """
        found = self._admitted.setdefault((key, number), Remembered(self._fitting(key, group)))
        if not found.whole:
            return found
        if (key, number) not in self._least:
            self._least[key, number] = self._asking_least(found.known)
        return self._least[key, number]

    def _asking_least(self, choices: list[Choice]) -> list[Choice]:
        kept: list[Choice] = []
        for choice in reversed(choices):
            if not any(self._replaces(other, choice) for other in kept):
                kept.append(choice)
        return kept[::-1]

    def _fitting(self, key: str, group: Group) -> Iterator[Choice]:
        limits = [limit for limit in self.limits if limit.key == key]
        kept: list[Choice] = []
        for choice in group.choices:
            within = all(limit.admits(choice) for limit in limits)
            if not within or not self.question.admitted(choice, self.force):
                continue
            if not any(self._replaces(other, choice) for other in kept):
                kept.append(choice)
                yield choice

    def _replaces(self, one: Choice, other: Choice) -> bool:
        """Whether every way with `other` is one with `one` in its place: `one` asks no more than that."""
        if self.question.likeness(one) != self.question.likeness(other):
            return False
        asked = {(ask.key, ask.facet): ask.values for ask in self.get_dependencies(other)}
        return all(
            (ask.key, ask.facet) in asked and ask.values >= asked[ask.key, ask.facet]
            for ask in self.get_dependencies(one)
        )

    def is_satisfied_by(self, requirement: Ask, candidate: Choice) -> bool:
        return requirement.admits(candidate)

    def get_dependencies(self, candidate: Choice) -> Iterable[Ask]:
        if candidate not in self._asks:
            asks = self.question.asks(candidate)
            self._asks[candidate] = [ask for ask in asks if self.force.holds(ask.clauses)]
        return self._asks[candidate]
