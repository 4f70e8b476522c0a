"""What the wheels of an index hold for GPUs: their headers, what they add up to, and the file of it."""

from __future__ import annotations

import contextlib
import sys
from collections import Counter
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from fickle_index import Registry as Index
from gpu_code import ROOM, code, elf, fat_binary, pe
from hypothesis import given, settings
from hypothesis import strategies as st
from packaging.version import Version
from tiny.wheels import TinyWheel

from dlsetup.catalog import measure as script
from dlsetup.catalog.architectures import built_for
from dlsetup.catalog.fatbin import Code, fat_binaries
from dlsetup.catalog.form import MeasuredFile
from dlsetup.catalog.shared_objects import fat_sections
from dlsetup.model.codec import decode
from dlsetup.model.errors import DataError
from dlsetup.model.versions import ComputeCapability

LINUX = "cp313-cp313-manylinux_2_28_x86_64"
WINDOWS = "cp313-cp313-win_amd64"
WORDS = [
    "sm_50",
    "sm_75",
    "sm_80",
    "sm_90",
    "sm_90a",
    "sm_100",
    "sm_120a",
    "sm_121a",
    "compute_90",
    "compute_120",
]

words = st.lists(st.sampled_from(WORDS), max_size=8)


def read(section: bytes) -> list[set[str]]:
    return [{str(item) for item in found} for found in fat_binaries(BytesIO(section), 0, len(section))]


def known(word: str) -> Code:
    """The code of a word: `sm_90a`."""
    number = word.rpartition("_")[2].rstrip("a")
    capability = ComputeCapability(f"{number[:-1]}.{number[-1]}")
    return Code(capability=capability, ptx=word.startswith("compute"), exact=word.endswith("a"))


def counts(*lines: str) -> Counter[frozenset[Code]]:
    """`217 sm_75 sm_80`: so many fat binaries with this code."""
    rows = (line.split() for line in lines)
    return Counter({frozenset(map(known, codes)): int(count) for count, *codes in rows})


@given(st.lists(words, max_size=6), st.sampled_from([0, 1, 7, 8, 5000]))
def test_every_fat_binary_of_a_section_is_read(binaries: list[list[str]], padding: int) -> None:
    section = b"".join(fat_binary(*codes) + bytes(padding) for codes in binaries)
    assert read(section) == [set(codes) for codes in binaries]


def test_code_for_a_family_counts_as_code_for_all_of_its_kind() -> None:
    assert read(fat_binary("sm_100f", "sm_120")) == [{"sm_100", "sm_120"}]


def test_longer_headers_and_other_kinds_are_passed_over() -> None:
    section = fat_binary(code("sm_120", header=112), code("sm_120", kind=64), code("compute_120", header=80))
    assert read(section) == [{"sm_120", "compute_120"}]


@pytest.mark.parametrize(
    "section",
    [
        b"neither padding nor a fat binary",
        fat_binary("sm_90")[:-1],
        fat_binary("sm_90")[:20],
        fat_binary("sm_90")[:10],
        fat_binary(code("sm_90", header=60)),
        fat_binary(code("sm_90")[:40]),
        fat_binary(code("sm_90")[:-1]),
        fat_binary(code("sm_9999")),
    ],
)
def test_what_is_no_fat_binary_is_refused(section: bytes) -> None:
    with pytest.raises(DataError):
        read(section)


def test_a_section_beyond_the_end_of_its_file_is_refused() -> None:
    with pytest.raises(DataError):
        list(fat_binaries(BytesIO(b""), 1 << 40, 64))


@given(st.lists(words, min_size=1, max_size=3), st.data())
@settings(max_examples=200)
def test_forged_sections_are_read_or_refused(binaries: list[list[str]], data: st.DataObject) -> None:
    section = bytearray(b"".join(fat_binary(*codes) for codes in binaries))
    for place in data.draw(st.lists(st.integers(0, len(section) - 1), max_size=12)):
        section[place] = data.draw(st.integers(0, 255))
    with contextlib.suppress(DataError):
        read(bytes(section))


@pytest.mark.parametrize(
    ("library", "name"), [(elf, ".nv_fatbin"), (elf, "__nv_relfatbin"), (pe, ".nv_fatb"), (pe, "__nv_rel")]
)
def test_sections_of_both_systems_are_found(library: Any, name: str, tmp_path: Path) -> None:
    content = fat_binary("sm_80", "sm_90")
    place = tmp_path / "library"
    place.write_bytes(library((".text", b"host code"), (name, content), (".data", b"more")))
    (found,) = fat_sections(place)
    assert place.read_bytes()[found.start : found.start + found.size] == content
    place.write_bytes(library((".text", b"host code")))
    assert fat_sections(place) == []


@given(st.sampled_from([elf, pe]), st.data())
@settings(max_examples=150, deadline=None)
def test_forged_libraries_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, library: Any, data: st.DataObject
) -> None:
    whole = bytearray(library((".nv_fatbin" if library is elf else ".nv_fatb", fat_binary("sm_80")), room=16))
    for place in data.draw(st.lists(st.integers(4, len(whole) - 1), max_size=8)):
        whole[place] = data.draw(st.integers(0, 255))
    end = data.draw(st.integers(4, len(whole)))
    path = tmp_path_factory.getbasetemp() / "forged"
    path.write_bytes(whole[:end])
    try:
        sections = fat_sections(path)
    except DataError:
        return
    assert all(section.start >= 0 and section.size >= 0 for section in sections)


def test_what_is_no_library_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("hello")
    with pytest.raises(DataError, match="neither ELF nor PE"):
        fat_sections(tmp_path / "text")


@pytest.mark.parametrize(
    ("lines", "kernels", "exact", "ptx"),
    [
        (["3 sm_80 sm_90 compute_90"], "8.0 9.0", "", "9.0"),
        (
            ["292 sm_90a", "217 sm_75 sm_80 sm_90a sm_120a", "91 sm_80 sm_90a"],
            "7.5 8.0 9.0 12.0",
            "9.0 12.0",
            "",
        ),
        (["415 sm_75 sm_80 sm_120", "57 sm_75 sm_80 sm_100a sm_103 sm_120"], "7.5 8.0 12.0", "", ""),
        (
            ["665 sm_61 sm_70 sm_75", "7 sm_35 sm_50 sm_52 sm_61 sm_70 sm_90 compute_70"],
            "6.1 7.0 7.5",
            "",
            "",
        ),
        (["5 sm_90 sm_90a"], "9.0", "", ""),
        (["5 compute_80"], "", "", "8.0"),
    ],
)
def test_most_of_the_code_decides(lines: list[str], kernels: str, exact: str, ptx: str) -> None:
    built = built_for(counts(*lines))
    assert [" ".join(map(str, part)) for part in (built.kernels, built.exact, built.ptx)] == [
        kernels,
        exact,
        ptx,
    ]


def test_a_library_without_known_code_tells_nothing() -> None:
    for nothing in (Counter({frozenset(): 3}), Counter()):
        with pytest.raises(DataError):
            built_for(nothing)


@pytest.fixture
def index(registry: Index) -> Index:
    """An index with a release of `deep` for two systems."""
    host = elf((".text", b"host code"))
    linux = elf((".nv_fatbin", fat_binary("sm_80", "sm_90a") * 3))
    windows = pe((".nv_fatb", fat_binary("sm_75", "sm_80", "compute_80")))
    more = {"deep/kernels.so.1": linux, "deep/host.so": host, "deep/notes.txt": "x" * ROOM}
    registry.wheels += [
        TinyWheel("deep", "1.0", LINUX, files=more),
        TinyWheel("deep", "1.0", WINDOWS, files={"deep/kernels.dll": windows}),
        TinyWheel("deep", "1.0", "py3-none-any", files={"deep/__init__.py": "raise SystemExit('imported')"}),
        TinyWheel(
            "deep",
            "0.9",
            LINUX,
            files={
                "deep/kernels.so": linux,
                "deep/vendor.so": elf((".nv_fatbin", fat_binary("sm_50", "sm_90"))),
            },
        ),
        TinyWheel("deep", "0.8", LINUX, files={"deep/kernels.so": elf((".nv_fatbin", b"broken" * 9))}),
        TinyWheel("deep", "0.7", LINUX, files={"deep/kernels.so": b"#!/bin/sh\n" + bytes(ROOM)}),
    ]
    return registry


def run(index: Index, *words: str) -> int:
    return script.main([*words, "--index", index.address])


def kept(folder: Path) -> MeasuredFile:
    text = (folder / "measured" / "deep.json").read_bytes()
    return decode(text, MeasuredFile, where="the file")


def test_a_release_becomes_a_row_for_each_platform_with_gpu_code(
    index: Index, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(index, "deep==1.0", "--into", str(tmp_path)) == 0
    file = kept(tmp_path)
    assert [(row.platform, row.libraries) for row in file.rows] == [
        ("linux-x86_64", ("deep/kernels.so.1",)),
        ("windows-amd64", ("deep/kernels.dll",)),
    ]
    linux, windows = file.rows
    assert [str(item) for item in linux.kernels] == ["8.0", "9.0"]
    assert (linux.exact, linux.ptx) == ((ComputeCapability("9.0"),), ())
    assert (windows.exact, windows.ptx) == ((), (ComputeCapability("8.0"),))
    assert linux.wheel == f"deep-1.0-{LINUX}.whl"
    assert len(linux.sha256) == 64
    shown = capsys.readouterr()
    assert "deep 1.0 linux-x86_64: kernels 8.0 9.0a; PTX none" in shown.out
    assert "holds no GPU code" in shown.err
    assert {status for path, status in index.asked if path.endswith(".whl")} == {206}


def test_rows_replace_those_of_the_same_release_alone(index: Index, tmp_path: Path) -> None:
    run(index, "deep==0.9", "--library", "*/vendor.so", "--into", str(tmp_path))
    run(index, "deep==1.0", "--platform", "linux-x86_64", "--into", str(tmp_path))
    assert [str(item) for item in kept(tmp_path).rows[1].kernels] == ["5.0", "9.0"]
    before = kept(tmp_path).rows[0]
    run(index, "deep==0.9", "--library", "*/kernels.so", "--into", str(tmp_path))
    new, old = kept(tmp_path).rows
    assert (new, old.version, old.libraries) == (before, Version("0.9"), ("deep/kernels.so",))


@pytest.mark.parametrize(
    ("words", "message", "code"),
    [
        (["deep==0.9"], "its libraries are built for different GPUs", 4),
        (["deep==0.8"], "deep/kernels.so: no fat binary", 4),
        (["deep==0.7"], "deep/kernels.so: neither ELF nor PE", 4),
        (["deep==2.0"], "no wheel for `deep==2.0`", 2),
        (["deep==1.0", "--platform", "linux-riscv64"], "no wheel of linux-riscv64", 2),
        (["shallow==1.0"], "has no `shallow`", 2),
        (["deep"], "names no release", 2),
        (["deep>=1.0"], "names no release", 2),
        (["deep==1.*"], "names no release", 2),
        (["==1"], "names no release", 2),
    ],
)
def test_what_cannot_be_measured_is_said_and_nothing_is_written(
    index: Index,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    message: str,
    code: int,
) -> None:
    assert run(index, *words, "--into", str(tmp_path)) == code
    assert message in capsys.readouterr().err
    assert not (tmp_path / "measured").exists()


def test_without_a_folder_nothing_is_written(index: Index, tmp_path: Path) -> None:
    assert run(index, "deep==1.0") == 0
    assert not (tmp_path / "measured").exists()


def test_what_has_to_be_installed_is_named(
    index: Index, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "elftools", None)
    monkeypatch.setitem(sys.modules, "elftools.common.exceptions", None)
    assert run(index, "deep==1.0", "--platform", "linux-x86_64") == 5
    assert "pip install pyelftools" in capsys.readouterr().err
