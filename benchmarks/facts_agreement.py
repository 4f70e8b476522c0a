"""Holds the catalog's hardware rows against a folder of fact tables: `facts_agreement.py FOLDER`.

The folder holds CSV files with the columns named below. For each comparison the number of rows that
agree is printed, and each row that does not. The exit code is 1 if there is a difference.
"""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from dlsetup.catalog.folders import Folders
from dlsetup.catalog.hardware import hardware
from dlsetup.model.hardware import CudaToolkit, Hardware
from dlsetup.model.record import Unknown
from dlsetup.model.versions import ComputeCapability, CudaVersion

Rows = list[dict[str, str]]


class Said(NamedTuple):
    """What both say of one thing; empty: nothing."""

    thing: str
    facts: str
    catalog: str


def main(folder: Path) -> int:
    """Print every comparison; 1 if a row differs."""
    shipped = hardware(Folders())
    comparisons = {
        "driver shipped with a toolkit": shipped_drivers(read(folder, "cuda_driver.csv"), shipped),
        "driver floor of a CUDA major": floors(read(folder, "cuda_driver.csv"), shipped),
        "architectures of a toolkit line": ranges(read(folder, "cuda_arch_range.csv"), shipped),
        "first and last toolkit of an architecture": spans(read(folder, "cuda_arch_support.csv"), shipped),
        "host compilers of a toolkit": compilers(read(folder, "cuda_host_compiler.csv"), shipped),
        "compute capability of a GPU": gpus(read(folder, "gpu_compute_capability.csv"), shipped),
    }
    differing = [tell(title, list(said)) for title, said in comparisons.items()]
    return 1 if any(differing) else 0


def read(folder: Path, name: str) -> Rows:
    """The rows of a table."""
    with (folder / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def tell(title: str, said: list[Said]) -> int:
    """Print one comparison; the number of differences."""
    differing = [item for item in said if item.facts != item.catalog]
    print(f"{title}: {len(said) - len(differing)} of {len(said)} agree")
    for item in differing:
        print(f"    {item.thing}: facts {item.facts or '-'}, catalog {item.catalog or '-'}")
    return len(differing)


def shipped_drivers(rows: Rows, shipped: Hardware) -> Iterator[Said]:
    """Columns cuda, linux_driver_shipped, windows_driver_shipped."""
    toolkits = {str(row.version): row for row in shipped.toolkits}
    for row in rows:
        toolkit = toolkits.get(row["cuda"])
        for system in ("linux", "windows"):
            known = getattr(toolkit, f"driver_{system}", "")
            facts = row[f"{system}_driver_shipped"]
            yield Said(f"{row['cuda']} {system}", facts, "" if isinstance(known, Unknown) else str(known))


def floors(rows: Rows, shipped: Hardware) -> Iterator[Said]:
    """Columns cuda, linux_min_minor_compat, windows_min_minor_compat, from CUDA 11 on."""
    by_major = {row.major: row for row in shipped.floors}
    for row in rows:
        major = int(row["cuda"].partition(".")[0])
        if major < 11:
            continue
        for system in ("linux", "windows"):
            known = getattr(by_major.get(major), system, "")
            yield Said(f"{row['cuda']} {system}", row[f"{system}_min_minor_compat"], str(known))


def ranges(rows: Rows, shipped: Hardware) -> Iterator[Said]:
    """Columns cuda, min_cc, max_cc."""
    for row in rows:
        toolkit = of_line(row["cuda"], shipped)
        least, most = (text(getattr(toolkit, f"{end}_capability", "")) for end in ("min", "max"))
        facts = row["max_cc"] if re.fullmatch(r"[\d.]+", row["max_cc"]) else ""
        yield Said(row["cuda"], f"{row['min_cc']} to {facts}", f"{least} to {most}")


def spans(rows: Rows, shipped: Hardware) -> Iterator[Said]:
    """Columns compute_capability, cuda_first, cuda_last, where the catalog has the whole list."""
    listed = sorted(
        (row for row in shipped.toolkits if not isinstance(row.capabilities, Unknown)),
        key=lambda row: row.version,
    )
    first, last = (str(listed[end].version.line) for end in (0, -1))
    for row in rows:
        capability = ComputeCapability(row["compute_capability"])
        able = [str(item.version.line) for item in listed if capability in (item.capabilities or ())]
        begun = row["cuda_first"] if CudaVersion(row["cuda_first"]) > CudaVersion(first) else first
        facts = (
            f"{begun} on"
            if CudaVersion(begun) > CudaVersion(last)
            else f"{begun} to {row['cuda_last'] or last}"
        )
        yield Said(str(capability), facts, f"{able[0]} to {able[-1]}" if able else "")


def compilers(rows: Rows, shipped: Hardware) -> Iterator[Said]:
    """Columns cuda_up_to, first_unsupported_gcc, first_unsupported_clang."""
    for row in rows:
        toolkit = of_line(row["cuda_up_to"], shipped)
        for name in ("gcc", "clang"):
            accepted = getattr(toolkit, name, "")
            bounds = (
                []
                if isinstance(accepted, (str, Unknown))
                else [s.version for s in accepted if s.operator == "<"]
            )
            facts = row[f"first_unsupported_{name}"].partition(" ")[0]
            yield Said(f"{row['cuda_up_to']} {name}", facts, bounds[0] if bounds else "")


def gpus(rows: Rows, shipped: Hardware) -> Iterator[Said]:
    """Columns gpu, compute_capability; of `V100 / Tesla V100` or `GB10 (DGX Spark)` any spelling counts."""
    known = {row.name: str(row.compute_capability) for row in shipped.gpus}
    for row in rows:
        names = [*row["gpu"].split(" / "), re.sub(r" \(.*?\)", "", row["gpu"]), row["gpu"]]
        found = next((known[name] for name in names if name in known), "")
        yield Said(row["gpu"], row["compute_capability"], found)


def of_line(version: str, shipped: Hardware) -> CudaToolkit | None:
    """The exact toolkit, or the newest of its line."""
    wanted = CudaVersion(version)
    line = [row for row in shipped.toolkits if row.version.line == wanted.line]
    exact = [row for row in line if row.version == wanted and len(wanted.parts) > 2]
    return next(iter(exact), max(line, default=None, key=lambda row: row.version))


def text(value: object) -> str:
    """As text; empty for what is unknown."""
    return "" if isinstance(value, Unknown) else str(value)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("usage: facts_agreement.py FOLDER")
    raise SystemExit(main(Path(sys.argv[1])))
