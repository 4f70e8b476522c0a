"""Pages of indexes in JSON and HTML, and wheels that are read from their end."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dlsetup.catalog.ranges import LIST_LIMIT, PIECE, TAIL, Member, Pieces, members_in, metadata_in
from dlsetup.catalog.simple_page import JSON, page_of
from dlsetup.model.errors import DataError

ADDRESS = "https://index.example/whl/cu126/torch/"
PAGE = """<!DOCTYPE html>
<html><head><title>Links for torch</title></head><body><h1>Links for torch</h1>
<a href="/whl/cu126/torch-2.6.0%2Bcu126-cp312-cp312-linux_x86_64.whl#sha256=DIGEST"
   data-requires-python="&gt;=3.9" data-core-metadata="sha256=OTHER">torch-2.6.0+cu126</a><br/>
<A HREF="../torch-2.7.0%2Bcu126-cp312-cp312-win_amd64.whl" data-dist-info-metadata="true" data-yanked>x</A>
<a href="torch-2.8.0-cp312-cp312-win_amd64.whl#md5=abc" data-yanked="broken">x</a>
<a name="no link">nothing</a> <a href="../">up</a>
""".replace("DIGEST", "a" * 64).replace("OTHER", "b" * 64)


def test_a_page_in_html() -> None:
    page = page_of(PAGE.encode(), "text/html; charset=utf-8", "torch", ADDRESS)
    first, second, third = page.files
    assert first.filename == "torch-2.6.0+cu126-cp312-cp312-linux_x86_64.whl"
    assert first.url == "https://index.example/whl/cu126/torch-2.6.0%2Bcu126-cp312-cp312-linux_x86_64.whl"
    assert (first.hashes.sha256, first.requires_python) == ("a" * 64, ">=3.9")
    assert first.core_metadata == {"sha256": "b" * 64}
    assert (second.url, second.core_metadata, second.yanked) == (
        "https://index.example/whl/cu126/torch-2.7.0%2Bcu126-cp312-cp312-win_amd64.whl",
        True,
        True,
    )
    assert (third.hashes.sha256, third.core_metadata, third.yanked) == ("", None, "broken")


def test_a_page_says_what_its_links_are_relative_to() -> None:
    text = '<base href="https://files.example/a/"><a href="x-1.0-py3-none-any.whl">x</a>'
    page = page_of(text.encode(), "application/vnd.pypi.simple.v1+html", "x", ADDRESS)
    assert page.files[0].url == "https://files.example/a/x-1.0-py3-none-any.whl"


def test_a_page_in_json_has_whole_addresses() -> None:
    body = json.dumps({"name": "x", "files": [{"filename": "x-1.0.whl", "url": "../x-1.0.whl#sha256=a"}]})
    assert (
        page_of(body.encode(), JSON, "x", ADDRESS).files[0].url == "https://index.example/whl/cu126/x-1.0.whl"
    )


@given(st.binary(max_size=300), st.sampled_from(["", JSON, "text/html"]))
def test_no_page_is_too_odd(body: bytes, kind: str) -> None:
    with suppress(DataError):
        assert page_of(body, kind, "x", ADDRESS).name


class Server:
    """A file that is asked for in pieces, and how often that was."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.asked: list[tuple[int, int]] = []

    def opened(self, limit: int | None = None) -> io.BufferedReader:
        return io.BufferedReader(Pieces(len(self.content), self.ask, limit), PIECE)

    def ask(self, start: int, end: int) -> bytes:
        self.asked.append((start, end))
        return self.content[start:end]


def wheel(names: list[str], *, comment: bytes = b"", ballast: int = 0) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("ballast.bin", b"\0" * ballast)
        for name in names:
            archive.writestr(name, name)
        archive.comment = comment
    return file.getvalue()


@pytest.mark.parametrize("comment", [b"", b"c" * 65535], ids=["no comment", "the longest comment"])
def test_the_files_of_a_wheel_are_read_from_its_end(comment: bytes) -> None:
    server = Server(wheel(["a/b.so", "a/__init__.py"], comment=comment, ballast=1_000_000))
    found = members_in(server.opened(LIST_LIMIT), "a.whl")
    assert [item.path for item in found] == ["ballast.bin", "a/b.so", "a/__init__.py"]
    assert found[1] == Member(path="a/b.so", size=6, crc=zlib.crc32(b"a/b.so"))
    assert len(server.asked) == 1
    assert sum(end - start for start, end in server.asked) == TAIL


def test_a_long_list_of_files_takes_one_more_question() -> None:
    server = Server(wheel([f"package/module_{number}.py" for number in range(3000)], ballast=1_000_000))
    assert len(members_in(server.opened(), "a.whl")) == 3001
    assert len(server.asked) <= 3


def test_a_wheel_of_more_files_than_a_plain_zip_can_hold() -> None:
    names = [f"{number}" for number in range(66_000)]
    content = wheel(names)
    assert b"PK\x06\x06" in content, "this is to be a ZIP64"
    assert len(members_in(Server(content).opened(), "a.whl")) == 66_001


def test_folders_and_the_place_that_some_wheels_name_for_site_packages() -> None:
    content = wheel(
        ["deep-1.0.data/purelib/deep/x.py", "deep-1.0.data/platlib/deep/y.so", "deep/", "deep/z.py"]
    )
    paths = [item.path for item in members_in(Server(content).opened(), "deep.whl")]
    assert paths == ["ballast.bin", "deep/x.py", "deep/y.so", "deep/z.py"]


def test_no_more_is_read_than_a_list_may_take() -> None:
    server = Server(wheel([f"package/module_{number}.py" for number in range(3000)]))
    with pytest.raises(DataError, match=r"a\.whl: .* too many bytes"):
        members_in(server.opened(limit=100_000), "a.whl")


@pytest.mark.parametrize("read", [members_in, metadata_in])
@pytest.mark.parametrize("cut", [0, 1, 21, 500])
def test_what_is_no_wheel_is_said(read: object, cut: int) -> None:
    content = wheel(["x"], ballast=2000)
    with pytest.raises(DataError, match=r"odd\.whl"):
        read(Server(content[:cut]).opened(), "odd.whl")  # type: ignore[operator]


@given(st.binary(max_size=400))
def test_no_forged_end_breaks_the_reader(content: bytes) -> None:
    forged = content + b"PK\x05\x06" + content[:18].ljust(18, b"\0")
    with suppress(DataError):
        members_in(Server(forged).opened(LIST_LIMIT), "odd.whl")


def test_the_same_bytes_come_out_wherever_one_reads() -> None:
    content = bytes(range(256)) * 1000
    file = Server(content).opened()
    for start, length in ((0, 10), (len(content) - 5, 50), (len(content) - TAIL - 3, 10), (100_000, 200_000)):
        file.seek(start)
        assert file.read(length) == content[start : start + length]
