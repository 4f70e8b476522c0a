"""The words of `docker run`: its options, the image, and what is started in it."""

from __future__ import annotations

import re
import shlex

from dlsetup.intake.formats.variables import OF_DEVICES

_ALONE = frozenset(
    {
        *("-i", "-t", "-d", "-P", "-q", "--rm", "--interactive", "--tty", "--detach", "--init", "--help"),
        *("--privileged", "--read-only", "--publish-all", "--quiet", "--no-healthcheck", "--sig-proxy"),
        *("--oom-kill-disable", "--disable-content-trust", "--use-api-socket", "--replace", "--tls-verify"),
    }
)
"""Options without a value; every other one has one, behind `=` or as the next word."""
_CLUSTER = re.compile(r"-[itdPq]{2,5}")
_IMAGE = re.compile(
    r"[a-z0-9][\w.-]{0,100}(?::\d{2,5})?(?:/[\w.-]{1,100}){0,6}(?::[\w.-]{1,128})?(?:@sha256:\w{64})?"
)
_END = re.compile(r"\s(?:&&|\|\||;|#|2?>>?|\|)(?:\s|$)|;\s|`")


def image_and_command(words: str) -> tuple[str, str]:
    """Both as they stand behind `docker run`; empty where the words do not say."""
    parts = _split(_END.split(words)[0])
    place = 0
    while place < len(parts) and parts[place].startswith("-"):
        alone = parts[place] in _ALONE or "=" in parts[place] or _CLUSTER.fullmatch(parts[place])
        place += 1 if alone or _glued(parts[place]) else 2
    if place >= len(parts) or not _IMAGE.fullmatch(parts[place]):
        return "", ""
    return parts[place], " ".join(parts[place + 1 :])[:2000]


def settings(words: str) -> tuple[str, ...]:
    """What `-e NAME=value` sets of the variables that name devices."""
    found = re.findall(r"(?:^|\s)(?:-e|--env)[= ]([\"']?)(\w{1,60}=[^\s\"']{0,200})\1", words)
    return tuple(value for _, value in found if OF_DEVICES.fullmatch(value.partition("=")[0]))[:40]


def option(words: str, name: str) -> str:
    """The value of an option that has one; empty where it is not given."""
    found = re.search(rf"(?:^|\s){name}[= ][\"']?([^\s\"']{{1,80}})", words)
    return found[1] if found else ""


def _glued(word: str) -> bool:
    """Whether a short option and its value are one word: `-p8080:80`."""
    return re.fullmatch(r"-[a-zA-Z][^\s-].*", word) is not None


def _split(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()
