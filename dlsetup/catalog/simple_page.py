"""Project pages of package indexes, in JSON (PEP 691) or in HTML (PEP 503); pure."""

from __future__ import annotations

from html.parser import HTMLParser
from urllib.parse import unquote, urljoin, urlsplit

from msgspec.structs import replace

from dlsetup.catalog.pages import File, Hashes, Page
from dlsetup.model.codec import decode
from dlsetup.model.errors import DataError

JSON = "application/vnd.pypi.simple.v1+json"
HTML = "application/vnd.pypi.simple.v1+html"
ACCEPT = f"{JSON}, {HTML};q=0.2, text/html;q=0.1"


def page_of(body: bytes, kind: str, name: str, address: str) -> Page:
    """The page of a project, with the addresses of its files made whole. `kind`: its `Content-Type`.

    Raises `DataError` for what is no such page.
    """
    where = f"the page of `{name}` on the package index"
    if kind.partition(";")[0].strip() in (HTML, "text/html"):
        return Page(name=name, files=tuple(_of_html(body, address, where)))
    page = decode(body, Page, where=where)
    files = tuple(replace(file, url=urljoin(address, file.url).partition("#")[0]) for file in page.files)
    return replace(page, files=files)


def _of_html(body: bytes, address: str, where: str) -> list[File]:
    reader = _Anchors()
    try:
        reader.feed(body.decode("utf-8", errors="replace"))
        base = urljoin(address, reader.base)
        return [file for anchor in reader.anchors if (file := _file(anchor, base)) is not None]
    except (ValueError, AssertionError) as exc:
        raise DataError(f"{where}: {exc}") from exc


class _Anchors(HTMLParser):
    """The attributes of every link, and the address that they are relative to."""

    def __init__(self) -> None:
        super().__init__()
        self.base = ""
        self.anchors: list[dict[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        if tag == "base" and not self.base:
            self.base = found.get("href", "")
        elif tag == "a" and found.get("href"):
            self.anchors.append(found)


def _file(anchor: dict[str, str], base: str) -> File | None:
    """None for a link to something else than a file."""
    url, _, fragment = urljoin(base, anchor["href"]).partition("#")
    filename = unquote(urlsplit(url).path).rpartition("/")[2]
    if not filename:
        return None
    return File(
        filename=filename,
        url=url,
        hashes=Hashes(sha256=_digest(fragment)),
        requires_python=anchor.get("data-requires-python") or None,
        yanked=(anchor["data-yanked"] or True) if "data-yanked" in anchor else False,
        core_metadata=_metadata(anchor.get("data-core-metadata", anchor.get("data-dist-info-metadata"))),
    )


def _metadata(said: str | None) -> bool | dict[str, str] | None:
    """What the page says of the file beside a wheel: nothing, that there is one, or its digest too."""
    digest = _digest(said or "")
    return {"sha256": digest} if digest else None if said is None else said == "true"


def _digest(text: str) -> str:
    name, _, digest = text.partition("=")
    return digest if name == "sha256" else ""
