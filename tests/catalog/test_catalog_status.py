"""How old each file is, where it comes from, and what it does not know."""

from __future__ import annotations

import datetime
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fickle_index import Registry
from hand_made import Shelf
from jsonschema import Draft202012Validator
from packaging.version import Version
from tiny.wheels import TinyWheel

from dlsetup.catalog.folders import Folders, user_folder
from dlsetup.catalog.pages import File, Page
from dlsetup.catalog.status import FileStatus, Lookout, statuses, with_newer
from dlsetup.commands.catalog_status import Request, StatusDocument
from dlsetup.commands.catalog_status import run as command
from dlsetup.model import codec
from dlsetup.model.errors import UsageError
from dlsetup.model.record import Unknown
from dlsetup.show.progress import LineWatch, watched

TODAY = datetime.date(2026, 1, 12)


def seen(shelf: Shelf, *names: str) -> dict[tuple[str, str], FileStatus]:
    """By kind and name."""
    lookout = Lookout(given=(shelf.folder,), user=user_folder(), today=TODAY)
    found = statuses(names, Folders((shelf.folder,), user=user_folder()), lookout)
    return {(item.kind, item.name): item for item in found}


@pytest.fixture
def deep(shelf: Shelf) -> Shelf:
    build = {"variant": "cpu", "accelerator": "cpu", "platforms": ["any"]}
    own = {"variant": "cu126", "accelerator": "cuda", "platforms": ["any"], "index": "pytorch-cu126"}
    shelf.framework(
        "deep",
        'known_to = "1.0"\nlibraries = ["thin"]\ndistribution = [{ name = "deep" }]\n',
        build=[build, own],
    )
    wheels = [["py3", "any", 1]]
    shelf.generated("deep", [{"version": "1.1", "wheels": wheels}, {"version": "1.0", "wheels": wheels}])
    return shelf


def test_of_each_file(deep: Shelf) -> None:
    found = seen(deep, "deep")
    framework = found["framework", "deep"]
    assert (framework.origin, framework.checked, framework.age_days) == ("overlay", "2026-01-02", 10)
    assert (framework.rows, str(framework.newest)) == (2, "1.0")
    assert [str(item) for item in framework.newer] == ["1.1"], "nobody looked at it yet"
    distribution = found["distribution", "deep"]
    assert (distribution.origin, distribution.rows, str(distribution.newest)) == ("overlay", 2, "1.1")
    assert isinstance(distribution.newer, Unknown), "nobody asked the index"
    assert found["distribution", "thin"].origin == "none"
    assert found["index", "pytorch-cu126"].origin == "none"
    assert ("overlaps", "overlaps") not in found


def test_where_files_come_from(deep: Shelf) -> None:
    shipped = seen(deep, "torch")["distribution", "torch"]
    assert (shipped.origin, shipped.rows > 20) == ("shipped", True)
    own = user_folder()
    assert own
    Shelf(own).generated("torch", [], checked="2999-01-01")
    refreshed = seen(deep, "torch")["distribution", "torch"]
    assert (refreshed.origin, refreshed.rows, refreshed.newest) == ("user", 0, None)
    assert refreshed.path.startswith(str(own))


def test_all_files_of_the_shipped_catalog(shelf: Shelf) -> None:
    found = seen(shelf)
    assert {item.origin for item in found.values() if item.kind == "framework"} == {"shipped"}
    assert found["overlaps", "overlaps"].rows > 10
    assert len({item.kind for item in found.values()}) == 7
    assert found["hardware", "gpus"].rows > 20
    assert found["measured", "torch"].checked


def test_an_unknown_name(shelf: Shelf) -> None:
    with pytest.raises(UsageError, match="no framework or distribution `shallow`"):
        seen(shelf, "shallow")


def test_nothing_is_asked_unless_told(
    run: Callable[..., Any], registry: Registry, shelf: Shelf, capsys: pytest.CaptureFixture[str]
) -> None:
    run()
    registry.asked.clear()
    registry.wheels += [TinyWheel("thin", "1.6"), TinyWheel("thin", "1.7"), TinyWheel("thin", "1.8rc1")]
    asked = Request(names=("deep",), catalog=(str(shelf.folder),), index=registry.address)
    assert command(asked) == 0
    out, _ = capsys.readouterr()
    assert "1.5" in out
    assert "newer" in out.splitlines()[-1]
    assert not registry.asked
    assert (
        command(Request(names=("deep",), catalog=(str(shelf.folder),), index=registry.address, online=True))
        == 0
    )
    out, err = capsys.readouterr()
    (line,) = [line for line in out.splitlines() if "thin" in line]
    assert line.endswith("newer: 1.7, 1.6")
    assert "pages: 2" in err
    assert {path for path, _ in registry.asked} == {"/simple/deep/", "/simple/thin/"}


def test_what_the_index_has_as_a_document(
    run: Callable[..., Any], registry: Registry, shelf: Shelf, capsys: pytest.CaptureFixture[str]
) -> None:
    run()
    registry.wheels.append(TinyWheel("thin", "1.6"))
    asked = Request(
        names=("deep",), catalog=(str(shelf.folder),), index=registry.address, online=True, as_json=True
    )
    assert command(asked) == 0
    document = json.loads(capsys.readouterr().out)
    newer = {item["name"]: item.get("newer") for item in document["files"] if item["kind"] == "distribution"}
    assert newer == {"deep": [], "thin": ["1.6"]}


@pytest.mark.parametrize(("sourced", "newer"), [(("deep",), ["1.3", "1.2"]), ((), ["1.2"])])
def test_sources_count_where_a_framework_says_so(sourced: tuple[str, ...], newer: list[str]) -> None:
    known = FileStatus(
        name="deep", kind="distribution", origin="shipped", distribution="deep", newest=Version("1.1")
    )
    names = ("deep-1.1.tar.gz", "deep-1.2-py3-none-any.whl", "deep-1.3.tar.gz", "deep-1.4rc1.tar.gz")
    page = Page(name="deep", files=tuple(File(filename=name, url="") for name in names))
    (found,) = with_newer([known], {"deep": page}, sourced)
    assert [str(item) for item in found.newer] == newer
    assert list(with_newer([known], {}, sourced)) == [known]


def test_the_document_is_what_its_schema_says(deep: Shelf, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(Request(catalog=(str(deep.folder),), as_json=True)) == 0
    document = json.loads(capsys.readouterr().out)
    Draft202012Validator(codec.schema(StatusDocument)).validate(document)
    assert (document["schema"], document["ok"], document["online"]) == (
        "dlsetup.catalog-status/1",
        True,
        False,
    )
    assert len(document["files"]) > 50


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def test_progress_is_a_bar_on_a_terminal_and_lines_elsewhere() -> None:
    for stream, environ, bar in (
        (Terminal(), {}, True),
        (Terminal(), {"NO_COLOR": "1"}, False),
        (io.StringIO(), {}, False),
    ):
        with watched(stream, environ) as watch:
            watch.begin("pages", 2)
            watch.step("deep")
            watch.say("left as it is: \x1b[31m[bold]thin")
            watch.begin("metadata", 1)
            watch.step("[/deep")
        assert isinstance(watch, LineWatch) is not bar
        assert "left as it is: [bold]thin" in stream.getvalue()
        assert ("pages: 2" in stream.getvalue()) is not bar


def test_a_stretch_without_work_is_not_spoken_of() -> None:
    stream = io.StringIO()
    LineWatch(stream).begin("metadata", 0)
    assert not stream.getvalue()


def test_the_words_of_the_command_line(
    deep: Shelf, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    from dlsetup.cli import call

    assert call(["catalog", "status", "deep", "--catalog", str(deep.folder)]) == 0
    assert "never learned" in capsys.readouterr().out
    assert call(["catalog", "status", "shallow"]) == 2
    assert call(["catalog", "status", "--help"]) == 0
    assert "dlsetup catalog status torch jax --online" in capsys.readouterr().out
    assert (
        call(
            ["catalog", "status", "deep", "--catalog", str(deep.folder), "--online", "--index", "http://[bad"]
        )
        == 3
    )
