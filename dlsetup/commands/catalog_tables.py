"""The tables of the catalog beside the frameworks, by the names under which `catalog show` prints them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

from dlsetup.catalog.choosing import choosing
from dlsetup.catalog.images import image_sources, images
from dlsetup.catalog.load import Places, load
from dlsetup.model import codec
from dlsetup.model.choosing import Choosing
from dlsetup.model.hardware import Hardware
from dlsetup.model.image import Image
from dlsetup.model.record import Record
from dlsetup.model.source import Source
from dlsetup.show.catalog_document import Table, TableName


class World:
    """What tables are made of, read when one of them asks for it."""

    def __init__(self, places: Places) -> None:
        self._places = places

    @cached_property
    def hardware(self) -> Hardware:
        return load((), self._places).hardware

    @cached_property
    def images(self) -> tuple[Image, ...]:
        return images(self._places)

    @cached_property
    def choosing(self) -> Choosing:
        return choosing(self._places)

    def sources(self) -> tuple[Source, ...]:
        return (*self.hardware.sources, *image_sources(self._places), *self.choosing.sources)


Rows = Callable[[World], Iterable[Record]]


class Kind(Record, frozen=True, kw_only=True):
    """One kind of records."""

    name: str
    """What `catalog show` is asked for. Several kinds may share it."""
    title: str
    rows: Rows
    columns: tuple[str, ...] = ()
    """Those that words show, where all of them are too many; documents hold all."""


KINDS = (
    Kind(
        name="cuda",
        title="CUDA toolkits",
        rows=lambda it: it.hardware.toolkits,
        columns=(
            "version",
            "driver_linux",
            "driver_windows",
            "min_capability",
            "max_capability",
            "gcc",
        ),
    ),
    Kind(
        name="drivers",
        title="Oldest NVIDIA driver for a whole CUDA major",
        rows=lambda it: it.hardware.floors,
    ),
    Kind(name="drivers", title="Branches of the NVIDIA driver", rows=lambda it: it.hardware.branches),
    Kind(name="gpus", title="NVIDIA GPUs", rows=lambda it: it.hardware.gpus),
    Kind(name="cudnn", title="cuDNN", rows=lambda it: _lines(it.hardware, "cuDNN")),
    Kind(name="nccl", title="NCCL", rows=lambda it: _lines(it.hardware, "NCCL")),
    Kind(name="tensorrt", title="TensorRT", rows=lambda it: _lines(it.hardware, "TensorRT")),
    Kind(name="libraries", title="Lines of CUDA libraries", rows=lambda it: it.hardware.libraries),
    Kind(name="sonames", title="Names of the libraries of CUDA", rows=lambda it: it.hardware.shared_objects),
    Kind(
        name="overlaps", title="Distributions that write the same files", rows=lambda it: it.hardware.overlaps
    ),
    Kind(name="rocm", title="ROCm", rows=lambda it: it.hardware.rocm),
    Kind(name="amd", title="AMD GPUs", rows=lambda it: it.hardware.amd),
    Kind(name="xpu", title="Intel GPUs and PyTorch", rows=lambda it: it.hardware.xpu),
    Kind(name="mps", title="Apple's GPUs and PyTorch", rows=lambda it: it.hardware.mps),
    Kind(name="ascend", title="Ascend: CANN and frameworks", rows=lambda it: it.hardware.ascend),
    Kind(name="jetpack", title="Jetson Linux and JetPack", rows=lambda it: it.hardware.jetpacks),
    Kind(name="abi", title="C++11 ABI of torch for Linux", rows=lambda it: it.hardware.cxx_abis),
    Kind(name="tpu", title="Generations of the TPU", rows=lambda it: it.hardware.tpus),
    Kind(name="wsl", title="Windows and its kernel for GPUs in WSL 2", rows=lambda it: it.hardware.windows),
    Kind(
        name="images",
        title="Container images",
        rows=lambda it: it.images,
        columns=("repository", "cuda", "standing", "tags"),
    ),
    Kind(name="choosing", title="How frameworks are judged", rows=lambda it: it.choosing.judgements),
    Kind(name="choosing", title="What speaks for them in a domain", rows=lambda it: it.choosing.strengths),
    Kind(name="choosing", title="What shows a decline", rows=lambda it: it.choosing.declines),
    Kind(name="linux", title="C libraries of Linux distributions", rows=lambda it: it.hardware.distributions),
)
"""A new kind is one entry here."""


def table_names() -> tuple[TableName, ...]:
    """Every name once, in the order of the kinds."""
    titles: dict[str, list[str]] = {}
    for kind in KINDS:
        titles.setdefault(kind.name, []).append(kind.title)
    return tuple(TableName(name=name, title="; ".join(found)) for name, found in titles.items())


def tables_called(name: str, places: Places) -> tuple[Table, ...]:
    """The tables of that name; none for a name that is not among `table_names`."""
    kinds = [kind for kind in KINDS if kind.name == name]
    if not kinds:
        return ()
    world = World(places)
    return tuple(_table(kind, tuple(kind.rows(world)), world.sources()) for kind in kinds)


def _table(kind: Kind, rows: Sequence[Record], sources: Sequence[Source]) -> Table:
    fields = tuple(dict.fromkeys(field for row in rows for field in row.__struct_fields__))
    plain = tuple(codec.plain(row) for row in rows)
    cited = set(_cited(plain))
    return Table(
        name=kind.name,
        title=kind.title,
        columns=kind.columns or tuple(field for field in fields if not _cites(field)),
        rows=plain,
        sources=tuple(source for source in sources if source.id in cited),
    )


def _cited(value: Any) -> Iterator[str]:
    """Ids of sources in plain records, however deep."""
    if isinstance(value, dict):
        yield from (text for field, text in value.items() if _cites(field))
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _cited(item)


def _cites(field: str) -> bool:
    """Whether a field holds the id of a source."""
    return field == "source" or field.endswith("_source")


def _lines(hardware: Hardware, library: str) -> Iterator[Record]:
    return (row for row in hardware.libraries if row.library == library)
