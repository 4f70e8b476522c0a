"""Addresses as they may be kept and shown: without what only their owner may know."""

from __future__ import annotations

import re


def without_login(text: str) -> str:
    """Addresses in a text without user names and passwords: `https://me:secret@host` is `https://host`."""
    return re.sub(r"(?<=://)[^/@\s]*@", "", text)


def of_conda(address: str) -> str:
    """An address of conda's without login and token: `https://host/t/TOKEN/main` is `https://host/main`."""
    return re.sub(r"/t/[^/]+(?=/)", "", without_login(address))


def channel_of(address: str) -> str:
    """A channel without its platform either: `https://host/main/linux-64` is `https://host/main`."""
    return of_conda(re.sub(r"/(?:noarch|(?:linux|osx|win)-[^/]*)/?$", "", address)).rstrip("/")
