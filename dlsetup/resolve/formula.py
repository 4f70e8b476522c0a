"""A question as a formula of logic, which a solver that learns from its dead ends decides."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from dlsetup.resolve.pieces import PYTHON, Ask, BuildChoice, Choice, Force

if TYPE_CHECKING:
    from dlsetup.resolve.question import Question


class Option(NamedTuple):
    """One variable, and what it stands for: a build, as a choice for each Python, or another choice alone."""

    literal: int
    choices: tuple[Choice, ...]


class Formula:
    """The wishes for some frameworks, and everything that these may lead to.

    The clauses of `trial` have a variable each, and a solver may let them go; all others hold, and what
    they forbid is not in the formula at all. With None as trial every clause has a variable. Of one key
    several options may be true as long as nothing asked of the key tells them apart: each of them would do.
    """

    def __init__(self, question: Question, wishes: frozenset[str], trial: frozenset[str] | None) -> None:
        from pysat.solvers import Minisat22

        self.question = question
        self.wishes = wishes
        self.trial = trial
        self.clauses: list[list[int]] = []
        self.selectors: dict[str, int] = {}
        self.options: dict[str, list[Option]] = {}
        self._solver = Minisat22()
        self._last = 0
        self._waiting: list[Option] = []
        self._values: dict[tuple[str, str], dict[Hashable, int]] = {}
        self._asked: dict[tuple[str, str, frozenset[Hashable]], int] = {}
        self._limits: dict[tuple[str, str, frozenset[Hashable]], int] = {}
        self._pythons: dict[Hashable, int] = {}
        self._pythons = {item.choices[0].facets["python"]: item.literal for item in self._open(PYTHON)}
        self._write()

    def solve(self, force: Force, limits: Iterable[Ask] = ()) -> bool:
        """Whether there is a way within the limits while the clauses in force hold."""
        return bool(self._solver.solve(self.assumed(force, limits)))

    def assumed(self, force: Force, limits: Iterable[Ask] = ()) -> list[int]:
        """The literals that say which clauses are in force and which limits apply."""
        held = [literal for clause, literal in self.selectors.items() if force.holds(frozenset({clause}))]
        return [*held, *map(self.limit, limits)]

    def core(self) -> frozenset[str]:
        """After a failure: clauses in force that cannot hold together, not always the fewest."""
        failed = set(self._solver.get_core() or ())
        return frozenset(clause for clause, literal in self.selectors.items() if literal in failed)

    def model(self) -> frozenset[int]:
        """After a success: the variables that are true."""
        return frozenset(literal for literal in self._solver.get_model() if literal > 0)

    def taken(self, key: str, model: frozenset[int]) -> Choice:
        """What a model takes for a key that it settles."""
        option = next(item for item in self.options[key] if item.literal in model)
        return next(choice for choice in option.choices if model.issuperset(self._python_of(choice)))

    def limit(self, ask: Ask) -> int:
        """A variable: the key is settled within the limit, if it is settled at all."""
        key = ask[:3]
        if key not in self._limits:
            self._limits[key] = literal = self.variable()
            for option in self.options.get(ask.key, ()):
                self._keep_out(literal, option, ask)
        return self._limits[key]

    def variable(self) -> int:
        """A new one."""
        self._last += 1
        return self._last

    def add(self, clause: list[int]) -> None:
        """One more clause: at least one of these literals is true."""
        self.clauses.append(clause)
        self._solver.add_clause(clause)

    def _keep_out(self, literal: int, option: Option, ask: Ask) -> None:
        out = [choice for choice in option.choices if not ask.admits(choice)]
        if len(out) == len(option.choices):
            self.add([-literal, -option.literal])
            return
        for choice in out:
            self.add([-literal, -option.literal, *(-item for item in self._python_of(choice))])

    def _write(self) -> None:
        for ask in self.question.roots():
            if ask.clauses <= self.wishes:
                self._imply([], ask)
        while self._waiting:
            option = self._waiting.pop()
            for given, ask in self._asks(option):
                self._imply(given, ask)

    def _imply(self, given: list[int], ask: Ask) -> None:
        self.add([*given, *self._let_go(ask.clauses), self._asked_for(ask)])

    def _let_go(self, clauses: frozenset[str]) -> list[int]:
        """Literals of which one is true where one of the clauses on trial is let go."""
        return [-self._selector(item) for item in sorted(clauses) if self.trial is None or item in self.trial]

    def _selector(self, clause: str) -> int:
        if clause not in self.selectors:
            self.selectors[clause] = self.variable()
        return self.selectors[clause]

    def _asks(self, option: Option) -> Iterator[tuple[list[int], Ask]]:
        """What an option asks on every Python, and what on some only."""
        asked = [self.question.asks(choice) for choice in option.choices]
        if all(asks is asked[0] for asks in asked):
            yield from (([-option.literal], ask) for ask in asked[0])
            return
        always = set(asked[0]).intersection(*asked[1:])
        yield from (([-option.literal], ask) for ask in asked[0] if ask in always)
        for choice, asks in zip(option.choices, asked, strict=True):
            given = [-option.literal, *(-item for item in self._python_of(choice))]
            yield from ((given, ask) for ask in asks if ask not in always)

    def _asked_for(self, ask: Ask) -> int:
        """A variable: the key is settled as it is asked for."""
        key = ask[:3]
        if key not in self._asked:
            values = self._values_of(ask.key, ask.facet)
            self._asked[key] = literal = self.variable()
            self.add([-literal, *(item for value, item in values.items() if value in ask.values)])
        return self._asked[key]

    def _values_of(self, key: str, facet: str) -> dict[Hashable, int]:
        """A variable for each value of a facet that others ask for: at most one of them is true."""
        if (key, facet) not in self._values:
            options = self._open(key)
            found: dict[Hashable, list[int]] = {}
            for option in options:
                found.setdefault(option.choices[0].facets.get(facet), []).append(option.literal)
            self._values[key, facet] = {value: self._any_of(items) for value, items in found.items()}
            self._at_most_one(list(self._values[key, facet].values()))
        return self._values[key, facet]

    def _any_of(self, literals: list[int]) -> int:
        """A variable that is true where one of them is, and only there."""
        if len(literals) == 1:
            return literals[0]
        found = self.variable()
        for literal in literals:
            self.add([-literal, found])
        self.add([-found, *literals])
        return found

    def _at_most_one(self, literals: Sequence[int]) -> None:
        """By a ladder: a variable beside each says whether one up to here is true."""
        before = 0
        for literal in literals:
            if before:
                self.add([-before, -literal])
            here = self.variable()
            self.add([-literal, here])
            if before:
                self.add([-before, here])
            before = here

    def _open(self, key: str) -> list[Option]:
        if key not in self.options:
            pythons = self._pythons.keys()
            there = (
                item
                for item in self.question.choices(key)
                if not isinstance(item, BuildChoice) or item.facets["python"] in pythons
            )
            groups = groupby(there, _build_of)
            found = (self._option(list(choices)) for _, choices in groups)
            self.options[key] = [option for option in found if option is not None]
            self._waiting += self.options[key]
        return self.options[key]

    def _option(self, choices: list[Choice]) -> Option | None:
        """A variable for choices that differ in their Python alone; None where all of them are forbidden."""
        anywhere = self._against(self.question.forbids_anywhere(choices[0]))
        if anywhere is None:
            return None
        literal, left = self.variable(), []
        clauses = [[-literal, *clause] for clause in anywhere]
        for choice in choices:
            given = [-literal, *(-item for item in self._python_of(choice))]
            against = self._against(self.question.forbids_here(choice))
            clauses += [[*given, *clause] for clause in ([[]] if against is None else against)]
            left += [choice] if against is not None else []
        for clause in clauses:
            self.add(clause)
        return Option(literal, tuple(left)) if left else None

    def _against(self, forbidding: Iterable[frozenset[str]]) -> list[list[int]] | None:
        """What forbids a choice, as clauses; None where something does whatever is let go."""
        found = []
        for clauses in forbidding:
            let_go = self._let_go(clauses)
            if not let_go:
                return None
            if let_go not in found:
                found.append(let_go)
        return found

    def _python_of(self, choice: Choice) -> list[int]:
        """The variable of the Python that a build is on; nothing for other choices."""
        return [self._pythons[choice.facets["python"]]] if isinstance(choice, BuildChoice) else []


def _build_of(choice: Choice) -> int:
    return id(choice.build) if isinstance(choice, BuildChoice) else id(choice)
