"""The search: resolvelib settles every key, or proves that it cannot be done."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

from resolvelib import AbstractProvider, BaseReporter, Resolver
from resolvelib.resolvers import ResolutionImpossible
from resolvelib.structs import Matches, RequirementInformation

from dlsetup.resolve.pieces import ALL, CUDA, PYTHON, Ask, Choice, Force
from dlsetup.resolve.question import Question
from dlsetup.resolve.remembered import Remembered

ROUNDS = 100_000
SEEN = ("version", "python", "family", "owner", "variant")
"""Facets that choices of other keys may ask about."""
Settled = dict[str, Choice]


def settle(question: Question, force: Force = ALL, limits: Iterable[Ask] = ()) -> Settled | None:
    """One choice for every key that has to be settled, or None if there is no way.

    `force` says which clauses hold; `limits` narrow keys further without asking for them to be settled.
    Whatever order the search takes, the answer to *whether* there is a way is exact; the way it finds
    need not be the best (`choose` is).
    """
    resolver = Resolver(_Provider(question, force, tuple(limits)), BaseReporter())
    try:
        result = resolver.resolve(question.roots(force), max_rounds=ROUNDS)
    except ResolutionImpossible:
        return None
    return dict(result.mapping)


class _Provider(AbstractProvider[Ask, Choice, str]):
    """What resolvelib asks of us."""

    def __init__(self, question: Question, force: Force, limits: tuple[Ask, ...]) -> None:
        self.question = question
        self.force = force
        self.limits = limits
        self.order = {key: place for place, key in enumerate((CUDA, PYTHON, *question.frameworks))}
        self._admitted: dict[str, Remembered[Choice]] = {}

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
        excluded = {self._likeness(choice) for choice in incompatibilities[identifier]}

        def matching() -> Iterator[Choice]:
            seen = set(excluded)
            for choice in self._choices(identifier):
                if all(ask.admits(choice) for ask in asks):
                    likeness = self._likeness(choice)
                    if likeness not in seen:
                        seen.add(likeness)
                        yield choice

        return matching

    def _choices(self, key: str) -> Remembered[Choice]:
        """The choices within the limits that nothing in force forbids."""
        if key not in self._admitted:
            self._admitted[key] = Remembered(self._fitting(key))
        return self._admitted[key]

    def _fitting(self, key: str) -> Iterator[Choice]:
        limits = [limit for limit in self.limits if limit.key == key]
        for choice in self.question.choices(key):
            if all(limit.admits(choice) for limit in limits) and self.question.admitted(choice, self.force):
                yield choice

    def _likeness(self, choice: Choice) -> Hashable:
        """What others can see of a choice: of those that ask the same and look the same, one is enough."""
        return self.question.asks(choice), *(choice.facets.get(facet) for facet in SEEN)

    def is_satisfied_by(self, requirement: Ask, candidate: Choice) -> bool:
        return requirement.admits(candidate)

    def get_dependencies(self, candidate: Choice) -> Iterable[Ask]:
        return [ask for ask in self.question.asks(candidate) if self.force.holds(ask.clauses)]
