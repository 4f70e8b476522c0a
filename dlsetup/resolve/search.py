"""The search: resolvelib settles every key, or proves that it cannot be done."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

from resolvelib import AbstractProvider, BaseReporter
from resolvelib.resolvers import Resolution, ResolutionImpossible
from resolvelib.structs import Matches, RequirementInformation

from dlsetup.resolve.pieces import ALL, CUDA, PYTHON, Ask, Choice, Force, Group
from dlsetup.resolve.question import Question
from dlsetup.resolve.remembered import Remembered

ROUNDS = 100_000
Settled = dict[str, Choice]


def settle(
    question: Question, force: Force = ALL, limits: Iterable[Ask] = (), *, rounds: int = ROUNDS
) -> Settled | None:
    """One choice for every key that has to be settled, or None if there is no way.

    `force` says which clauses hold; `limits` narrow keys further without asking for them to be settled.
    Whatever order the search takes, the answer to *whether* there is a way is exact; the way it finds
    need not be the best (`choose` is).
    """
    provider = _Provider(question, force, tuple(limits))
    roots = tuple(question.roots(force))
    try:
        state = Resolution(provider, BaseReporter()).resolve(roots, max_rounds=rounds)
    except ResolutionImpossible:
        return None
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


class _Provider(AbstractProvider[Ask, Choice, str]):
    """What resolvelib asks of us."""

    def __init__(self, question: Question, force: Force, limits: tuple[Ask, ...]) -> None:
        self.question = question
        self.force = force
        self.limits = limits
        self.order = {key: place for place, key in enumerate((CUDA, PYTHON, *question.frameworks))}
        self._admitted: dict[tuple[str, int], Remembered[Choice]] = {}
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
    ) -> tuple[int, str]:
        return self.order.get(identifier, len(self.order)), identifier

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

    def _choices(self, key: str, number: int, group: Group) -> Remembered[Choice]:
        """The choices within the limits that nothing in force forbids, of each that look alike the first."""
        if (key, number) not in self._admitted:
            self._admitted[key, number] = Remembered(self._fitting(key, group))
        return self._admitted[key, number]

    def _fitting(self, key: str, group: Group) -> Iterator[Choice]:
        limits = [limit for limit in self.limits if limit.key == key]
        seen: set[Hashable] = set()
        for choice in group.choices:
            if all(limit.admits(choice) for limit in limits) and self.question.admitted(choice, self.force):
                likeness = self.question.likeness(choice)
                if likeness not in seen:
                    seen.add(likeness)
                    yield choice

    def is_satisfied_by(self, requirement: Ask, candidate: Choice) -> bool:
        return requirement.admits(candidate)

    def get_dependencies(self, candidate: Choice) -> Iterable[Ask]:
        if candidate not in self._asks:
            asks = self.question.asks(candidate)
            self._asks[candidate] = [ask for ask in asks if self.force.holds(ask.clauses)]
        return self._asks[candidate]
