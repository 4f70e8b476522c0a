"""The same document as a page of its own, which loads nothing and runs nothing but the script inside it."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from pathlib import Path
from string import Template

from dlsetup import __version__
from dlsetup.model.record import Unknown
from dlsetup.show import json
from dlsetup.show.catalog_document import ShowDocument
from dlsetup.show.lines import clean

HERE = Path(__file__).parent


def page(document: ShowDocument) -> str:
    """HTML of a document about a framework. Raises `ValueError` for any other."""
    matrix = document.framework
    if isinstance(matrix, Unknown):
        raise ValueError("only a document about a framework has a page")
    template, style, script = (
        (HERE / f"catalog_page.{kind}").read_text(encoding="utf-8") for kind in ("html", "css", "js")
    )
    return Template(template).substitute(
        title=html.escape(clean(f"{matrix.title} on {matrix.target}")),
        version=__version__,
        style=style,
        style_hash=hash_of(style),
        script=script,
        script_hash=hash_of(script),
        document=embedded(json.document(document)),
    )


def embedded(text: str) -> str:
    """JSON that no HTML parser takes for markup: it ends no script, whatever its texts hold."""
    return re.sub("[<>&\u2028\u2029]", lambda found: f"\\u{ord(found[0]):04x}", text)


def hash_of(text: str) -> str:
    """What a Content-Security-Policy calls a script or style that stands in the page."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
