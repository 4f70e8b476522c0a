"""Solves and installs conda packages with rattler, in a process of its own that can be ended at any time.

    python -I rattler_child.py LIBRARY solve|recall|install JOB

It reads the job, and writes its answer to the file that the job names. It imports nothing of dlsetup.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

if TYPE_CHECKING:
    from rattler import Channel, Client, Gateway, GenericVirtualPackage, RepoDataRecord

Job = dict[str, Any]
PATIENCE = 600
"""Seconds for one solve."""
MOST_OFFERED = 5


def main(library: str, verb: str, path: str) -> None:
    """Every failure that rattler foresees goes into the answer."""
    if library not in sys.path:
        sys.path.append(library)
    from rattler import exceptions

    job: Job = json.loads(Path(path).read_text("utf-8"))
    expected: list[type[Exception]] = [OSError]
    for kind in vars(exceptions).values():
        if isinstance(kind, type) and issubclass(kind, Exception):
            expected.append(kind)
    try:
        answer = asyncio.run({"solve": _solve, "recall": _recall, "install": _install}[verb](job))
    except tuple(expected) as error:
        answer = {"failure": str(error) or type(error).__name__}
    Path(job["answer"]).write_text(json.dumps(answer), "utf-8")


async def _solve(job: Job) -> Job:
    from rattler import PackageRecord
    from rattler.exceptions import SolverError

    gateway = _gateway(job)
    wanted = [name for name, _ in job["frameworks"]]
    try:
        records = await _solved(job, gateway, wanted)
    except SolverError as error:
        return {"refusal": await _refusal(job, gateway, wanted, str(error))}
    by_name = {record.name.normalized: record for record in records}
    order = PackageRecord.sort_topologically([*records])
    return _solution(job, [by_name[item.name.normalized] for item in order])


def _solution(job: Job, records: list[RepoDataRecord]) -> Job:
    _keep(job, records)
    virtual = [{"name": name, "version": version, "build": build} for name, version, build in job["virtual"]]
    packages = [_shown(record) for record in records]
    return {"solution": {"subdir": job["subdir"], "virtual": virtual, "packages": packages}}


async def _recall(job: Job) -> Job:
    """The records of locked packages, as their channels have them: nothing is solved."""
    from rattler import Channel

    wanted: dict[str, list[str]] = {}
    for url, _, _ in job["explicit"]:
        channel, _, file = url.rsplit("/", 2)
        wanted.setdefault(channel, []).append(unquote(file).rsplit("-", 2)[0].lower())
    gateway = _gateway(job)
    found: dict[str, RepoDataRecord] = {}
    for channel, names in wanted.items():
        groups = await gateway.query([Channel(channel)], [job["subdir"], "noarch"], names, recursive=False)
        found |= {_place(record.url): record for group in groups for record in group}
    gone = [url for url, _, _ in job["explicit"] if _place(url) not in found]
    if gone:
        return {"failure": f"its channel does not list {gone[0]} (any more), and {len(gone) - 1} others"}
    records = [found[_place(url)] for url, _, _ in job["explicit"]]
    for record, (url, sha256, md5) in zip(records, job["explicit"], strict=True):
        shown = _shown(record)
        if (sha256 and shown["sha256"] != sha256) or (md5 and shown["md5"] and shown["md5"] != md5):
            return {"failure": f"{url} is not the file that was locked: its channel lists another hash"}
    return _solution(job, records)


def _place(url: str) -> str:
    """Without a login: a lock has none."""
    kind, _, rest = unquote(url).partition("://")
    host, _, path = rest.partition("/")
    return f"{kind}://{host.rpartition('@')[2]}/{path}"


async def _solved(job: Job, gateway: Gateway, wanted: list[str]) -> list[RepoDataRecord]:
    import datetime

    from rattler import MatchSpec, solve

    texts = [*job["always"], *(spec for name, own in job["frameworks"] if name in wanted for spec in own)]
    return await solve(
        _channels(job),
        [MatchSpec(text) for text in texts],
        gateway=gateway,
        platforms=[job["subdir"], "noarch"],
        virtual_packages=_virtual(job),
        timeout=datetime.timedelta(seconds=PATIENCE),
    )


async def _refusal(job: Job, gateway: Gateway, wanted: list[str], said: str) -> Job:
    """The fewest frameworks that are refused together, by leaving out one by one, and what there is."""
    from rattler.exceptions import SolverError

    async def refused(names: list[str]) -> str | None:
        try:
            await _solved(job, gateway, names)
        except SolverError as error:
            return str(error)
        return None

    base = await refused([])
    if base is not None:
        return {"said": base, "offered": await _offered(job, gateway, [])}
    for name in list(reversed(wanted)):
        fewer = [item for item in wanted if item != name]
        words = await refused(fewer) if fewer else None
        if words is not None:
            wanted, said = fewer, words
    return {"said": said, "frameworks": wanted, "offered": await _offered(job, gateway, wanted)}


async def _offered(job: Job, gateway: Gateway, wanted: list[str]) -> list[tuple[str, list[str]]]:
    """The newest versions of every package that is named, as far as the channels have it for the platform."""
    from rattler import MatchSpec

    texts = [*job["always"], *(spec for name, own in job["frameworks"] if name in wanted for spec in own)]
    names = list(dict.fromkeys(_named(MatchSpec(text)) for text in texts))
    found = await gateway.query(_channels(job), [job["subdir"], "noarch"], names, recursive=False)
    offered = []
    for name in names:
        versions = {record.version for group in found for record in group if record.name.normalized == name}
        newest = sorted(versions, reverse=True)[:MOST_OFFERED]
        offered.append((name, [str(item) for item in newest]))
    return offered


def _named(spec: Any) -> str:
    name: str = spec.name.normalized
    return name


async def _install(job: Job) -> Job:
    from rattler import install

    records = _kept(job)
    missing = _not_cached(job, records) if job["offline"] else []
    if missing:
        shown = ", ".join(missing[:5]) + (f" and {len(missing) - 5} more" if len(missing) > 5 else "")
        return {"failure": f"not in the cache, and the network may not be asked: {shown}"}
    # Scripts of packages are not run: what is proved afterwards does without them.
    await install(
        records,
        job["prefix"],
        cache_dir=Path(job["cache"], "pkgs"),
        show_progress=job["progress"],
        execute_link_scripts=False,
        client=_client(),
    )
    return {}


def _keep(job: Job, records: list[Any]) -> None:
    """Writes the records down for the second call."""
    Path(job["records"]).write_text(json.dumps([json.loads(item.to_json()) for item in records]), "utf-8")


def _kept(job: Job) -> list[RepoDataRecord]:
    from rattler import PackageRecord, RepoDataRecord

    path = Path(job["records"])
    single = path.with_name("record.json")
    records = []
    for item in json.loads(path.read_text("utf-8")):
        single.write_text(json.dumps(item), "utf-8")
        record = PackageRecord.from_index_json(
            single, size=item.get("size"), sha256=item.get("sha256"), md5=item.get("md5")
        )
        records.append(RepoDataRecord(record, item["fn"], item["url"], item.get("channel") or ""))
    return records


def _gateway(job: Job) -> Gateway:
    from rattler import Gateway, SourceConfig

    source = SourceConfig(cache_action="force-cache-only" if job["offline"] else "cache-or-fetch")
    return Gateway(
        cache_dir=Path(job["cache"], "repodata"),
        default_config=source,
        client=_client(),
        show_progress=job["progress"],
    )


def _client() -> Client:
    """With the mirrors, proxies and passwords of rattler's own configuration."""
    from rattler import Client, Config

    return Client.from_config(Config.load_from_default_locations("rattler"))


def _channels(job: Job) -> list[Channel]:
    from rattler import Channel, ChannelConfig

    alias = job["channels"]["alias"]
    config = ChannelConfig(channel_alias=alias) if alias else ChannelConfig()
    return [Channel(name, config) for name in job["channels"]["names"]]


def _virtual(job: Job) -> list[GenericVirtualPackage]:
    import rattler

    # Releases before 0.27 take the build as text.
    build: Any = getattr(rattler, "BuildString", str)
    return [
        rattler.GenericVirtualPackage(rattler.PackageName(name), rattler.Version(version), build(text))
        for name, version, text in job["virtual"]
    ]


def _shown(record: Any) -> Job:
    shown = {
        "name": record.name.normalized,
        "version": str(record.version),
        "build": str(record.build),
        "url": record.url,
        "sha256": "" if record.sha256 is None else record.sha256.hex(),
        "md5": "" if record.md5 is None else record.md5.hex(),
    }
    return shown if record.size is None else {**shown, "size_bytes": record.size}


def _not_cached(job: Job, records: list[RepoDataRecord]) -> list[str]:
    """File names of packages that would have to be fetched."""
    there = {path.name for path in Path(job["cache"], "pkgs").glob("*") if path.is_dir()}
    return [
        item.file_name
        for item in records
        if not item.url.startswith("file:")
        and f"{item.name.normalized}-{item.version}-{item.build}" not in there
    ]


if __name__ == "__main__":
    main(*sys.argv[1:4])
    sys.stderr.flush()
    # The library's threads still run, and crash a Python that is taken down in order.
    os._exit(0)
