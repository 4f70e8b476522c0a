"""The groups of a triage as a page of its own, which loads nothing and runs nothing."""

from __future__ import annotations

import html
from pathlib import Path
from string import Template

from dlsetup import __version__
from dlsetup.model.triage import Group, Triage
from dlsetup.show.catalog_page import hash_of
from dlsetup.show.lines import clean
from dlsetup.show.triage import WORDS
from dlsetup.show.words import counted

HERE = Path(__file__).parent


def triage_page(triage: Triage) -> str:
    """Counts, and behind each the reports."""
    template, style = ((HERE / f"triage_page.{kind}").read_text("utf-8") for kind in ("html", "css"))
    return Template(template).substitute(
        total=_text(counted(triage.reports, "report")),
        version=__version__,
        style=style,
        style_hash=hash_of(style),
        groups="\n".join(_group(group, triage.reports) for group in triage.groups),
    )


def _group(group: Group, total: int) -> str:
    names = "\n".join(f"<li>{_text(name)}</li>" for name in group.reports)
    words = _text(WORDS.get(group.cause, group.title))
    share = group.count / total
    head = (
        f"<meter value='{share:.4f}'></meter> <b>{group.count}</b> <code>{_text(group.cause)}</code> {words}"
    )
    return f"<details><summary>{head}</summary><ol>{names}</ol></details>"


def _text(text: str) -> str:
    return html.escape(clean(text))
