"""An environment and its Python, as several documents and first lines have it."""

from __future__ import annotations

from dlsetup.model.machine import Environment
from dlsetup.model.record import UNKNOWN, Unknown


def python_of(environment: Environment) -> str | Unknown:
    """The release of its Python, for a document."""
    return UNKNOWN if isinstance(environment.python, Unknown) else str(environment.python)


def with_python(environment: Environment) -> str:
    """Its path, and the release of its Python where that is known."""
    python = python_of(environment)
    return environment.path if isinstance(python, Unknown) else f"{environment.path} (Python {python})"
