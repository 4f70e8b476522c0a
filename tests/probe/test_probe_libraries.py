"""Every copy of a CUDA library: whose it is and which version."""

from __future__ import annotations

from packaging.version import Version
from probe_roots import Root

from dlsetup.model.machine import Distribution, Environment, Library, Owner
from dlsetup.model.record import UNKNOWN
from dlsetup.probe.libraries import libraries
from dlsetup.probe.notes import Notes

SITE = "/home/ada/project/.venv/lib/python3.12/site-packages"


def seen(root: Root, environment: Environment | None = None, *toolkits: str, **more: str) -> list[Library]:
    return list(libraries(root.host(**more), Notes(), environment, toolkits))


def venv(
    *installed: tuple[str, str], site: str = SITE, kind: str = "venv", installer: str = "pip"
) -> Environment:
    return Environment(
        path=site.partition("/lib/")[0],
        kind=kind,  # type: ignore[arg-type]
        distributions=tuple(
            Distribution(name=name, version=Version(version), location=site, installer=installer)
            for name, version in installed
        ),
    )


def test_wheels_of_cuda_12(root: Root) -> None:
    root.write(f"{SITE}/nvidia/cublas/lib/libcublas.so.12")
    root.write(f"{SITE}/nvidia/cublas/lib/libcublasLt.so.12")
    root.write(f"{SITE}/nvidia/cuda_runtime/lib/libcudart.so.12")
    root.write(f"{SITE}/nvidia/cudnn/lib/libcudnn.so.9")
    root.write(f"{SITE}/nvidia/nvjitlink/lib/libnvJitLink.so.12")
    environment = venv(
        ("nvidia-cublas-cu12", "12.6.4.1"),
        ("nvidia-cuda-runtime-cu12", "12.6.77"),
        ("nvidia-cudnn-cu12", "9.5.1.17"),
        ("nvidia-nvjitlink-cu12", "12.6.85"),
    )
    found = {item.library: item for item in seen(root, environment)}
    assert {name: (item.owner.name, str(item.version)) for name, item in found.items()} == {
        "cublas": ("nvidia-cublas-cu12", "12.6.4.1"),
        "cublaslt": ("nvidia-cublas-cu12", "12.6.4.1"),
        "cudart": ("nvidia-cuda-runtime-cu12", "12.6.77"),
        "cudnn": ("nvidia-cudnn-cu12", "9.5.1.17"),
        "nvjitlink": ("nvidia-nvjitlink-cu12", "12.6.85"),
    }
    assert found["cudnn"] == Library(
        library="cudnn",
        version=Version("9.5.1.17"),
        soname="libcudnn.so.9",
        path=f"{SITE}/nvidia/cudnn/lib/libcudnn.so.9",
        owner=Owner(kind="wheel", name="nvidia-cudnn-cu12"),
        environment="/home/ada/project/.venv",
    )


def test_wheels_of_cuda_13_share_one_folder(root: Root) -> None:
    root.write(f"{SITE}/nvidia/cu13/lib/libcudart.so.13")
    root.write(f"{SITE}/nvidia/cuda_runtime/lib/libcudart.so.12")
    environment = venv(("nvidia-cuda-runtime", "13.0.96"), ("nvidia-cuda-runtime-cu12", "12.6.77"))
    assert [(item.soname, item.owner.name, str(item.version)) for item in seen(root, environment)] == [
        ("libcudart.so.13", "nvidia-cuda-runtime", "13.0.96"),
        ("libcudart.so.12", "nvidia-cuda-runtime-cu12", "12.6.77"),
    ]


def test_a_file_of_two_owners_has_the_version_of_its_header(root: Root) -> None:
    root.write(f"{SITE}/nvidia/cudnn/lib/libcudnn.so.9")
    header = "#define CUDNN_MAJOR 9\n#define CUDNN_MINOR 24\n#define CUDNN_PATCHLEVEL 0\n"
    root.write(f"{SITE}/nvidia/cudnn/include/cudnn_version.h", header)
    environment = venv(("nvidia-cudnn-cu12", "9.10.2.21"), ("nvidia-cudnn-cu13", "9.24.0.43"))
    (found,) = seen(root, environment)
    assert found.owner == Owner(kind="wheel", name="nvidia-cudnn-cu12, nvidia-cudnn-cu13")
    assert found.version == Version("9.24.0")


def test_old_torch_wheels_bring_their_own_under_a_name_of_their_own(root: Root) -> None:
    root.write(f"{SITE}/torch/lib/libcudart-d0da41ae.so.11.0")
    (found,) = seen(root, venv(("torch", "1.13.1+cu117")))
    assert (found.library, found.owner, found.version) == (
        "cudart",
        Owner(kind="wheel", name="torch"),
        UNKNOWN,
    ), "11.0 is the interface of all of CUDA 11"


def test_links_to_one_file_are_one_copy(root: Root) -> None:
    folder = "/usr/local/cuda-12.4/targets/x86_64-linux/lib"
    root.write(f"{folder}/libcudart.so.12.4.127")
    root.link(f"{folder}/libcudart.so.12", "libcudart.so.12.4.127")
    root.link(f"{folder}/libcudart.so", "libcudart.so.12")
    root.link("/usr/local/cuda-12.4/lib64", "targets/x86_64-linux/lib")
    root.environ["LD_LIBRARY_PATH"] = "/usr/local/cuda-12.4/lib64"
    (found,) = seen(root, None, "/usr/local/cuda-12.4")
    assert (found.soname, found.version) == ("libcudart.so.12", Version("12.4.127"))
    assert found.owner == Owner(kind="toolkit", name="/usr/local/cuda-12.4")


def test_a_header_of_another_major_says_nothing(root: Root) -> None:
    root.write("/usr/lib/x86_64-linux-gnu/libcudnn.so.8")
    header = "#define CUDNN_MAJOR 9\n#define CUDNN_MINOR 1\n#define CUDNN_PATCHLEVEL 0\n"
    root.write("/usr/include/cudnn_version.h", header)
    (found,) = seen(root)
    assert (found.owner.kind, found.version) == ("system", UNKNOWN)


def test_a_folder_of_ld_library_path_belongs_to_nobody_we_know(root: Root) -> None:
    root.write("/scratch/lib/libnccl.so.2.18.3")
    root.link("/scratch/lib/libnccl.so.2", "libnccl.so.2.18.3")
    root.environ["LD_LIBRARY_PATH"] = "/scratch/lib:relative:"
    (found,) = seen(root)
    assert (found.owner.kind, found.version, found.path) == (
        "nobody",
        Version("2.18.3"),
        "/scratch/lib/libnccl.so.2",
    )


def test_the_cache_of_the_loader_tells_more_folders(root: Root) -> None:
    root.write("/srv/cudnn/lib/libcudnn.so.9.1.0")
    root.write("/etc/ld.so.cache", b"ld.so-1.7.0\0libcudnn.so.9.1.0\0/srv/cudnn/lib/libcudnn.so.9.1.0\0")
    assert [item.path for item in seen(root)] == ["/srv/cudnn/lib/libcudnn.so.9.1.0"]


def test_conda(root: Root) -> None:
    prefix = "/home/ada/miniforge3/envs/ml"
    root.write(f"{prefix}/lib/libcudart.so.12.4.127")
    root.link(f"{prefix}/lib/libcudart.so.12", "libcudart.so.12.4.127")
    root.write(f"{prefix}/lib/libcudnn.so.9.3.0")
    environment = venv(
        ("cuda-cudart", "12.4.127"),
        ("cudnn", "9.3.0.75"),
        site=f"{prefix}/lib/python3.11/site-packages",
        kind="conda",
        installer="conda",
    )
    assert [
        (item.library, item.owner.kind, item.owner.name, str(item.version))
        for item in seen(root, environment)
    ] == [
        ("cudart", "conda", "cuda-cudart", "12.4.127"),
        ("cudnn", "conda", "cudnn", "9.3.0.75"),
    ]


def test_conda_before_cuda_12_has_one_package_for_all(root: Root) -> None:
    prefix = "/opt/conda/envs/old"
    root.write(f"{prefix}/lib/libcublas.so.11.11.3.6")
    site = f"{prefix}/lib/python3.9/site-packages"
    environment = venv(("cudatoolkit", "11.8.0"), site=site, kind="conda", installer="conda")
    (found,) = seen(root, environment)
    assert (found.owner.name, found.version) == ("cudatoolkit", Version("11.11.3.6"))


def test_windows(root: Root) -> None:
    site = "C:/tf/.venv/Lib/site-packages"
    root.write(f"{site}/nvidia/cudnn/bin/cudnn64_9.dll")
    root.write(f"{site}/nvidia/cudnn/bin/cudnn_ops64_9.dll")
    root.write(f"{site}/torch/lib/nvJitLink_120_0.dll")
    environment = venv(("nvidia-cudnn-cu12", "9.5.1.17"), ("torch", "2.6.0"), site=site)
    assert [(item.library, item.owner.name) for item in seen(root, environment, platform="win32")] == [
        ("cudnn", "nvidia-cudnn-cu12"),
        ("nvjitlink", "torch"),
    ]


def test_macos_has_none(root: Root) -> None:
    root.write("/usr/local/lib/libcudnn.so.9")
    assert seen(root, platform="darwin") == []


def test_too_many_are_cut_with_a_gap(root: Root) -> None:
    for number in range(510):
        root.write(f"/scratch/lib/libnccl.so.2.{number}.0")
    root.environ["LD_LIBRARY_PATH"] = "/scratch/lib"
    notes = Notes()
    assert len(libraries(root.host(), notes, None)) == 500
    assert [gap.fact for gap in notes.gaps] == ["libraries"]
