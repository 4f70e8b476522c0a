"""The words of micromamba that dlsetup uses, on the real solver and installer of rattler.

Linked packages come out of the channel that is named; nothing is fetched from anywhere else.
"""

import argparse
import asyncio
import json
import os
import sys
import time
from pathlib import Path

import rattler
import yaml
from rattler.exceptions import SolverError

FAULT = os.environ.get("TINY_CONDA", "")
"""`fails`: it ends with an error in the middle; `hang`: it stays there; `crash`: a signal ends it."""


def main() -> None:
    if sys.argv[1] == "create":
        note(sys.argv[1:])
        asyncio.run(create(sys.argv[2:]))
        return
    parser = argparse.ArgumentParser()
    parser.add_argument("verb", choices=("install", "remove"))
    parser.add_argument("--prefix", type=Path, required=True)
    parser.add_argument("--channel", action="append", default=[])
    flags = ("--yes", "--json", "--dry-run", "--freeze-installed", "--override-channels")
    for flag in (*flags, "--force", "--no-deps", "--force-reinstall"):
        parser.add_argument(flag, action="store_true")
    parser.add_argument("specs", nargs="+")
    given = parser.parse_args()
    note(sys.argv[1:])
    try:
        asyncio.run(remove(given) if given.verb == "remove" else install(given))
    except SolverError as error:
        sys.exit(f"error    libmamba Could not solve for environment specs\n{error}")


def note(words: list) -> None:
    with Path(os.environ["TINY_CONDA_RECORD"]).open("a") as file:
        file.write(json.dumps(words) + "\n")


async def create(words: list) -> None:
    """On paper alone, for the platform of CONDA_SUBDIR; the channel is the test's."""
    if words[:3] != ["--yes", "--dry-run", "--json"]:
        sys.exit("this tool makes environments on paper alone")
    wanted = yaml.safe_load(Path(words[words.index("--file") + 1]).read_text())
    solved = await rattler.solve(
        [rattler.Channel(os.environ["TINY_CONDA_CHANNEL"])],
        wanted["dependencies"],
        platforms=[os.environ["CONDA_SUBDIR"], "noarch"],
        virtual_packages=virtual(),
    )
    order = {
        item.name.normalized: at for at, item in enumerate(rattler.PackageRecord.sort_topologically(solved))
    }
    rows = sorted(solved, key=lambda item: order[item.name.normalized])
    addressed = [{**shown(item), "url": item.url, "sha256": item.sha256.hex()} for item in rows]
    print(json.dumps({"actions": {"LINK": addressed, "PREFIX": ""}, "dry_run": True, "success": True}))


async def install(given: argparse.Namespace) -> None:
    there = installed(given.prefix)
    specs = [rattler.MatchSpec(text) for text in given.specs]
    if given.no_deps:
        await carry_out(given, there, [await only(there, item, specs, given) for item in there])
        return
    named = {spec.name.normalized for spec in specs}
    frozen = [item for item in there if item.name.normalized not in named] if given.freeze_installed else []
    solved = await rattler.solve(
        [rattler.Channel(text) for text in given.channel],
        [*specs, *(item.name.normalized for item in there if item.name.normalized not in named)],
        platforms=[str(rattler.Subdir.current()), "noarch"],
        locked_packages=there,
        pinned_packages=frozen,
        virtual_packages=virtual(),
    )
    await carry_out(given, there, solved)


async def only(there: list, item: rattler.PrefixRecord, specs: list, given: argparse.Namespace) -> object:
    """What is there, or what is named in its place."""
    for spec in specs:
        if spec.name.normalized == item.name.normalized:
            gateway = rattler.Gateway()
            channels = [rattler.Channel(text) for text in given.channel]
            platforms = [str(rattler.Subdir.current()), "noarch"]
            found = await gateway.query(channels, platforms, [spec], recursive=False)
            return next(record for rows in found for record in rows)
    return item


async def remove(given: argparse.Namespace) -> None:
    there = installed(given.prefix)
    await carry_out(given, there, [item for item in there if item.name.normalized not in given.specs])


async def carry_out(given: argparse.Namespace, there: list, wanted: list) -> None:
    old = {(item.name.normalized, item.build, str(item.version)) for item in there}
    new = {(item.name.normalized, item.build, str(item.version)) for item in wanted}
    unlink = [item for item in there if (item.name.normalized, item.build, str(item.version)) not in new]
    link = [item for item in wanted if (item.name.normalized, item.build, str(item.version)) not in old]
    if given.json:
        actions = {"UNLINK": [shown(item) for item in unlink], "LINK": [shown(item) for item in link]}
        actions["FETCH"] = actions["LINK"]
        print(json.dumps({"actions": actions, "dry_run": given.dry_run, "success": True}))
    if given.dry_run:
        return
    again = {rattler.MatchSpec(text).name.normalized for text in given.specs if given.force_reinstall}
    if FAULT and (link or again):
        half_way(unlink, given.prefix)
    await rattler.install(
        wanted, given.prefix, cache_dir=os.environ["TINY_CONDA_CACHE"], installed_packages=there,
        reinstall_packages=again, show_progress=False, execute_link_scripts=False,
    )  # fmt: skip
    with (given.prefix / "conda-meta" / "history").open("a") as file:
        file.write("==> now <==\n" + "".join(f"-{item.file_name}\n" for item in unlink))


def half_way(unlink: list, prefix: Path) -> None:
    """Some files are gone; then it fails, stays, or crashes."""
    for item in unlink:
        for path in item.files[:3]:
            (prefix / path).unlink(missing_ok=True)
    if FAULT == "hang":
        note(["half way"])
        time.sleep(60)
    if FAULT == "crash":
        os.abort()
    sys.exit("critical libmamba Download error (28) Timeout was reached")


def shown(item: rattler.PackageRecord) -> dict:
    return {
        "name": item.name.normalized,
        "version": str(item.version),
        "build_string": str(item.build),
        "channel": str(item.channel),
        "size": item.size,
    }


def installed(prefix: Path) -> list:
    return [rattler.PrefixRecord.from_path(path) for path in sorted((prefix / "conda-meta").glob("*.json"))]


def virtual() -> list:
    overrides = rattler.VirtualPackageOverrides.from_env()
    return [item.into_generic() for item in rattler.VirtualPackage.detect(overrides)]


if __name__ == "__main__":
    main()
    # The threads of rattler may outlive the interpreter, which then aborts.
    sys.stdout.flush()
    os._exit(0)
