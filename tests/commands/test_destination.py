"""Where something is to be written after long work: asked before it."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlsetup.commands.destination import check_destination
from dlsetup.model.errors import UsageError


def test_a_file_in_a_folder_that_is_there_will_do(tmp_path: Path) -> None:
    check_destination(str(tmp_path / "report.xml"), "--junit")
    check_destination(None, "--junit")


@pytest.mark.parametrize("name", ["", ".", "nowhere/report.xml"])
def test_what_can_never_be_written_is_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError) as refused:
        check_destination(name, "--junit")
    assert "--junit" in refused.value.hint
