"""What a shared object needs of another one and does not find in the copy that came in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from dlsetup.model.cuda_names import library_of, symbols_begin
from dlsetup.model.libraries import Lack

if TYPE_CHECKING:
    from dlsetup.rules.loader import Files, Resident


def refusal(consumer: Resident, provider: Resident, lack: Lack) -> str:
    """What the loader says of something that is missing."""
    if lack.versions:
        wanted = f"version `{lack.versions[0]}' not found (required by {consumer.file.path})"
        return f"{provider.file.path}: {wanted}"
    return f"{consumer.file.path}: undefined symbol: {lack.symbols[0]}"


def lacks_of(
    consumer: Resident, everyone: Sequence[Resident], files: Files
) -> Iterator[tuple[Resident, Lack]]:
    """What a file misses in each library it was linked against: versions first, else symbols.

    Symbols are looked at in CUDA libraries alone: of all others their versions are enough.
    """
    told = {need.file for need in consumer.file.needs}
    for need in consumer.file.needs:
        provider = _of_name(need.file, everyone)
        if provider is None or not provider.file.defines:
            continue
        missing = tuple(item for item in need.versions if item not in provider.file.defines)
        if missing:
            yield provider, Lack(consumer=consumer.file.path, versions=missing)
        elif library_of(need.file):
            symbols = _unmet(consumer, need.versions, everyone, files)
            if symbols:
                yield provider, Lack(consumer=consumer.file.path, symbols=symbols)
    for name in consumer.file.needed:
        library = library_of(name)
        provider = _of_name(name, everyone) if library and name not in told else None
        if provider is not None and library:
            symbols = _unmet_by_prefix(consumer, symbols_begin(library), everyone, files)
            if symbols:
                yield provider, Lack(consumer=consumer.file.path, symbols=symbols)


def _of_name(name: str, everyone: Sequence[Resident]) -> Resident | None:
    return next((item for item in everyone if name == item.file.soname or name in item.names), None)


def _unmet(
    consumer: Resident, versions: Iterable[str], everyone: Sequence[Resident], files: Files
) -> tuple[str, ...]:
    """Symbols of these versions that nobody in the process offers."""
    of = set(versions)
    wanted = {item for item in files.symbols(consumer.file.path).wanted if item[1] in of}
    for item in everyone:
        if not wanted:
            break
        if of & set(item.file.defines):
            wanted -= files.symbols(item.file.path).offered
    return tuple(sorted(name for name, _ in wanted))


def _unmet_by_prefix(
    consumer: Resident, prefix: str, everyone: Sequence[Resident], files: Files
) -> tuple[str, ...]:
    """Symbols without a version, of a library's own naming, that nobody in the process offers."""
    wanted = {
        name
        for name, version in files.symbols(consumer.file.path).wanted
        if not version and name.startswith(prefix)
    }
    for item in everyone:
        if not wanted:
            break
        wanted -= {name for name, _ in files.symbols(item.file.path).offered}
    return tuple(sorted(wanted))
