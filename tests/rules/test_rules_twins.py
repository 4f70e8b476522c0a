"""Twins are told by the catalog and by the files they share; parts of one thing are none."""

from __future__ import annotations

import pytest
from packaging.version import Version

from dlsetup.model.framework import Catalog, Framework
from dlsetup.model.hardware import Hardware, Overlap
from dlsetup.model.machine import Distribution, Environment, SharedFiles
from dlsetup.rules.twins import twin_to_keep, twins

CATALOG = Catalog(
    frameworks=(
        Framework(
            name="onnxruntime",
            title="ONNX Runtime",
            distributions=("onnxruntime", "onnxruntime-gpu"),
            imports="onnxruntime",
            builds=(),
            twins=(("onnxruntime", "onnxruntime-gpu", "onnxruntime-directml"),),
        ),
    ),
    hardware=Hardware(
        overlaps=(Overlap(distributions=("lib-cu12", "lib-cu13"), path="lib/lib.so", source="seen"),)
    ),
)


def environment(*names: str, shared: int = 0, asks: tuple[str, ...] = ()) -> Environment:
    items = tuple(Distribution(name=name, version=Version("1"), requires=()) for name in names)
    asking = Distribution(name="asking", version=Version("1"), requires=asks)
    files = (SharedFiles(owners=names, count=shared, example="x/__init__.py"),) if shared else ()
    return Environment(path="/e", kind="venv", distributions=(*items, asking), shared_files=files)


def test_the_catalog_tells() -> None:
    both = environment("onnxruntime", "onnxruntime-gpu")
    assert twins(both, CATALOG) == {"onnxruntime": ("onnxruntime", "onnxruntime-gpu")}
    assert twins(environment("onnxruntime-gpu"), CATALOG) == {}


@pytest.mark.parametrize(
    ("names", "count", "found"),
    [
        (("opencv-python", "opencv-python-headless"), 30, True),
        (("opencv-python", "opencv-python-headless"), 2, False),
        (("opencv-python", "pillow"), 30, False),
        (("nvidia-cudnn-cu12", "nvidia-cudnn-cu13"), 30, False),
        (("lib-cu12", "lib-cu13"), 30, False),
    ],
)
def test_shared_files_tell(names: tuple[str, ...], count: int, found: bool) -> None:
    assert bool(twins(environment(*names, shared=count), CATALOG)) is found


def test_a_shell_and_what_it_brings_are_no_twins() -> None:
    shell = Distribution(name="tensor-shell", version=Version("1"), requires=("tensor-intel==1",))
    brought = Distribution(name="tensor-intel", version=Version("1"), requires=())
    shared = SharedFiles(owners=("tensor-shell", "tensor-intel"), count=9, example="t.py")
    both = Environment(path="/e", kind="venv", distributions=(shell, brought), shared_files=(shared,))
    assert twins(both, CATALOG) == {}


def test_which_one_stays() -> None:
    both = environment("onnxruntime", "onnxruntime-gpu", asks=("onnxruntime>=1.10",))
    group = ("onnxruntime", "onnxruntime-gpu")
    assert twin_to_keep(group, both, gpu=True) == "onnxruntime-gpu"
    assert twin_to_keep(group, both, gpu=False) == "onnxruntime"
    open_cv = ("opencv-contrib-python", "opencv-python")
    asked = environment(*open_cv, asks=("OpenCV_Python; extra == 'cv'",))
    assert twin_to_keep(open_cv, asked, gpu=True) == "opencv-python"
    assert twin_to_keep(open_cv, environment(*open_cv), gpu=True) == "opencv-contrib-python"
