"""Details of what is said of installations that broke off, and of those that did not."""

from __future__ import annotations

from collections.abc import Callable

from judge_broken_cases import BROKEN_CASES, CUDNN, TORCH, USER
from judge_machines import SITE, commands, dist, found, ids, machine, with_environment

from dlsetup.model.finding import Diagnosis
from dlsetup.model.machine import Distribution, Machine
from dlsetup.model.remains import Remains

Judge = Callable[[Machine], Diagnosis]


def test_a_source_tree_and_its_editable_install_are_one(judged: Judge) -> None:
    tree = dist("torch", "2.14.1+cu126", "cu126", location="/home/ada/my src/torch", installer="pip")
    linked = dist("torch", "2.14.1+cu126", "cu126", origin="file:///home/ada/my%20src/torch")
    elsewhere = dist("torch", "2.14.1+cu126", "cu126", origin="file:///home/ada/my%20src/tor")
    assert "duplicate-torch-installs" not in ids(judged(machine(linked, tree)))
    assert "duplicate-torch-installs" in ids(judged(machine(elsewhere, tree)))


def test_the_copy_that_is_found_first_is_named(judged: Judge) -> None:
    user = dist("nvidia-cudnn-cu12", "9.1.0.70", location=USER)
    told = found(judged(machine(TORCH, user, CUDNN)), "cuda-library-in-two-folders")
    assert f"take 9.1.0.70 out of `{USER}`" in told.because


def test_what_conda_lists_beside_is_no_second_metadata(judged: Judge) -> None:
    conda = dist("torch", "2.9.1", "cu126", installer="conda")
    assert "distribution-metadata-twice" not in ids(judged(machine(TORCH, conda)))


def test_what_nothing_asks_for_is_a_lesser_matter(judged: Judge) -> None:
    def severity(*installed: Distribution) -> str:
        gone = Remains(
            kind="emptied",
            distribution="nvidia-nccl-cu12",
            location=SITE,
            example="nvidia/nccl/lib/libnccl.so.2",
        )
        seen = with_environment(machine(dist("nvidia-nccl-cu12", "2.27.5"), *installed), remains=(gone,))
        return found(judged(seen), "distribution-half-removed").severity

    asking = dist("torch", "2.9.1+cu126", "cu126", requires=("nvidia-nccl-cu12==2.27.5",))
    assert (severity(), severity(asking)) == ("warning", "error")


def test_the_remedy_writes_the_files_again(judged: Judge) -> None:
    told = found(judged(BROKEN_CASES["distribution-half-removed"][0]), "distribution-half-removed")
    first = commands(told)[0]
    assert "torch==2.14.1+cu126" in first
    assert "--force-reinstall" in first or "--reinstall" in first
