"""A conda channel of tiny packages, and a conda tool that solves and installs with rattler."""

from __future__ import annotations

import asyncio
import hashlib
import io
import json
import os
import subprocess
import sys
import sysconfig
import tarfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tiny.broken import Broken
from tiny.wheels import TinyWheel, contents_of, record_line
from tiny.world import jax, numpy, onnxruntime, program

SITE = f"lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"
PY = f"py{sys.version_info.major}{sys.version_info.minor}"
PYTHON = ".".join(map(str, sys.version_info[:3]))
TOOL = Path(__file__).parent / "programs" / "conda_tool.py"


@dataclass(frozen=True)
class TinyPackage:
    """One conda package. `files` maps paths in the prefix to contents, or to where a link leads."""

    name: str
    version: str
    build: str = "0"
    number: int = 0
    depends: tuple[str, ...] = ()
    files: Mapping[str, str | bytes | Path] = field(default_factory=dict)

    def index(self, subdir: str) -> dict[str, object]:
        return {
            "name": self.name,
            "version": self.version,
            "build": self.build,
            "build_number": self.number,
            "depends": list(self.depends),
            "subdir": subdir,
            "timestamp": 1_780_000_000_000,
        }


def python_package() -> TinyPackage:
    """A Python whose prefix is wherever it lies, with the standard library of the one that runs the tests."""
    library = Path(sysconfig.get_path("stdlib"))
    entries = [path for path in library.iterdir() if path.name not in ("site-packages", "__pycache__")]
    place = f"lib/{Path(SITE).parts[1]}"
    files: dict[str, str | bytes | Path] = {f"{place}/{path.name}": path for path in entries}
    files["bin/python3"] = files["bin/python"] = Path(Path(SITE).parts[1])
    files[f"bin/{Path(SITE).parts[1]}"] = Path(os.path.realpath(sys.executable)).read_bytes()
    files[f"{SITE}/README.txt"] = "Python packages.\n"
    return TinyPackage("python", PYTHON, "h955ad1f_0_cpython", files=files)


def of_wheel(name: str, build: str, wheel: TinyWheel, *depends: str, number: int = 0) -> TinyPackage:
    """What conda makes of a wheel: the same files with its own installer's mark."""
    info = f"{wheel.folder}.dist-info"
    inside = {**contents_of(wheel), f"{info}/INSTALLER": "conda\n"}
    record = f"{info}/RECORD"
    inside[record] = "".join(record_line(*item) for item in inside.items()) + f"{record},,\n"
    version = wheel.version.partition("+")[0]
    files: dict[str, str | bytes | Path] = {f"{SITE}/{path}": data for path, data in inside.items()}
    return TinyPackage(name, version, build, number, (f"python {PYTHON[:4]}.*", *depends), files)


def of_this_python(wheels: Iterable[TinyWheel]) -> TinyWheel:
    return next(wheel for wheel in wheels if f"cp{PY[2:]}-" in wheel.tag)


def pytorch(version: str, cuda: str | None) -> TinyPackage:
    files = {
        "torch/__init__.py": program("torch"),
        "torch/version.py": f"__version__ = {version!r}\ncuda: str | None = {cuda!r}\nhip = None\n",
    }
    wheel = TinyWheel("torch", version, requires=("numpy",), files=files)
    if cuda is None:
        return of_wheel("pytorch", f"cpu_generic_{PY}_h1a2b3c4_0", wheel, "numpy")
    build = f"cuda{cuda.replace('.', '')}_generic_{PY}_h1a2b3c4_200"
    bounds = (f"cuda-version >={cuda},<{int(cuda.split('.')[0]) + 1}", "__cuda")
    return of_wheel("pytorch", build, wheel, "numpy", *bounds, number=200)


def torchvision(version: str, torch_version: str, cuda: str | None) -> TinyPackage:
    text = program("torchvision", version=version, torch=torch_version)
    wheel = TinyWheel("torchvision", version, files={"torchvision/__init__.py": text})
    build = f"{'cpu' if cuda is None else 'cuda' + cuda.replace('.', '')}_{PY}_h5d6e7f8_0"
    flavour = "cpu*" if cuda is None else f"cuda{cuda.replace('.', '')}*"
    return of_wheel("torchvision", build, wheel, f"pytorch {torch_version} {flavour}")


def jax_parts(version: str) -> Iterator[TinyPackage]:
    """JAX, whose library tells by its build what it is for."""
    whole, *others = jax(version)
    library = of_this_python([item for item in others if item.name == "jaxlib"])
    plugin = of_this_python([item for item in others if item.name != "jaxlib"])
    yield of_wheel("jax", "pyhd8ed1ab_0", whole, f"jaxlib {version}", "numpy")
    yield of_wheel("jaxlib", f"cpu_{PY}h2_0", library)
    both = TinyWheel(library.name, version, library.tag, files={**library.files, **plugin.files})
    yield of_wheel("jaxlib", f"cuda126{PY}h2_200", both, "cuda-version >=12.6,<13", "__cuda", number=200)


def packages() -> Iterator[TinyPackage]:
    """What the channel holds."""
    yield python_package()
    for version in ("2.3.5", "1.26.4"):
        yield of_wheel("numpy", f"{PY}h0_0", of_this_python(numpy(version)))
    for version, vision in (("2.14.1", "0.29.1"), ("2.13.0", "0.28.0")):
        yield TinyPackage("pytorch-cpu", version, depends=(f"pytorch {version} cpu*",))
        yield TinyPackage("pytorch-gpu", version, depends=(f"pytorch {version} cuda*",))
        for cuda in (None, "12.6", "13.0"):
            yield pytorch(version, cuda)
            yield torchvision(vision, version, cuda)
    yield pytorch("2.2.2", None)
    onnx = of_this_python(onnxruntime("onnxruntime", "1.31.1"))
    yield of_wheel("onnxruntime", f"{PY}h1_0_cpu", onnx, "numpy")
    yield TinyPackage("asks-for-onnxruntime", "1.0", depends=("onnxruntime",))
    yield from jax_parts("0.10.2")
    for version in ("12.6", "12.9", "13.0"):
        yield TinyPackage("cuda-version", version)
    pip = TinyWheel("pip", "26.0", files={"pip/__init__.py": "", "pip/__main__.py": program("pip")})
    yield of_wheel("pip", f"{PY}h0_0", pip)
    started = (
        "import os, sys; print(sys.prefix, os.environ['CONDA_PREFIX'], os.environ['PATH'].split(':')[0])\n"
    )
    kernel = TinyWheel(
        "ipykernel", "7.1.0", files={"ipykernel/__init__.py": "", "ipykernel_launcher.py": started}
    )
    yield of_wheel("ipykernel", "pyh1_0", kernel)
    yield TinyPackage("zlib", "1.3.1", files={"lib/libz.so.1": "zlib\n"})


def make_channel(folder: Path, subdirs: tuple[str, ...] = ()) -> Path:
    """Builds every package and the index of the channel: for this machine, or for the named platforms.

    CUDA builds are for Linux alone.
    """
    import rattler
    from rattler.index import index_fs

    (folder / "noarch").mkdir(parents=True)
    for subdir in subdirs or (str(rattler.Subdir.current()),):
        (folder / subdir).mkdir()
        for package in packages():
            if subdir.startswith("linux") or not ("cuda" in package.build or package.name.endswith("-gpu")):
                _build(package, folder / subdir, subdir)
    asyncio.run(index_fs(folder, write_zst=False, write_shards=False))
    return folder


def _build(package: TinyPackage, folder: Path, subdir: str) -> None:
    entries = []
    with tarfile.open(folder / f"{package.name}-{package.version}-{package.build}.tar.bz2", "w:bz2") as file:
        for path, content in package.files.items():
            data = content.encode() if isinstance(content, str) else content
            about = {"_path": path, "path_type": "softlink" if isinstance(data, Path) else "hardlink"}
            if isinstance(data, Path):
                _add(file, path, b"", str(data))
                about |= {"sha256": hashlib.sha256(b"").hexdigest(), "size_in_bytes": 0}
            else:
                _add(file, path, data)
                about |= {"sha256": hashlib.sha256(data).hexdigest(), "size_in_bytes": len(data)}
            entries.append(about)
        _add(file, "info/index.json", json.dumps(package.index(subdir)).encode())
        _add(file, "info/paths.json", json.dumps({"paths": entries, "paths_version": 1}).encode())
        _add(file, "info/files", "".join(f"{path}\n" for path in package.files).encode())


def _add(file: tarfile.TarFile, path: str, data: bytes, link: str = "") -> None:
    item = tarfile.TarInfo(path)
    item.mode = 0o755 if path.startswith("bin/") else 0o644
    item.mtime = 1_780_000_000
    if link:
        item.type, item.linkname = tarfile.SYMTYPE, link
        file.addfile(item)
    else:
        item.size = len(data)
        file.addfile(item, io.BytesIO(data))


@dataclass
class CondaWorld:
    """The tool, its channel, and one environment that it made."""

    tool: Path
    channel: Path
    broken: Broken
    record: Path

    def install(self, *specs: str) -> None:
        """By conda, as a user would on a machine with a new driver."""
        words = ("install", "--yes", "--prefix", str(self.broken.folder), "--override-channels")
        argv = [str(self.tool), *words, "--channel", f"file://{self.channel}", *specs]
        environ = {**self.broken.environ, "CONDA_OVERRIDE_CUDA": "13.0"}
        subprocess.run(argv, env=environ, check=True, capture_output=True)

    def builds(self) -> dict[str, str]:
        """Version and build of every package that conda has there."""
        records = [
            json.loads(path.read_text()) for path in (self.broken.folder / "conda-meta").glob("*.json")
        ]
        return {item["name"]: f"{item['version']} {item['build']}" for item in records}

    def calls(self) -> list[list[str]]:
        """How the tool was called, call by call."""
        lines = self.record.read_text().splitlines() if self.record.exists() else []
        return [json.loads(line) for line in lines]


def make_tool(folder: Path, name: str = "micromamba") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    tool = folder / name
    tool.write_text(f'#!/bin/sh\nunset PYTHONPATH\nexec "{sys.executable}" "{TOOL}" "$@"\n')
    tool.chmod(0o755)
    return tool


def make_world(folder: Path, channel: Path, environ: dict[str, str]) -> CondaWorld:
    """An empty prefix with Python in it. `environ` is added to: the tool is on PATH from now on."""
    tool = make_tool(folder / "conda-bin")
    record = folder / "conda-calls"
    environ |= {
        "PATH": f"{tool.parent}{os.pathsep}{environ['PATH']}",
        "TINY_CONDA_RECORD": str(record),
        "TINY_CONDA_CACHE": str(folder / "conda-cache"),
    }
    own = {**environ, "UV_CACHE_DIR": str(folder / "cache-of-the-breaker")}
    prefix = folder / "envs" / "a conda env"
    (prefix / "conda-meta").mkdir(parents=True)
    world = CondaWorld(tool, channel, Broken(prefix, own), record)
    world.install("python", "numpy==2.3.5")
    record.unlink()
    return world
