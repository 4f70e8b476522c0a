"""What a loader reads of shared objects, what it goes by, and what frameworks have it do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec
from packaging.version import Version

from dlsetup.model.record import Record
from dlsetup.model.source import Source


class VersionNeed(Record, frozen=True, kw_only=True):
    """Versions of symbols that must be in another shared object."""

    file: str
    """The SONAME it was linked against."""
    versions: tuple[str, ...]
    """Without those that are needed weakly."""


class SharedObject(Record, frozen=True, kw_only=True):
    """What a loader reads of one file."""

    path: str
    """As it was opened: links in it are not followed, and `$ORIGIN` is its folder."""
    soname: str = ""
    needed: tuple[str, ...] = ()
    rpath: tuple[str, ...] = ()
    """Empty where there is a RUNPATH: a loader does not look at both."""
    runpath: tuple[str, ...] = ()
    needs: tuple[VersionNeed, ...] = ()
    defines: tuple[str, ...] = ()
    """Names of its versions; empty: its symbols have none."""
    closed: bool = False
    """Whether it forbids the loader's own folders (DF_1_NODEFLIB)."""
    foreign: bool = False
    """For another processor or word size: a loader passes it over and searches on."""
    fault: str = ""
    """Why a loader that meets this file gives up."""


class Symbols(Record, frozen=True, kw_only=True):
    """Names in the dynamic symbol table, each with its version or an empty text."""

    wanted: frozenset[tuple[str, str]] = frozenset()
    """What must be found elsewhere; weak wishes are left out."""
    offered: frozenset[tuple[str, str]] = frozenset()


class LoaderSettings(Record, frozen=True, kw_only=True):
    """What the loader of a machine goes by when it starts one interpreter."""

    program: str
    """The interpreter behind its links."""
    libc: Literal["glibc", "musl"] = "glibc"
    arch: str = ""
    library_path: str | None = None
    preload: tuple[str, ...] = ()
    """Of LD_PRELOAD, then of /etc/ld.so.preload."""
    cache: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Path by name; of several the one for this processor."""
    folders: tuple[str, ...] = ()
    """The loader's own, in its order."""
    lib: str = "lib64"
    """What `$LIB` stands for."""
    levels: tuple[str, ...] = ()
    """Subfolders of `glibc-hwcaps` that this processor may use, the best first."""
    folder: str = "/"
    """Where the user stands: what is relative is relative to it."""
    ctypes: str = ""
    """The module through which Python code opens libraries; empty: it is part of the interpreter."""
    sites: tuple[str, ...] = ()
    """Folders that packages are imported from, in their order."""
    abi: str = ""
    """Of its extension modules: `cpython-312`, `cpython-313t`."""


class Preload(Record, frozen=True, kw_only=True, array_like=True):
    """A library that a framework opens itself: `["cublas", "libcublas.so.*[0-9]"]`."""

    folder: str
    """What stands for `{folder}` in the places of its step."""
    name: str
    """Pattern of the file's name."""


class LoadStep(Record, frozen=True, kw_only=True):
    """One thing that a framework has the loader do: open a file, preload libraries, or ask for names."""

    open: str = ""
    """Pattern of a file below site-packages, opened by its path: `torch/_C.*so`."""
    by: Literal["import", "ctypes"] = "import"
    later: bool = False
    """It is opened when the GPU is first used: that it fails ends nothing."""
    rescue: bool = False
    """Where opening fails for one of the libraries of `preload`, these are opened and it is tried again."""
    preload: tuple[Preload, ...] = ()
    places: tuple[str, ...] = ()
    """Where they lie, below each folder of packages: `nvidia/{folder}/lib`, `nvidia/cu{major}/lib`."""
    ends: Literal["never", "failure", "absence"] = "never"
    """What ends the step early: a library that cannot be opened, or already one that is not there."""
    when: str = ""
    """It is done only where the path of a library in the process holds this."""
    ask: tuple[str, ...] = ()
    """Names that a library has the loader search when the GPU is first used."""
    of: str = ""
    """The SONAME of that library."""


class Loading(Record, frozen=True, kw_only=True):
    """What importing some releases of a framework has the loader do, in its order."""

    since: Version = msgspec.field(default_factory=lambda: Version("0"))
    """First release."""
    before: Version | None = None
    """First release that is out of the range."""
    distribution: str = ""
    """Whose releases are meant; the framework's first distribution if left out."""
    step: tuple[LoadStep, ...]
    source: str

    def holds_for(self, version: Version) -> bool:
        """Whether a release lies in the range."""
        return version >= self.since and (self.before is None or version < self.before)


class Precedence(Record, frozen=True, kw_only=True):
    """Libraries of wheels that a framework has in the process before LD_LIBRARY_PATH is asked for them."""

    since: Version
    before: Version
    """First release of which this is not known."""
    arch: tuple[str, ...]
    own: tuple[str, ...]
    """Words of `model.cuda_names`; an RPATH leads there or they are opened by path, and none asks before."""
    source: str

    def holds_for(self, version: Version, arch: str) -> bool:
        """Whether a published release for a processor is meant; what others build may be linked otherwise."""
        return self.since <= version < self.before and arch in self.arch


class Asking(Record, frozen=True, kw_only=True):
    """Names that a CUDA library has the loader search when it is first used, whoever uses it."""

    of: str
    """Its SONAME."""
    ask: tuple[str, ...]
    runpath: bool = False
    """It has a RUNPATH and no RPATH: LD_LIBRARY_PATH is searched before the folders that it names."""
    source: str


class LoadingKnowledge(Record, frozen=True, kw_only=True):
    """What is known of how frameworks and libraries load others."""

    loadings: Mapping[str, tuple[Loading, ...]] = msgspec.field(default_factory=dict)
    """By framework, newest releases first."""
    precedences: Mapping[str, tuple[Precedence, ...]] = msgspec.field(default_factory=dict)
    askings: tuple[Asking, ...] = ()
    sources: tuple[Source, ...] = ()

    def of(self, framework: str, version: Version) -> Loading | None:
        """What that release does; None where nobody wrote it down."""
        rows = self.loadings.get(framework, ())
        release = Version(version.base_version)
        return next((row for row in rows if row.holds_for(release)), None)

    def own_first(self, framework: str, version: Version, arch: str, library: str) -> Precedence | None:
        """The row that says that a release gets its wheel's copy of a library in any case."""
        rows = self.precedences.get(framework, ())
        return next((row for row in rows if library in row.own and row.holds_for(version, arch)), None)

    def parts_by_variable(self, soname: str) -> Asking | None:
        """The row that says that a library looks for its parts in LD_LIBRARY_PATH before its own folder."""
        return next((row for row in self.askings if row.of == soname and row.runpath), None)

    def words(self, source_id: str) -> str:
        """A source in words."""
        found = next((item for item in self.sources if item.id == source_id), None)
        return f"{found.what} (checked {found.checked})" if found else ""
