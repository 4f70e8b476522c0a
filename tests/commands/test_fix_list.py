"""`dlsetup fix` without a name, and what it says where a kind cannot be mended."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

import pytest
from tiny.broken import Broken, Fix, pair
from tiny.faults import FAULTS, Fault, leave_over
from tiny.index import TinyIndex

from dlsetup.act.uv import find_uv

Made = Callable[[str], Fault]


@pytest.fixture
def made(fix: Fix, tiny_index: TinyIndex) -> Made:
    """Breaks the environment in the way of that name."""

    def make(name: str) -> Fault:
        found = next(fault for fault in FAULTS if fault.name == name)
        found.make(fix, tiny_index)
        return found

    return make


def test_every_kind_with_what_it_would_change(fix: Fix, broken: Broken, made: Made) -> None:
    fault = made("cpu-torch-and-vision")
    leave_over(broken)
    before = broken.tree(), broken.beside()
    found = fix.listed()
    assert (found["exit"], found["ok"], found["result"]) == (1, False, "listed")
    assert [item["name"] for item in found["kinds"]] == ["cpu-build", "duplicates"]
    packages, remains = (item["repair"] for item in found["kinds"])
    assert {item["distribution"] for item in packages["changes"]} == set(fault.moves)
    assert packages["download_bytes"] > 0
    assert packages["files"][0]["path"] == "dlsetup/gpu-constraints.txt"
    assert [item["text"] for item in remains["files"]] == [None, None]
    assert all(item["findings"][0]["evidence"] for item in found["kinds"])
    assert (broken.tree(), broken.beside()) == before


def test_nothing(fix: Fix, broken: Broken, tiny_index: TinyIndex) -> None:
    broken.put("torch==2.14.1+cpu", index=tiny_index.address("pytorch-cpu"))
    broken.put("numpy==2.3.5")
    found = fix.listed()
    assert (found["exit"], found["ok"], found["kinds"]) == (0, True, [])


def test_the_words(fix: Fix, made: Made) -> None:
    made("old-driver")
    done = fix.command("fix", "--env", str(fix.broken.folder), *fix.command.indexes)
    said = " ".join(done.stdout.split())
    assert done.returncode == 1, done.stderr
    assert "dlsetup fix driver-too-old: Builds need a newer driver" in said
    assert "· torch 2.14.1 -> 2.14.1+cu126" in said
    steps = said.partition("Only you can do this; dlsetup never does it by itself")[2]
    assert "driver" in steps
    assert "[driver-too-old] 1." in steps


def test_one_kind_is_mended_and_the_other_is_left(fix: Fix, broken: Broken, made: Made) -> None:
    made("cpu-torch")
    leave_over(broken)
    before = broken.versions()
    assert fix.of("duplicates")["result"] == "mended"
    assert broken.versions() == before
    assert [item["name"] for item in fix.listed()["kinds"]] == ["cpu-build"]
    assert fix.of("cuda-conflict")["result"] == "nothing-to-mend"
    assert fix.of("cpu-build")["result"] == "mended"
    assert fix.listed()["kinds"] == []


def test_no_such_kind(fix: Fix) -> None:
    found = fix.of("cuda")
    assert (found["exit"], found["error"]["code"]) == (2, "usage")
    assert "`cuda-conflict`" in found["error"]["hint"]
    assert "`all`" in found["error"]["hint"]


def test_where_no_repair_exists_a_new_environment_is_offered(fix: Fix, broken: Broken) -> None:
    """Under this driver it takes a release that the index does not have."""
    broken.put("onnxruntime==1.31.1", "numpy==2.3.5")
    before = broken.tree(), broken.beside()
    fix.give_gpu(driver="535.129.03")
    found = fix.of("cpu-build")
    assert (found["exit"], found["result"]) == (1, "refused"), found
    assert "No solution found" in found["refused"]
    assert found["instead"] == "dlsetup create env 'my $(env)-anew' onnxruntime"
    offered = fix.listed()["kinds"][0]
    assert offered["against"].startswith("no repair fits")
    assert (broken.tree(), broken.beside()) == before


def test_a_conflict_offers_one_too(fix: Fix, broken: Broken) -> None:
    broken.put("torch==2.14.1", "nvidia-cudnn-cu13==9.24.0.43", "numpy==2.3.5")
    fix.give_gpu(driver="390.48", capability="9.0")
    found = fix.of("driver-too-old")
    assert (found["exit"], found["result"]) == (1, "conflict"), found
    assert found["instead"] == "dlsetup create env 'my $(env)-anew' torch"


def test_a_frozen_conda_environment_is_listed_and_left(fix: Fix, broken: Broken) -> None:
    pair(broken)
    (broken.folder / "pyvenv.cfg").unlink()
    (broken.folder / "conda-meta").mkdir()
    (broken.folder / "conda-meta" / "python-3.12.4-h955ad1f_0.json").write_text("{}")
    (broken.folder / "conda-meta" / "frozen").touch()
    found = fix.listed()
    assert found["exit"] == 1
    assert "is frozen" in found["kinds"][0]["against"]


def test_the_constraints_keep_a_gpu_build(
    fix: Fix, broken: Broken, made: Made, tiny_index: TinyIndex
) -> None:
    made("cpu-torch-and-vision")
    assert fix.of("cpu-build")["result"] == "mended"
    mended = broken.versions()
    wanted = fix.command.home / "requirements.txt"
    wanted.write_text("torch==2.14.1+cpu\n")
    words = ("pip", "install", "--python", str(broken.folder), "--default-index")
    argv = [find_uv(broken.environ), *words, tiny_index.address("pytorch-cpu"), "--requirements", str(wanted)]
    kept = [*argv, "--constraints", str(broken.folder / "dlsetup" / "gpu-constraints.txt")]
    refused = subprocess.run(kept, env=broken.environ, capture_output=True, text=True)
    assert refused.returncode != 0
    assert "torch==2.14.1+cu126" in refused.stderr
    wanted.write_text("torch>=2.14\ntorchvision\n")
    subprocess.run(kept, env=broken.environ, check=True, capture_output=True)
    assert broken.versions() == mended
    wanted.write_text("torch==2.14.1+cpu\n")
    subprocess.run([*argv, "--no-deps"], env=broken.environ, check=True, capture_output=True)
    assert broken.versions()["torch"] == "2.14.1+cpu"


def test_the_script_of_a_dry_run_clears_remains(fix: Fix, broken: Broken, made: Made) -> None:
    made("leftovers")
    before = broken.tree()
    found = fix.of("duplicates", "--dry-run")
    assert (found["result"], broken.tree()) == ("planned", before)
    subprocess.run(["sh", "-c", found["script"]], check=True, cwd=fix.command.home, capture_output=True)
    assert fix.listed()["kinds"] == []


def test_scripts_that_are_not_its_own_are_left_alone(fix: Fix, broken: Broken, made: Made) -> None:
    """A link leads elsewhere, and what is no UTF-8 could not be written back as it was."""
    made("library-path")
    shared = broken.folder.parent / "shared-activate"
    scripts = broken.folder / "bin"
    (scripts / "activate").rename(shared)
    (scripts / "activate").symlink_to(shared)
    (scripts / "activate.fish").write_bytes(b"# \xe9\n" + (scripts / "activate.fish").read_bytes())
    before = shared.read_bytes(), (scripts / "activate.fish").read_bytes()
    found = fix.of("library-path")
    assert found["result"] == "mended", found
    written = {item["path"] for item in found["mending"]["repair"]["files"]}
    assert written == {"dlsetup/library-path.txt", "bin/activate.csh", "bin/activate.ps1"}
    assert (shared.read_bytes(), (scripts / "activate.fish").read_bytes()) == before


def test_without_a_known_script_nothing_is_changed(fix: Fix, broken: Broken, made: Made) -> None:
    made("library-path")
    for path in (broken.folder / "bin").glob("activate*"):
        path.unlink()
    before = broken.tree()
    found = fix.of("library-path")
    assert (found["exit"], found["result"]) == (1, "refused"), found
    assert broken.tree() == before
