"""Commands and groups that take words as they are typed."""

from __future__ import annotations

from functools import partial
from typing import Any

from typer.core import TyperCommand, TyperGroup

from dlsetup.model.errors import UsageError


class PlainCommand(TyperCommand):
    """A command whose values stay the words that were typed."""

    def get_params(self, ctx: Any) -> list[Any]:
        return keep_words(super().get_params(ctx))


class PlainGroup(TyperGroup):
    """A group whose values stay the words that were typed."""

    def get_params(self, ctx: Any) -> list[Any]:
        return keep_words(super().get_params(ctx))


def keep_words(params: list[Any]) -> list[Any]:
    """Spare parameters Typer's conversion.

    Every value of this command line is a word or a flag, so there is nothing to convert; Typer would
    load pydantic for it, which takes longer than a whole look at the machine.
    """
    for param in params:
        param.process_value = partial(_process_value, param)
    return params


def _process_value(param: Any, context: Any, value: Any) -> Any:
    several = param.multiple or param.nargs == -1
    if param.required and (value is None or (several and not value)):
        hint = f"`{context.command_path} --help` shows how it is used."
        raise UsageError(f"{param.metavar or param.name} is missing.", hint=hint)
    if several:
        value = tuple(value or ())
    elif getattr(param, "is_flag", False):
        value = bool(value)
    return param.callback(context, param, value) if param.callback else value


def examples(*lines: str) -> str:
    """The end of a help text: command lines that work as they are."""
    return "\n".join(["\b", "Examples:", *(f"  {line}" for line in lines)])
