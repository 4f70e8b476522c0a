"""The search: resolvelib settles every key, or proves that it cannot be done."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from resolvelib import AbstractProvider, BaseReporter, Resolver
from resolvelib.resolvers import ResolutionImpossible
from resolvelib.structs import Matches, RequirementInformation

from dlsetup.resolve.pieces import CUDA, PYTHON, Ask, Choice
from dlsetup.resolve.question import Question

ROUNDS = 100_000
Settled = dict[str, Choice]


def settle(
    question: Question, *, removed: frozenset[str] = frozenset(), limits: Iterable[Ask] = ()
) -> Settled | None:
    """One choice for every key that has to be settled, or None if there is no way.

    `removed` are clauses taken away, `limits` are further asks. Whatever order the search takes, the
    answer to *whether* there is a way is exact; which way it finds is not the best one (`choose` is).
    """
    resolver = Resolver(_Provider(question, removed), BaseReporter())
    try:
        result = resolver.resolve((*question.roots(removed), *limits), max_rounds=ROUNDS)
    except ResolutionImpossible:
        return None
    return dict(result.mapping)


class _Provider(AbstractProvider[Ask, Choice, str]):
    """What resolvelib asks of us."""

    def __init__(self, question: Question, removed: frozenset[str]) -> None:
        self.question = question
        self.removed = removed
        self.order = {key: place for place, key in enumerate((CUDA, PYTHON, *question.frameworks))}

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
            for choice in self.question.choices(identifier):
                if (
                    choice not in excluded
                    and all(ask.admits(choice) for ask in asks)
                    and self.question.admitted(choice, self.removed)
                ):
                    yield choice

        return matching

    def is_satisfied_by(self, requirement: Ask, candidate: Choice) -> bool:
        return requirement.admits(candidate)

    def get_dependencies(self, candidate: Choice) -> Iterable[Ask]:
        return [ask for ask in self.question.asks(candidate) if ask.rule not in self.removed]
