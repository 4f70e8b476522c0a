"""Owners of library files, as package managers name them."""

from __future__ import annotations

import pytest

from dlsetup.intake.assembly import machine_of
from dlsetup.intake.fact import Fact
from dlsetup.intake.formats import file_owners, library_files
from dlsetup.intake.page import Page
from dlsetup.intake.reading import facts_of
from dlsetup.model.machine import Library, Machine


def read(text: str) -> Machine:
    page = Page(text, "r.txt")
    formats = (file_owners.owners, library_files.files)
    return machine_of([item for item in facts_of(page, formats) if isinstance(item, Fact)], lines=1)


@pytest.mark.parametrize(
    ("text", "path", "kind", "name"),
    [
        (
            "$ dpkg -S libcudnn.so.8\nlibcudnn8:amd64: /usr/lib/x86_64-linux-gnu/libcudnn.so.8\n",
            "/usr/lib/x86_64-linux-gnu/libcudnn.so.8",
            "system",
            "libcudnn8",
        ),
        (
            "$ dpkg -S /usr/local/cuda/lib64/libcudnn.so.8\n"
            "dpkg-query: no path found matching pattern /usr/local/cuda/lib64/libcudnn.so.8\n",
            "/usr/local/cuda/lib64/libcudnn.so.8",
            "nobody",
            "",
        ),
        (
            "# rpm -qf /usr/lib64/libcudnn.so.9\nlibcudnn9-cuda-12-9.1.0.70-1.x86_64\n",
            "/usr/lib64/libcudnn.so.9",
            "system",
            "libcudnn9-cuda-12",
        ),
        (
            "$ rpm -qf /opt/c/libcudnn.so.9\nfile /opt/c/libcudnn.so.9 is not owned by any package\n",
            "/opt/c/libcudnn.so.9",
            "nobody",
            "",
        ),
        (
            "/usr/lib/libcudnn.so.9.5.1 is owned by cudnn 9.5.1.17-1\n",
            "/usr/lib/libcudnn.so.9.5.1",
            "system",
            "cudnn",
        ),
    ],
)
def test_a_file_has_one_owner(text: str, path: str, kind: str, name: str) -> None:
    libraries = read(text).libraries
    assert isinstance(libraries, tuple)
    found = [item for item in libraries if isinstance(item, Library) and item.path == path]
    assert [(item.owner.kind, item.owner.name) for item in found] == [(kind, name)]


def test_the_version_of_the_package_is_told_too() -> None:
    packages = read("$ rpm -qf /usr/lib64/libcudnn.so.9\nlibcudnn9-cuda-12-9.1.0.70-1.x86_64\n").packages
    assert isinstance(packages, tuple)
    assert [(item.name, item.version) for item in packages] == [("libcudnn9-cuda-12", "9.1.0.70-1")]


def test_an_answer_belongs_to_the_question_before_it() -> None:
    """A list of packages is no answer to who owns a file."""
    assert read("$ rpm -qa\nlibcudnn9-cuda-12-9.1.0.70-1.x86_64\n").libraries is not None
    assert not isinstance(read("$ rpm -qa\nlibcudnn9-cuda-12-9.1.0.70-1.x86_64\n").libraries, tuple)
