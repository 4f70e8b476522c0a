"""The order in which loaders search, without any file of this machine."""

from __future__ import annotations

import fnmatch

import pytest
from packaging.version import Version

from dlsetup.model.libraries import Candidate, Choice
from dlsetup.model.loading import (
    Asking,
    LoaderSettings,
    Loading,
    LoadStep,
    Preload,
    SharedObject,
    Symbols,
    VersionNeed,
)
from dlsetup.model.record import UNKNOWN
from dlsetup.rules.loader import Process, Refused
from dlsetup.rules.loader_choices import mixed_parts
from dlsetup.rules.loader_course import Following
from dlsetup.rules.loader_search import expanded

PROGRAM = "/env/bin/python"


class Shelf:
    """Files in memory."""

    def __init__(self, *files: SharedObject, symbols: dict[str, Symbols] | None = None) -> None:
        self.by_path = {item.path: item for item in (SharedObject(path=PROGRAM), *files)}
        self.by_symbols = symbols or {}

    def shared_object(self, path: str) -> SharedObject | None:
        return self.by_path.get(path)

    def real(self, path: str) -> str:
        return path

    def symbols(self, path: str) -> Symbols:
        return self.by_symbols.get(path, Symbols())

    def matching(self, pattern: str) -> tuple[str, ...]:
        return tuple(path for path in sorted(self.by_path) if fnmatch.fnmatch(path, pattern))


def file(path: str, **facts: object) -> SharedObject:
    return SharedObject(path=path, soname=path.rpartition("/")[2], **facts)  # type: ignore[arg-type]


def taken(settings: LoaderSettings, *files: SharedObject, name: str = "libnccl.so.2") -> str:
    process = Process(settings, Shelf(*files))
    process.open("/site/user.so")
    resident = process.resident(name)
    return resident.file.path if resident else ""


def user(**facts: object) -> SharedObject:
    return file("/site/user.so", needed=("libnccl.so.2",), **facts)


def test_musl_looks_into_the_variable_before_an_rpath() -> None:
    files = (file("/own/libnccl.so.2"), file("/variable/libnccl.so.2"), user(rpath=("/own",)))
    glibc = LoaderSettings(program=PROGRAM, library_path="/variable")
    musl = LoaderSettings(program=PROGRAM, library_path="/variable", libc="musl")
    assert taken(glibc, *files) == "/own/libnccl.so.2"
    assert taken(musl, *files) == "/variable/libnccl.so.2"


def test_the_interpreter_hands_its_rpath_down_unless_there_is_a_runpath() -> None:
    program = SharedObject(path=PROGRAM, rpath=("$ORIGIN/../lib",))
    conda, cached = file("/env/bin/../lib/libnccl.so.2"), file("/usr/lib/libnccl.so.2")
    settings = LoaderSettings(program=PROGRAM, cache={"libnccl.so.2": cached.path})
    assert taken(settings, program, conda, cached, user()) == conda.path
    assert taken(settings, program, conda, cached, user(runpath=("/nowhere",))) == cached.path


def test_the_best_level_of_the_processor_comes_first() -> None:
    settings = LoaderSettings(program=PROGRAM, library_path="/a", levels=("x86-64-v3", "x86-64-v2"))
    better = file("/a/glibc-hwcaps/x86-64-v2/libnccl.so.2")
    assert taken(settings, file("/a/libnccl.so.2"), better, user()) == better.path


def test_a_file_for_another_processor_is_passed_over() -> None:
    settings = LoaderSettings(program=PROGRAM, library_path="/a:/b")
    other = SharedObject(path="/a/libnccl.so.2", foreign=True)
    assert taken(settings, other, file("/b/libnccl.so.2"), user()) == "/b/libnccl.so.2"


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("$ORIGIN/x", "/o/x"),
        ("${ORIGIN}x", "/ox"),
        ("/a/$LIB/b", "/a/lib64/b"),
        ("/p/$PLATFORM", "/p/x86_64"),
        ("$ORIGINAL/x", "/here/$ORIGINAL/x"),
        ("", "/here"),
    ],
)
def test_tokens(text: str, path: str) -> None:
    assert expanded(text, "/o", LoaderSettings(program=PROGRAM, arch="x86_64", folder="/here")) == path


def test_a_missing_version_takes_everything_back() -> None:
    needs = (VersionNeed(file="libnccl.so.2", versions=("NEW",)),)
    files = (user(needs=needs), file("/a/libnccl.so.2", defines=("OLD",)))
    process = Process(LoaderSettings(program=PROGRAM, library_path="/a"), Shelf(*files))
    with pytest.raises(Refused, match="version `NEW' not found"):
        process.open("/site/user.so")
    assert [item.file.path for item in process.residents] == [PROGRAM]
    assert process.lacks[0][1].versions == ("NEW",)


def test_a_symbol_without_a_version_that_nobody_has() -> None:
    wanted = Symbols(wanted=frozenset({("ncclCommSplit", ""), ("printf", "")}))
    offered = Symbols(offered=frozenset({("ncclCommInitAll", "")}))
    shelf = Shelf(
        user(), file("/a/libnccl.so.2"), symbols={"/site/user.so": wanted, "/a/libnccl.so.2": offered}
    )
    process = Process(LoaderSettings(program=PROGRAM, library_path="/a"), shelf)
    with pytest.raises(Refused, match="undefined symbol: ncclCommSplit"):
        process.open("/site/user.so")


def test_an_import_is_rescued_by_the_wheels() -> None:
    step = LoadStep(
        open="user.so",
        by="ctypes",
        rescue=True,
        ends="absence",
        preload=(Preload(folder="nccl", name="libnccl.so.*"),),
        places=("nvidia/{folder}/lib",),
    )
    wheel = file("/site/nvidia/nccl/lib/libnccl.so.2")
    settings = LoaderSettings(program=PROGRAM, sites=("/site",))
    for files, failure in (
        ((user(), wheel), ""),
        ((user(),), "libnccl.so.* is not in any folder of packages"),
    ):
        following = Following(Process(settings, Shelf(*files)))
        following.follow(Loading(step=(step,), source=""), ())
        assert following.failure == failure


@pytest.mark.parametrize(("other", "mixed"), [("9.1.0", True), ("9.10.2", False), (None, False)])
def test_parts_of_cudnn_from_two_versions(other: str | None, mixed: bool) -> None:
    def choice(name: str, version: str | None) -> Choice:
        known = Version(version) if version else UNKNOWN
        winner = Candidate(path=f"/a/{name}", version=known, wins=True, reason="it is there")
        return Choice(library="cudnn", soname=name, program="torch", candidates=(winner,))

    found = (choice("libcudnn.so.9", "9.10.2.21"), choice("libcudnn_ops.so.9", other))
    assert bool(list(mixed_parts(found))) == mixed


def test_what_a_library_asks_for_later_and_does_not_find() -> None:
    files = (file("/site/libcudnn.so.9", runpath=("$ORIGIN",)), file("/site/libcudnn_ops.so.9"))
    following = Following(Process(LoaderSettings(program=PROGRAM, sites=("/site",)), Shelf(*files)))
    names = ("libcudnn_ops.so.9", "libcudnn_cnn.so.9")
    asking = Asking(of="libcudnn.so.9", ask=names, source="")
    following.follow(Loading(step=(LoadStep(open="libcudnn.so.9"),), source=""), (asking,))
    assert [item.name for item in following.unmet] == ["libcudnn_cnn.so.9"]
    assert following.failure == ""
