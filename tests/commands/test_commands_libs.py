"""`dlsetup libs` on environments with real shared objects: prediction, observation, and what is missing."""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path

import pytest
from elf_maker import Maker, compiler

from dlsetup.cli import call
from dlsetup.probe.loader_files import LoaderFiles

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux") or compiler() is None or not Path("/etc/ld.so.cache").exists(),
    reason="needs gcc and the loader of glibc",
)
CUSPARSE, NVJITLINK = "libcusparse.so.12", "libnvJitLink.so.12"


@pytest.fixture(scope="module")
def maker(tmp_path_factory: pytest.TempPathFactory) -> Maker:
    return Maker(tmp_path_factory.mktemp("made"))


class Place:
    """A virtual environment with a torch of a few small files."""

    def __init__(self, folder: Path, maker: Maker) -> None:
        self.maker = maker
        self.folder = folder / "env"
        version = f"{sys.version_info[0]}.{sys.version_info[1]}"
        self.site = self.folder / "lib" / f"python{version}" / "site-packages"
        self.site.mkdir(parents=True)
        (self.folder / "bin").mkdir()
        base = os.path.realpath(sys.executable)
        (self.folder / "bin" / "python").symlink_to(base)
        told = f"home = {Path(base).parent}\nversion = {version}.0\n"
        (self.folder / "pyvenv.cfg").write_text(told)

    def install(self, name: str, version: str) -> None:
        info = self.site / f"{name.replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        (info / "RECORD").write_text("")

    def torch(self, version: str) -> None:
        """Its global libraries need cudart, and its module cusparse, by an RPATH into the wheels."""
        self.install("torch", version)
        rpath = "$ORIGIN/../../nvidia/cuda_runtime/lib:$ORIGIN/../../nvidia/cusparse/lib"
        lib = self.site / "torch" / "lib"
        self.maker.library(lib / "libtorch_global_deps.so", needs=["libcudart.so.12"], rpath=rpath)
        module = rpath.replace("../../", "../")
        self.maker.library(self.site / "torch" / "_C.abi3.so", needs=[CUSPARSE], rpath=module)
        (self.site / "torch" / "version.py").write_text("cuda: str = '12.6'\n")
        self.wheel("cuda_runtime", "libcudart.so.12")
        self.install("nvidia-cuda-runtime-cu12", "12.6.77")

    def wheel(self, folder: str, soname: str, **made: object) -> Path:
        path = self.site / "nvidia" / folder / "lib" / soname
        return self.maker.library(path, soname, **made)  # type: ignore[arg-type]

    def cusparse_with_jitlink(self) -> None:
        self.wheel(
            "cusparse",
            CUSPARSE,
            needs=[NVJITLINK],
            calls=["__nvJitLinkComplete_12_4"],
            against={NVJITLINK: NVJITLINK},
            runpath="$ORIGIN/../../nvjitlink/lib",
        )
        self.jitlink(self.site / "nvidia" / "nvjitlink" / "lib", "__nvJitLinkComplete_12_4")
        self.install("nvidia-nvjitlink-cu12", "12.6.85")

    def jitlink(self, folder: Path, *offers: str) -> None:
        self.maker.library(folder / NVJITLINK, NVJITLINK, offers=offers, version=NVJITLINK)


@pytest.fixture
def place(tmp_path: Path, maker: Maker, monkeypatch: pytest.MonkeyPatch) -> Place:
    for name in ("LD_LIBRARY_PATH", "LD_PRELOAD", "VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONPATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return Place(tmp_path, maker)


def told(capsys: pytest.CaptureFixture[str], place: Place, *words: str) -> tuple[int, dict]:
    code = call(["libs", "--env", str(place.folder), "--observe", "--json", *words])
    document = json.loads(capsys.readouterr().out)
    assert document["libraries"].get("differences") == [], document["libraries"]
    assert [item.get("gap", "") for item in document["libraries"]["observed"]] == [""]
    return code, document


def choice(document: dict, soname: str) -> dict:
    found = [item for course in document["libraries"]["courses"] for item in course["choices"]]
    return next(item for item in found if item["soname"] == soname)


def test_a_healthy_environment(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    place.torch("2.5.1")
    place.cusparse_with_jitlink()
    code, document = told(capsys, place)
    assert (code, document["ok"], document["schema"]) == (0, True, "dlsetup.libs/1")
    winner = choice(document, NVJITLINK)["candidates"][0]
    assert winner["wins"]
    assert winner["via"] == "runpath"
    assert winner["owner"] == {"kind": "wheel", "name": "nvidia-nvjitlink-cu12"}
    assert winner["version"] == "12.6.85"


def test_an_older_nvjitlink_shadows_the_wheel(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place.torch("2.5.1")
    place.cusparse_with_jitlink()
    place.jitlink(tmp_path / "old", "__nvJitLinkComplete_12_1")
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path / "old"))
    code, document = told(capsys, place)
    assert (code, document["ok"]) == (1, False)
    found = choice(document, NVJITLINK)
    assert found["candidates"][0]["path"] == str(tmp_path / "old" / NVJITLINK)
    assert found["candidates"][0]["via"] == "library-path"
    assert found["candidates"][1]["version"] == "12.6.85"
    assert [item["symbols"] for item in found["lacks"]] == [["__nvJitLinkComplete_12_4"]]


def test_an_rpath_comes_before_the_variable_and_a_runpath_after_it(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the doctor counts on where it is silent of cudart, and names the winner for cuDNN."""
    place.torch("2.15.0")
    place.cusparse_with_jitlink()
    other = tmp_path / "other"
    for name in ("libcudnn.so.9", "libcudnn_ops.so.9"):
        place.wheel("cudnn", name, runpath="$ORIGIN")
        place.maker.library(other / name, name)
    place.maker.library(other / "libcudart.so.12", "libcudart.so.12")
    monkeypatch.setenv("LD_LIBRARY_PATH", str(other))
    _, document = told(capsys, place)
    ways = {name: choice(document, name)["candidates"][0] for name in ("libcudart.so.12", "libcudnn.so.9")}
    assert ways["libcudart.so.12"]["via"] == "rpath"
    assert ways["libcudnn.so.9"]["via"] == "path"
    part = choice(document, "libcudnn_ops.so.9")["candidates"][0]
    assert (part["via"], part["path"]) == ("library-path", str(other / "libcudnn_ops.so.9"))


def test_a_torch_that_preloads_is_not_harmed_by_it(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place.torch("2.6.0")
    place.cusparse_with_jitlink()
    place.wheel("cuda_nvrtc", "libnvrtc.so.12")
    place.jitlink(tmp_path / "old", "__nvJitLinkComplete_12_1")
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path / "old"))
    code, document = told(capsys, place)
    assert code == 0
    winner = choice(document, NVJITLINK)["candidates"][0]
    assert (winner["via"], winner["version"]) == ("path", "12.6.85")


def test_files_that_are_not_as_they_were_installed(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    place.torch("2.5.1")
    place.cusparse_with_jitlink()
    record = place.site / "torch-2.5.1.dist-info" / "RECORD"
    record.write_text("torch/version.py,sha256=AAAA,18\ntorch/gone.py,sha256=AAAA,5\n")
    (place.site / "~orch-2.4.0.dist-info").mkdir()
    place.install("nvidia-nvjitlink-cu12", "12.4.127")
    code, document = told(capsys, place)
    assert code == 1
    found = {item["kind"]: item for item in document["libraries"]["troubles"]}
    assert set(found) == {"changed", "gone", "leftover", "twice", "unowned"}
    assert found["unowned"]["example"] == "torch/lib/libtorch_global_deps.so"
    assert not found["unowned"].get("breaks")
    assert found["changed"]["example"] == "torch/version.py"
    assert (found["gone"]["example"], found["gone"]["count"]) == ("torch/gone.py", 1)
    assert found["leftover"]["example"] == "~orch-2.4.0.dist-info"
    assert found["twice"]["distributions"] == ["nvidia-nvjitlink-cu12"]


def test_an_install_for_development_is_told_and_is_no_second_one(
    place: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place.torch("2.5.1")
    place.cusparse_with_jitlink()
    tree = tmp_path / "src of torchao"
    (tree / "torchao.egg-info").mkdir(parents=True)
    (tree / "torchao.egg-info" / "PKG-INFO").write_text("Name: torchao\nVersion: 0.9\n")
    place.install("torchao", "0.9")
    (place.site / "__editable__.torchao-0.9.pth").write_text(f"{tree}\n")
    direct = {"url": tree.as_uri(), "dir_info": {"editable": True}}
    (place.site / "torchao-0.9.dist-info" / "direct_url.json").write_text(json.dumps(direct))
    code, document = told(capsys, place)
    found = {item["kind"]: item for item in document["libraries"]["troubles"]}
    assert (code, "twice" in found) == (0, False)
    assert found["editable"]["text"] == f"torchao is installed for development from `{tree}`"
    (tree / "torchao.egg-info" / "PKG-INFO").unlink()
    (tree / "torchao.egg-info").rmdir()
    tree.rmdir()
    code, document = told(capsys, place)
    found = {item["kind"]: item for item in document["libraries"]["troubles"]}
    assert (code, found["editable"]["breaks"]) == (1, True)


def test_signs_of_patterns_in_the_path_stand_for_themselves(
    tmp_path: Path, maker: Maker, place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    odd = Place(tmp_path / "a[b]*?", maker)
    odd.torch("2.5.1")
    odd.cusparse_with_jitlink()
    (odd.site / "torch-2.5.1.dist-info" / "RECORD").write_text("torch/version.py,sha256=AAAA,18\n")
    code, document = told(capsys, odd)
    assert code == 0
    winner = choice(document, NVJITLINK)["candidates"][0]
    assert winner["owner"] == {"kind": "wheel", "name": "nvidia-nvjitlink-cu12"}
    assert "unowned" in {item["kind"] for item in document["libraries"]["troubles"]}


def test_what_does_not_answer_is_a_gap_and_holds_up_no_other(
    place: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place.torch("2.5.1")
    answers = threading.Event()
    read = LoaderFiles.shared_object

    def stuck(self: LoaderFiles, path: str) -> object:
        if path.endswith("libtorch_global_deps.so"):
            answers.wait(30)
        return read(self, path)

    monkeypatch.setattr(LoaderFiles, "shared_object", stuck)
    monkeypatch.setattr("dlsetup.commands.libs.DEADLINE", 4.0)
    try:
        code = call(["libs", "--env", str(place.folder), "--json", "--all"])
        document = json.loads(capsys.readouterr().out)
        monkeypatch.setattr("dlsetup.commands.libs.DEADLINE", 0.5)
        assert call(["libs", "--env", str(place.folder)]) == 1
    finally:
        answers.set()
    assert (code, document["ok"], document["libraries"]["unread"]) == (1, False, ["libraries of torch"])
    assert [item["fact"] for item in document["unknown"]] == ["libraries of torch"]
    assert "not read in time" in document["unknown"][0]["reason"]
    assert [course["program"] for course in document["libraries"]["courses"]] == ["python"]
    last = " ".join(capsys.readouterr().out.split()).rpartition("✗")[2]
    assert "not read: " in last
    assert "libraries of torch" in last


def test_a_cut_library_ends_the_import(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    place.torch("2.5.1")
    place.wheel("cusparse", CUSPARSE).write_bytes(b"\x7fELF\x02\x01\x01")
    code, document = told(capsys, place)
    assert code == 1
    assert "file too short" in document["libraries"]["courses"][0]["failure"]


def test_in_words_and_for_one_library(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    place.torch("2.5.1")
    place.cusparse_with_jitlink()
    assert call(["libs", "--env", str(place.folder), "--library", "nvjitlink"]) == 0
    text = capsys.readouterr().out
    assert NVJITLINK in text
    assert f"✓ {CUSPARSE}" not in text
    assert call(["libs", "--env", str(place.folder), "--library", "nonsense"]) == 2
