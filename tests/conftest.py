"""What tests of several rooms share: a package index on loopback and an environment that uses only it."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from tiny.index import TinyIndex
from tiny.world import shelves

# A machine that is busy with something else is no fault of the example.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """For `-n 3 --dist loadgroup`: a file stays in one process, and one process alone uses the engine."""
    for item in items:
        group = "docker" if item.get_closest_marker("docker") else str(item.path)
        item.add_marker(pytest.mark.xdist_group(group))


@pytest.fixture(scope="session", autouse=True)
def _heeds_signals() -> None:
    """What a shell starts in its background, or with `nohup`, is deaf to signals; so is what that starts."""
    for number in (signal.SIGINT, getattr(signal, "SIGHUP", signal.SIGINT)):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler)


@pytest.fixture(scope="session")
def tiny_world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TinyIndex]:
    """The indexes of `tiny.world`, served for the whole session. Use `tiny_index`."""
    index = TinyIndex(tmp_path_factory.mktemp("tiny-index"))
    for name, wheels in shelves().items():
        index.add(name, wheels)
    yield index
    index.close()


@pytest.fixture
def tiny_index(tiny_world: TinyIndex) -> Iterator[TinyIndex]:
    """The indexes, well-behaved at the beginning of every test: set `faults` to change that."""
    before = tiny_world.inventory()
    tiny_world.asked.clear()
    yield tiny_world
    tiny_world.restore(before)
    tiny_world.faults.clear()
    tiny_world.sizes.clear()
    tiny_world.release()


@pytest.fixture
def tiny_environ(tiny_index: TinyIndex, tmp_path: Path) -> dict[str, str]:
    """Variables of a process whose uv knows the tiny `default` index only and has an empty cache."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("UV_", "PIP_"))}
    kept.pop("VIRTUAL_ENV", None)
    return {
        **kept,
        "UV_DEFAULT_INDEX": tiny_index.address("default"),
        "UV_CACHE_DIR": str(tmp_path / "uv-cache"),
        "DLSETUP_STATE": str(tmp_path / "state"),
        "UV_NO_CONFIG": "1",
        "UV_HTTP_RETRIES": "0",
        "UV_PYTHON_DOWNLOADS": "never",
        "PIP_CONFIG_FILE": os.devnull,
    }


@pytest.fixture(scope="session")
def nobody_listens() -> str:
    """The address of an index that nobody serves."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    return f"http://127.0.0.1:{port}/simple/"
