"""What the tiny indexes hold: the real names and pins of a small part of the world, in tiny wheels.

To add a wheel, add a line. Programs in them do just enough to be imported and to compute.
"""

from __future__ import annotations

import platform
import sys
from pathlib import Path

from tiny.wheels import TinyWheel

PYTHONS = ("310", "311", "312", "313", "314")
PROGRAMS = Path(__file__).parent / "programs"


def native(glibc: str = "manylinux_2_28") -> str:
    """The platform tag of the machine that runs the tests."""
    if sys.platform == "win32":
        return "win_amd64"
    if sys.platform == "darwin":
        return f"macosx_11_0_{platform.machine()}"
    return f"{glibc}_{platform.machine()}"


def compiled(name: str, version: str, **more: object) -> list[TinyWheel]:
    """One wheel for each Python."""
    return [
        TinyWheel(name, version, f"cp{number}-cp{number}-{native()}", **more)  # type: ignore[arg-type]
        for number in PYTHONS
    ]


def program(name: str, **words: str) -> str:
    """The text of a tiny program with its words filled in."""
    text = (PROGRAMS / f"{name}.py").read_text("utf-8")
    for word, value in words.items():
        text = text.replace(f"@{word}@", value)
    return text


def torch(version: str, cuda: str | None, *requires: str) -> list[TinyWheel]:
    files = {
        "torch/__init__.py": program("torch"),
        "torch/version.py": f"__version__ = {version!r}\ncuda: str | None = {cuda!r}\nhip = None\n",
    }
    return compiled("torch", version, requires=requires, files=files)


def torchvision(version: str, torch_version: str) -> list[TinyWheel]:
    files = {"torchvision/__init__.py": program("torchvision", version=version, torch=torch_version)}
    return compiled("torchvision", version, requires=(f"torch=={torch_version}",), files=files)


def nvidia(name: str, version: str, library: str, number: str) -> TinyWheel:
    """A CUDA library wheel. Those of two majors own the same files, with different contents."""
    files = {
        f"nvidia/{library}/__init__.py": "",
        f"nvidia/{library}/include/{library}.h": f"/* {name} {version} */\n",
        f"nvidia/{library}/lib/lib{library}.so.{number}": f"{name} {version}\n",
    }
    return TinyWheel(name, version, f"py3-none-{native('manylinux_2_27')}", files=files)


def onnxruntime(name: str, version: str) -> list[TinyWheel]:
    files = {
        "onnxruntime/__init__.py": program("onnxruntime", version=version, build=name),
        "onnxruntime/engine.py": f"build = {name!r}\n",
        "onnxruntime/LICENSE": "",
    }
    return compiled(name, version, requires=("numpy>=1.21",), files=files)


def numpy(version: str) -> list[TinyWheel]:
    return compiled(
        "numpy",
        version,
        files={
            "numpy/__init__.py": f"__version__ = {version!r}\n"
            "def main():\n    print('numpy', __version__)\n"
            "class array(list):\n    def __init__(self, rows, kind=None): super().__init__(rows)\n"
            "    def tolist(self): return list(self)\n"
        },
        scripts=("numpy-config = numpy:main",),
    )


def jax(version: str) -> list[TinyWheel]:
    return [
        TinyWheel(
            "jax",
            version,
            requires=(
                f"jaxlib=={version}",
                "numpy>=1.26",
                f"jax-cuda12-plugin=={version}; extra == 'cuda12'",
                "nvidia-cudnn-cu12>=9.8; extra == 'cuda12'",
            ),
            extras=("cuda12",),
            files={"jax/__init__.py": program("jax", version=version), "jax/numpy.py": program("jax_numpy")},
        ),
        *compiled("jaxlib", version, files={"jaxlib/__init__.py": f"__version__ = {version!r}\n"}),
        *compiled("jax-cuda12-plugin", version, files={"jax_cuda12_plugin/__init__.py": ""}),
    ]


def tensorflow(version: str) -> list[TinyWheel]:
    requires = ("numpy>=1.26", "nvidia-cudnn-cu12>=9.3,<10; extra == 'and-cuda'")
    files = {"tensorflow/__init__.py": program("tensorflow", version=version)}
    return compiled("tensorflow", version, requires=requires, extras=("and-cuda",), files=files)


def shelves() -> dict[str, list[TinyWheel]]:
    """Wheels by index."""
    return {
        "default": [
            *torch("2.14.1", "13.0", "nvidia-cudnn-cu13==9.24.0.43", "numpy"),
            *torch("2.13.0", "13.0", "nvidia-cudnn-cu13==9.20.0.48", "numpy"),
            *torchvision("0.29.1", "2.14.1"),
            *torchvision("0.28.0", "2.13.0"),
            nvidia("nvidia-cudnn-cu12", "9.10.2.21", "cudnn", "9"),
            nvidia("nvidia-cudnn-cu12", "9.20.0.48", "cudnn", "9"),
            nvidia("nvidia-cudnn-cu13", "9.20.0.48", "cudnn", "9"),
            nvidia("nvidia-cudnn-cu13", "9.24.0.43", "cudnn", "9"),
            nvidia("nvidia-nccl-cu12", "2.27.7", "nccl", "2"),
            nvidia("nvidia-nccl-cu13", "2.30.7", "nccl", "2"),
            *onnxruntime("onnxruntime", "1.31.1"),
            *onnxruntime("onnxruntime-gpu", "1.31.1"),
            *numpy("2.3.5"),
            *numpy("1.26.4"),
            *jax("0.10.2"),
            *jax("0.10.1"),
            *tensorflow("2.21.0"),
            TinyWheel("pip", "26.0", files={"pip/__init__.py": "", "pip/__main__.py": program("pip")}),
        ],
        "pytorch-cpu": [
            *torch("2.14.1+cpu", None, "numpy"),
            *torchvision("0.29.1+cpu", "2.14.1"),
        ],
        "pytorch-cu126": [
            *torch("2.14.1+cu126", "12.6", "nvidia-cudnn-cu12==9.20.0.48", "numpy"),
            *torchvision("0.29.1+cu126", "2.14.1"),
            *torch("2.13.0+cu126", "12.6", "nvidia-cudnn-cu12==9.20.0.48", "numpy"),
            TinyWheel("numpy", "9.9.9", files={"numpy/__init__.py": "__version__ = 'of another index'\n"}),
        ],
    }
