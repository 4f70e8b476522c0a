"""The command that asks for a wish on a target."""

from __future__ import annotations

import re
import shlex

from packaging.specifiers import SpecifierSet

from dlsetup.intake.target import describe
from dlsetup.model.target import Target
from dlsetup.model.wish import Wish

HERE = Target().name
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
"""A name that somebody gave; those that dlsetup gives (`the target`) are more than one word."""


def command_of(wish: Wish, target: Target, *, told: bool = False) -> str:
    """`dlsetup resolve torch==2.14.1 jax --python 3.12`, ready to paste.

    `told`: the target is not the machine at hand (any more), so it is said in words.
    """
    said = [item for item in wish.wanted if not (item.filed and wish.origin)]
    words = ["dlsetup", "resolve", *(item.text or item.framework for item in said), *wish.origin]
    if str(wish.python):
        words += ["--python", python_words(wish.python)]
    if wish.cuda is not None:
        words += ["--cuda", wish.cuda]
    if wish.accelerator == "cpu":
        words.append("--cpu")
    elif wish.accelerator is not None:
        words += ["--accelerator", wish.accelerator]
    if wish.allow_cpu:
        words.append("--allow-cpu")
    if wish.prefer in ("stable", "smallest"):
        words += ["--prefer", wish.prefer]
    if told or target.name != HERE:
        name = (f"name={target.name}",) if _NAME.fullmatch(target.name) else ()
        words += ["--target", ",".join((*name, describe(target)))]
    return shlex.join(words)


def python_words(specifier: SpecifierSet) -> str:
    """`==3.12.*` is written 3.12."""
    text = str(specifier)
    short = text.removeprefix("==").removesuffix(".*")
    return short if text == f"=={short}.*" else text
