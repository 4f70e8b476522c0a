"""What is expected of an environment by what is installed in it."""

from __future__ import annotations

from packaging.version import Version

from dlsetup.catalog.load import load
from dlsetup.model.machine import Distribution, Environment
from dlsetup.model.record import Unknown
from dlsetup.plan.expectation import expectations_here


def test_a_framework_is_there_under_whichever_of_its_names() -> None:
    installed = (
        Distribution(name="tensorflow-cpu", version=Version("2.21.0")),
        Distribution(name="numpy", version=Version("2.3.5")),
        Distribution(name="torch", version=Version("2.14.1+cpu"), variant="cpu"),
    )
    environment = Environment(path="/env", kind="venv", distributions=installed)
    expected = {item.framework: item for item in expectations_here(environment, load(None))}
    assert set(expected) == {"tensorflow", "torch"}
    assert expected["tensorflow"].module == "tensorflow"
    assert isinstance(expected["tensorflow"].accelerator, Unknown)
    assert expected["torch"].accelerator == "cpu"
