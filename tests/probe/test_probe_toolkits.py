"""CUDA toolkits by every place and file that tells of them."""

from __future__ import annotations

import pytest
from probe_roots import Root

from dlsetup.model.machine import Toolkit
from dlsetup.model.record import UNKNOWN
from dlsetup.model.versions import CudaVersion
from dlsetup.probe.notes import Notes
from dlsetup.probe.toolkits import toolkits


def seen(root: Root, **more: str) -> tuple[Toolkit, ...]:
    return toolkits(root.host(**more), Notes())


def test_none(root: Root) -> None:
    root.linux()
    root.folder_at("/usr/local/cuda-12.4")
    assert seen(root) == (), "an empty folder is no toolkit"


def test_several_side_by_side_and_the_one_that_a_build_would_use(root: Root) -> None:
    root.write(
        "/usr/local/cuda-11.8/version.json", '{"cuda": {"name": "CUDA SDK", "version": "11.8.20220929"}}'
    )
    root.write("/usr/local/cuda-12.4/version.json", '{"cuda": {"name": "CUDA SDK", "version": "12.4.1"}}')
    root.link("/usr/local/cuda", "/usr/local/cuda-12.4")
    assert [(item.path, str(item.version), item.default) for item in seen(root)] == [
        ("/usr/local/cuda-11.8", "11.8.20220929", False),
        ("/usr/local/cuda-12.4", "12.4.1", True),
    ]
    root.environ["CUDA_HOME"] = "/usr/local/cuda-11.8/"
    assert [item.default for item in seen(root)] == [True, False]


@pytest.mark.parametrize(
    ("path", "text", "version"),
    [
        ("version.json", '{"cuda": {"version": "12.8.1"}}', "12.8.1"),
        ("version.txt", "CUDA Version 10.2.89\n", "10.2.89"),
        ("include/cuda.h", "#define CUDA_VERSION 12040\n", "12.4"),
        ("targets/x86_64-linux/include/cuda.h", "#define CUDA_VERSION 13000\n", "13.0"),
    ],
)
def test_each_file_that_tells_the_version(root: Root, path: str, text: str, version: str) -> None:
    root.write(f"/opt/cuda/{path}", text)
    (found,) = seen(root)
    assert found.version == CudaVersion(version)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"cuda": 3}', '{"cuda": {"version": "new"}}', "[" * 9000])
def test_a_broken_version_file_leaves_the_folder_name(root: Root, text: str) -> None:
    root.write("/usr/local/cuda-12.6/version.json", text)
    root.program("/usr/local/cuda-12.6/bin/nvcc", "exit 1")
    (found,) = seen(root)
    assert found.version == CudaVersion("12.6")


def test_the_compiler_is_asked_last(root: Root) -> None:
    root.environ["CUDA_HOME"] = "/srv/kit"
    root.program("/srv/kit/bin/nvcc", "echo 'Cuda compilation tools, release 12.1, V12.1.105'")
    (found,) = seen(root)
    assert (found.version, found.found_via, found.default) == (CudaVersion("12.1"), "CUDA_HOME", True)


def test_one_that_nothing_names_is_unknown(root: Root) -> None:
    root.environ["CUDA_HOME"] = "/srv/kit"
    root.program("/srv/kit/bin/nvcc", "exit 1")
    notes = Notes()
    (found,) = toolkits(root.host(), notes)
    assert found.version is UNKNOWN
    assert [gap.ask for gap in notes.gaps] == ["/srv/kit/bin/nvcc --version"]


def test_a_script_that_only_starts_the_compiler(root: Root) -> None:
    root.environ["PATH"] = "/usr/local/bin:/usr/bin"
    root.write("/usr/local/cuda-13.0/include/cuda.h", "#define CUDA_VERSION 13000\n")
    root.program("/usr/local/cuda-13.0/bin/nvcc")
    root.program("/usr/local/bin/nvcc", 'exec /usr/local/cuda-13.0/bin/nvcc "$@"')
    assert [(item.path, item.default) for item in seen(root)] == [("/usr/local/cuda-13.0", True)]


def test_debian_packs_its_own(root: Root) -> None:
    root.program("/usr/bin/nvcc", "exec /usr/lib/nvidia-cuda-toolkit/bin/nvcc")
    root.program("/usr/lib/nvidia-cuda-toolkit/bin/nvcc", "echo 'release 11.8, V11.8.89'")
    (found,) = seen(root)
    assert (found.path, found.version) == ("/usr/lib/nvidia-cuda-toolkit", CudaVersion("11.8"))


def test_windows(root: Root) -> None:
    home = "C:/Program Files/NVIDIA GPU Computing Toolkit/CUDA/v12.4"
    root.write(f"{home}/bin/nvcc.exe")
    root.environ["CUDA_PATH"] = home
    (found,) = seen(root, platform="win32")
    assert (found.version, found.default) == (CudaVersion("12.4"), True)
