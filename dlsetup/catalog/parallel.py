"""The same question about many things at once, in threads that nobody has to wait for.

An interrupted program ends at once: the threads of the standard library's pools would first have to finish
what they are waiting for.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

CONNECTIONS = 8


def in_parallel(
    ask: Callable[[T], R],
    items: Iterable[T],
    done: Callable[[T], None] = lambda _item: None,
    *,
    connections: int = CONNECTIONS,
) -> list[R]:
    """The answers, in the order of the items; `done` is told of each as it comes in.

    The first error is raised, and nothing more is begun.
    """
    todo = list(items)
    places = iter(range(len(todo)))
    turn, stopped = threading.Lock(), threading.Event()
    answers: SimpleQueue[tuple[int, Callable[[], R]]] = SimpleQueue()

    def work() -> None:
        while not stopped.is_set():
            with turn:
                place = next(places, None)
            if place is None:
                return
            answers.put((place, _outcome(ask, todo[place])))

    for _ in range(min(connections, len(todo))):
        threading.Thread(target=work, daemon=True).start()
    try:
        return _gathered(answers, todo, done)
    finally:
        stopped.set()


def _outcome(ask: Callable[[T], R], item: T) -> Callable[[], R]:
    """The answer or the error, to be had in another thread."""
    future: Future[R] = Future()
    try:
        future.set_result(ask(item))
    except BaseException as exc:
        future.set_exception(exc)
    return future.result


def _gathered(
    answers: SimpleQueue[tuple[int, Callable[[], R]]], todo: list[T], done: Callable[[T], None]
) -> list[R]:
    found: dict[int, R] = {}
    while len(found) < len(todo):
        place, outcome = answers.get()
        found[place] = outcome()
        done(todo[place])
    return [found[place] for place in range(len(todo))]
