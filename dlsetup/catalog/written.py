"""The text of generated files: a line for each thing that changes on its own, so that diffs are small."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from packaging.version import Version

from dlsetup.catalog.form import GeneratedFile, LibraryRow, MeasuredFile, Release
from dlsetup.catalog.generated_form import ListingFile, OverlapsFile
from dlsetup.model.codec import encode


def written(file: GeneratedFile) -> bytes:
    """JSON with a line for each thing that changes on its own, so that a refresh makes a small diff."""
    parts = [f'"distribution": {_json(file.distribution)}', f'"checked": {_json(file.checked)}']
    for name, versions in (("versions", file.versions), ("yanked", file.yanked)):
        if versions:
            parts.append(f'"{name}": [\n{_by_major(versions)}\n]')
    if file.built:
        parts.append('"built": [\n' + ",\n".join(_built(row) for row in file.built) + "\n]")
    if file.releases:
        parts.append('"releases": [\n' + ",\n".join(_release(item) for item in file.releases) + "\n]")
    return ("{\n" + ",\n".join(parts) + "\n}\n").encode()


def written_measured(file: MeasuredFile) -> bytes:
    """JSON with a line for each wheel."""
    words = (("distribution", file.distribution), ("how", file.how), ("checked", file.checked))
    parts = [f'"{name}": {_json(text)}' for name, text in words]
    parts.append('"rows": [\n' + ",\n".join(encode(row).decode() for row in file.rows) + "\n]")
    return ("{\n" + ",\n".join(parts) + "\n}\n").encode()


def written_overlaps(file: OverlapsFile) -> bytes:
    """JSON with a line for each group of distributions."""
    parts = [f'"checked": {_json(file.checked)}']
    for name, rows in (("libraries", file.libraries), ("twins", file.twins)):
        if rows:
            parts.append(f'"{name}": [\n' + ",\n".join(encode(row).decode() for row in rows) + "\n]")
    return ("{\n" + ",\n".join(parts) + "\n}\n").encode()


def written_listing(file: ListingFile) -> bytes:
    """JSON with a line for each release."""
    parts = [f'"index": {_json(file.index)}', f'"checked": {_json(file.checked)}']
    listed = [
        f'{{"name": {_json(item.name)}, "releases": [\n'
        + ",\n".join(encode(release).decode() for release in item.releases)
        + "\n]}"
        for item in file.distributions
    ]
    parts.append('"distributions": [\n' + ",\n".join(listed) + "\n]")
    return ("{\n" + ",\n".join(parts) + "\n}\n").encode()


def _release(release: Release) -> str:
    head = encode(Release(version=release.version, python=release.python, released=release.released))
    lines = [head.decode().removesuffix("}")]
    lines += ['"yanked":true'] if release.yanked else []
    lines += ['"sdist":true'] if release.sdist else []
    for name, rows in (("wheels", release.wheels), ("requires", release.requires)):
        if rows:
            lines.append(f'"{name}":[\n  ' + ",\n  ".join(encode(row).decode() for row in rows) + "]")
    return ",\n ".join(lines) + "}"


def _built(row: LibraryRow) -> str:
    head = encode(LibraryRow(since=row.since, sdist=row.sdist)).decode().removesuffix("}")
    wheels = ",\n  ".join(encode(item).decode() for item in row.wheels)
    return f'{head},\n "wheels":[\n  {wheels}]}}'


def _by_major(versions: Iterable[Version]) -> str:
    """A line for each major: a new version changes one line."""
    groups = groupby(versions, key=lambda version: version.major)
    return ",\n".join(", ".join(_json(str(version)) for version in group) for _, group in groups)


def _json(text: str) -> str:
    return encode(text).decode()
