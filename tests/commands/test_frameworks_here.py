"""What `verify` and `tune` find to work with."""

from __future__ import annotations

from pathlib import Path

import pytest
from tiny.proving import make
from tiny.wheels import TinyWheel

from dlsetup.catalog.load import opened
from dlsetup.commands.frameworks_here import frameworks_here


@pytest.mark.skipif("sys.platform == 'win32'", reason="environments as POSIX has them")
def test_a_twin_is_the_framework_under_another_name(tmp_path: Path) -> None:
    """`tune` too measures TensorFlow where only `tensorflow-cpu` is installed."""
    twin = TinyWheel("tensorflow_cpu", "2.21.0", files={"tensorflow/__init__.py": ""})
    found = frameworks_here(str(make(tmp_path / "env", twin)), opened(()), "tune")
    assert [(item.framework, item.module) for item in found.expected] == [("tensorflow", "tensorflow")]
    assert found.catalog.framework("tensorflow") is not None
