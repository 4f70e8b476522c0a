"""The builds of a framework, made only when somebody looks at them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, overload

if TYPE_CHECKING:
    from dlsetup.model.framework import Build


class Builds(Sequence["Build"]):
    """Builds of all releases, newest first. A question about one release makes those of that release alone.

    `versions` gives the public versions (`2.14.1`) as text, newest first; `make` the builds of one. Each is
    asked once.
    """

    def __init__(
        self, versions: Callable[[], Sequence[str]], make: Callable[[str], tuple[Build, ...]]
    ) -> None:
        self._versions = versions
        self._make = make
        self._made: dict[str, tuple[Build, ...]] = {}
        self._all: tuple[Build, ...] | None = None

    def of(self, version: str) -> tuple[Build, ...]:
        """The builds of one release; empty for a release that there is not."""
        if version not in self._made:
            self._made[version] = self._make(version)
        return self._made[version]

    def whole(self) -> tuple[Build, ...]:
        """All of them."""
        if self._all is None:
            self._all = tuple(build for version in self._versions() for build in self.of(version))
        return self._all

    def __iter__(self) -> Iterator[Build]:
        return iter(self.whole())

    def __len__(self) -> int:
        return len(self.whole())

    @overload
    def __getitem__(self, place: int) -> Build: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Build, ...]: ...

    def __getitem__(self, place: int | slice) -> Build | tuple[Build, ...]:
        return self.whole()[place]
