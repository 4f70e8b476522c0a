"""Locks out of files that anyone may have written, and the further words of a target."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dlsetup.intake.lock import parse, read
from dlsetup.intake.place import placed
from dlsetup.model.errors import DataError, UsageError

PIECES = st.sampled_from(
    ("[[packages]]", "\n", 'name = "torch"', 'version = "2.1"', "wheels = [", "]", "torch", "==", "2.1",
     " @ ", "https://x/torch-2.1-py3-none-any.whl", " --hash=sha256:00", "\\", "# [tool.dlsetup]", ";", "\0")
)  # fmt: skip


@pytest.mark.parametrize("name", ["pylock.toml", "lock.txt"])
@given(text=st.lists(PIECES, max_size=30).map("".join) | st.text(max_size=200))
def test_hostile_text_is_read_or_refused(name: str, text: str) -> None:
    try:
        found = parse(text, Path(name))
    except DataError:
        return
    assert found.packages


def test_requirements_tell_their_versions_and_files() -> None:
    text = (
        "numpy==2.3.5 ; python_version > '3' \\\n    --hash=sha256:aa\n"
        "torch @ https://x/torch-2.14.1%2Bcu126-cp312-cp312-manylinux_2_28_x86_64.whl --hash=sha256:bb\n"
    )
    numpy, torch = parse(text, Path("lock.txt")).packages
    assert (str(numpy.version), numpy.marker) == ("2.3.5", 'python_version > "3"')
    assert str(torch.version) == "2.14.1+cu126"
    assert torch.wheels == ("torch-2.14.1+cu126-cp312-cp312-manylinux_2_28_x86_64.whl",)


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(UsageError):
        read(Path("/nowhere/pylock.toml"))


def test_name_and_container_are_taken_out_of_the_words() -> None:
    found = placed('name="GPU node",os=linux,container=python:3.12-slim,gpu="RTX 4090"')
    assert (found.name, found.container) == ("GPU node", "python:3.12-slim")
    assert found.words == 'os=linux,gpu="RTX 4090"'
    assert placed("container=debian:12").words == ""
    for bad in ("name=a,name=b", "container=--rm", "name="):
        with pytest.raises(UsageError):
            placed(bad)
