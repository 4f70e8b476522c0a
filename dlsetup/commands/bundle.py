"""`dlsetup bundle`: choose, lock, say what it weighs, fetch every file, put the whole into its place."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from msgspec.structs import replace

from dlsetup import __version__
from dlsetup.act.bundling import (
    Destination,
    check_free,
    check_room,
    destination_for,
    free_bytes,
    settle,
    tidy,
)
from dlsetup.act.fetching import Fetcher, arrived, session_for
from dlsetup.act.interruption import interruptible
from dlsetup.act.pip_configuration import from_pip
from dlsetup.act.turn import turn
from dlsetup.act.uv import find_uv
from dlsetup.commands.bundle_contents import Filling, Refusal, Request, filling, serves, tools_of
from dlsetup.commands.bundle_python import check_python, python_of
from dlsetup.commands.turns import amount, journal_of, tell
from dlsetup.intake.target import describe
from dlsetup.model import codec
from dlsetup.model.bundle import Carried, Fetched, Manifest
from dlsetup.model.errors import StepFailed, UsageError
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.plan.bundle import bundled_lock, bundled_requirements
from dlsetup.plan.bundle_texts import checksums, readme
from dlsetup.plan.bundle_tools import TOOLS
from dlsetup.plan.expectation import expectations
from dlsetup.plan.indexes import parse_index
from dlsetup.plan.install_script import install_script
from dlsetup.probe.host import Host
from dlsetup.show import json
from dlsetup.show.agreement import DECLINED, agreed, meanwhile, must_be_able_to_ask
from dlsetup.show.bundle import BundleDocument, Weight, made_lines, wanted_lines, weight_lines
from dlsetup.show.lines import Line, write
from dlsetup.show.locked import check_lines
from dlsetup.show.reading import reading_lines
from dlsetup.show.resolution import conflict_lines, plan_lines
from dlsetup.show.transfer import transfer


class Packing(NamedTuple):
    """A bundle of which everything is known, and nothing fetched."""

    filling: Filling
    files: tuple[Fetched, ...]
    """All of them: packages, tools, a Python."""
    weight: Weight
    python: str = ""
    """uv's name of the Python that goes along."""


def run(request: Request) -> int:
    """Make it (0), say what stands against it (1), or do nothing because the user says no (130)."""
    host = Host.here(os.environ)
    for index in request.indexes:
        parse_index(index)
    _check_words(request)
    place, wait = destination_for(request.output, host.folder), amount(request.wait, "--wait")
    check_free(place)
    if request.dry_run:
        return _run(request, host, place)
    if not request.yes:
        must_be_able_to_ask(hint="`--yes` goes ahead without a question.")
    with interruptible(), turn(journal_of(host).state, Path(place.final), wait=wait, tell=tell):
        check_free(place)
        return _run(request, host, place)


def _check_words(request: Request) -> None:
    for tool in request.tools:
        if tool not in TOOLS:
            raise UsageError(f"`{tool}` cannot go along", hint=f"`--with` knows {' and '.join(TOOLS)}")
    question = request.question
    if request.lock is not None and (question.frameworks or question.files or question.profile):
        raise UsageError(
            "both a lock and what to lock are given",
            hint="leave out `--lock`, or name no framework and no file",
        )


def _run(request: Request, host: Host, place: Destination) -> int:
    found = filling(request)
    if isinstance(found, Refusal):
        return _refuse(request, found)
    if found.sources and not request.sources:
        raise StepFailed(
            f"{' and '.join(found.sources[:4])} must be compiled: there is no wheel for the target.",
            hint="ask for another release, or take the source along with `--sources`.",
        )
    packing = _packing(request, host, place, found)
    _say(request, *reading_lines(found.readings), *plan_lines(found.plan))
    _say(request, *(Line(mark="!", text=text, style="warning") for text in found.learned))
    if request.dry_run:
        return _show_contents(request, place, packing)
    _say(request, *weight_lines(packing.weight))
    check_room(place, packing.weight.room)
    if not request.yes and not agreed(f"Make it in {place.final}?"):
        _say(request, Line(text="Nothing was changed."))
        return DECLINED
    carried = _make(request, host, place, packing)
    return _show_made(request, place, packing, carried)


def _packing(request: Request, host: Host, place: Destination, found: Filling) -> Packing:
    tools = tools_of(request, found.plan, host)
    files, key = (*found.files, *tools), ""
    if request.python_too:
        key, python = python_of(found.plan, host)
        files = (*files, python)
    return Packing(found, files, _weight(place, files), key)


def _weight(place: Destination, files: tuple[Fetched, ...]) -> Weight:
    total = sum(item.size for item in files if not isinstance(item.size, Unknown))
    there = sum(arrived(Path(place.part), item) for item in files)
    return Weight(
        files=len(files),
        bytes=total,
        unsized=sum(isinstance(item.size, Unknown) for item in files),
        there=there,
        room=max(total - there, 0) + (total if place.tar else 0),
        free=free_bytes(place),
    )


def _make(request: Request, host: Host, place: Destination, packing: Packing) -> tuple[Carried, ...]:
    """Fetches and puts into place. What was fetched stays for the next run, if anything fails."""
    tidy(place, [item.path for item in packing.files])
    part = Path(place.part)
    environ = {**host.environ, **from_pip(find_uv(host.environ), host.environ)}
    with transfer() as watch:
        watch.begin(packing.weight.bytes, packing.weight.there)
        fetcher = Fetcher(part, session_for(environ), watch, _logins(request, environ))
        carried = fetcher.fetch(packing.files)
    if packing.python:
        check_python(packing.python, part, host)
    settle(place, _texts(packing, carried))
    return carried


def _texts(packing: Packing, carried: tuple[Carried, ...]) -> dict[str, str]:
    found, target = packing.filling, packing.filling.plan.target
    digests = {item.path: item.sha256 for item in carried}
    manifest = Manifest(
        dlsetup=__version__,
        target=target.name,
        words=describe(replace(target, pythons=UNKNOWN)),
        python=found.plan.python,
        python_key=packing.python,
        modules=tuple(item.module for item in expectations(found.plan, found.catalog)),
        files=carried,
    )
    lock = bundled_lock(found.files, found.note, digests)
    if not serves(lock, found.plan, found.catalog).ok:
        raise StepFailed(
            "the lock of the bundle would not serve the target.", hint="report it: it is a fault."
        )
    packages = [f"{item.package} {item.version}" for item in found.files]
    listed = {"pylock.toml": lock, "requirements.txt": bundled_requirements(found.files, digests)}
    return {
        **listed,
        "SHA256SUMS": checksums([*carried, *(_carried(name, text) for name, text in listed.items())]),
        "bundle.json": codec.encode(manifest, indent=2).decode() + "\n",
        "install.sh": install_script(manifest, target),
        "README.md": readme(manifest, target, packages, found.sources),
    }


def _carried(name: str, text: str) -> Carried:
    data = text.encode()
    return Carried(path=name, sha256=hashlib.sha256(data).hexdigest(), size=len(data))


def _logins(request: Request, environ: dict[str, str]) -> dict[str, tuple[str, str]]:
    """Names and passwords in the addresses of indexes: a lock does not keep them."""
    addresses = [parse_index(text).url or "" for text in request.indexes]
    for name in ("UV_INDEX", "UV_DEFAULT_INDEX", "UV_INDEX_URL", "UV_EXTRA_INDEX_URL"):
        addresses += [word.rpartition("=")[2] for word in environ.get(name, "").split()]
    found = {}
    for parts in map(urlsplit, addresses):
        if parts.username:
            place = parts.netloc.rpartition("@")[2]
            found[place] = (unquote(parts.username), unquote(parts.password or ""))
    return found


def _refuse(request: Request, refusal: Refusal) -> int:
    if request.as_json:
        json.write(
            BundleDocument(
                ok=False,
                conflict=refusal.conflict or UNKNOWN,
                lock=refusal.lock or UNKNOWN,
                readings=refusal.readings or UNKNOWN,
            )
        )
        return 1
    write(reading_lines(refusal.readings))
    if refusal.conflict is not None:
        write(conflict_lines(refusal.conflict))
    if refusal.lock is not None:
        write(check_lines(refusal.lock))
    return 1


def _show_contents(request: Request, place: Destination, packing: Packing) -> int:
    if request.as_json:
        json.write(replace(_document(place, packing), dry_run=True, wanted=packing.files))
    else:
        write([Line(), *wanted_lines(packing.files), Line(), *weight_lines(packing.weight)])
    return 0


def _show_made(request: Request, place: Destination, packing: Packing, carried: tuple[Carried, ...]) -> int:
    if request.as_json:
        json.write(replace(_document(place, packing), files=carried))
    else:
        write(made_lines(place.final, carried, packing.filling.sources, tar=place.tar))
    return 0


def _document(place: Destination, packing: Packing) -> BundleDocument:
    found = packing.filling
    return BundleDocument(
        ok=True,
        path=place.final,
        target=describe(replace(found.plan.target, pythons=UNKNOWN)),
        plan=found.plan,
        weight=packing.weight,
        sources=found.sources,
        readings=found.readings or UNKNOWN,
    )


def _say(request: Request, *lines: Line) -> None:
    meanwhile(lines, as_json=request.as_json, asks=not request.yes and not request.dry_run)
