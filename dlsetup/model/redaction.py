"""What is saved or shared says nothing of people: no home, no user, no host, no secret, no serial number."""

from __future__ import annotations

import re
from typing import Any

from dlsetup.model.codec import convert, plain
from dlsetup.model.machine import Machine

SECRET = re.compile(r"(://)[^/@\s]+@")
TOKEN = re.compile(r"\b(?:gh[pousr]_|hf_|sk-|pypi-|glpat-)[A-Za-z0-9_\-]{8,}")
JWT = re.compile(r"\beyJ[\w-]{5,}\.[\w-]{5,}\.[\w-]*")
KEY_BLOCK = re.compile(
    r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----.*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|\Z)", re.DOTALL
)
AUTHORIZATION = re.compile(
    r"(\bAuthorization\b[\"']?[ \t]*[:=][ \t]*)(?![ \t]*<secret>)[^\r\n]+", re.IGNORECASE
)
_VALUE = r"""(?![ \t]*<secret>)(?:"[^"\r\n]*"|'[^'\r\n]*'|[^\s&"',;]+)"""
_WORDS = r"(?:secret|password|passwd|credentials?|api_?key)"
NAMED_SECRETS = (
    re.compile(
        r"(?<![A-Za-z0-9])((?:[A-Za-z0-9]{1,40}[_-]){0,8}"
        rf"""(?:{_WORDS}|token|(?<=[_-])key)(?:[_-][A-Za-z0-9]{{1,40}}){{0,3}}["']?=){_VALUE}""",
        re.IGNORECASE,
    ),
    re.compile(
        rf"""(?<![A-Za-z0-9])((?:[A-Za-z0-9]{{1,40}}[_-]){{0,8}}{_WORDS}["']?:[ \t]+){_VALUE}""",
        re.IGNORECASE,
    ),
    re.compile(
        rf"""((?<![\w-])--(?:[a-z0-9]{{1,40}}-){{0,4}}(?:{_WORDS}|api-key|token)[ \t]+)(?!-){_VALUE}""",
        re.IGNORECASE,
    ),
)
"""`NAME=value` in variables, settings and the queries of URLs; `name: value` only where no prose says so;
`--name value` of commands."""
_FOLDER = r"""[^/\\\s:;"'<>|]"""
HOMES = re.compile(
    r"((?:/home|/Users|\b[A-Za-z]:\\Users)[/\\])(?!Public\b|Shared\b)"
    rf"{_FOLDER}{{1,64}}(?: [A-Z]{_FOLDER}{{1,40}}(?=\\))?"
)
MAIL = re.compile(r"(?<![\w/:.])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,6}\b")
PROMPT = re.compile(r"(?<![\w/:.@])[a-z_][\w.-]{0,31}@[A-Za-z][\w.-]{0,62}(?=[:\s~\]])")
HARDWARE_ADDRESS = re.compile(r"\b(?:[0-9a-f]{2}:){5}[0-9a-f]{2}\b", re.IGNORECASE)
ADDRESS = re.compile(
    r"((?:://|@|\b(?:inet|addr|address|host|from|to|ip|server|peer|connect(?:ed|ing)?(?: to)?)[ :=]{1,3}))"
    r"(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\d.])",
    re.IGNORECASE,
)
"""Only where something says that it is one: cuDNN 9.1.0.70 is none."""
NUMBER = re.compile(r"(\b[Ss]erial(?: [Nn]umber)?\s{0,40}[:=]\s{0,8})(?!<)[\w-]{4,40}")
SERIAL = re.compile(r"\b(?:GPU|MIG)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", re.IGNORECASE)
VOCABULARY = frozenset(
    {
        "arch",
        "compute_capability",
        "cuda_ceiling",
        "engine",
        "fact",
        "implementation",
        "kind",
        "library",
        "module",
        "nvml_error",
        "os",
        "owners",
        "pci",
        "python",
        "release",
        "runtimes",
        "schema",
        "soname",
        "state",
        "tags",
        "userland",
        "variant",
        "vendor",
        "version",
    }
)
SHORTEST = 3
"""A user called `ai` would take half of every word away; names so short are replaced in paths only."""


def redact(machine: Machine, *, home: str, user: str, hostname: str) -> Machine:
    """The machine with the home folder, the user, the host, secrets and serial numbers replaced.

    Applied twice it changes nothing more; facts that checks rest on stay as they are.
    """
    names = _names(home, user, hostname)

    def clean(value: Any, key: str = "", holder: str = "") -> Any:
        if isinstance(value, str):
            return value if _is_vocabulary(key, holder) else _clean(value, names)
        if isinstance(value, (list, tuple)):
            return [clean(item, key, holder) for item in value]
        if isinstance(value, dict):
            return {name: clean(item, name, key) for name, item in value.items()}
        return value

    return convert(clean(plain(machine)), Machine, where="the redacted machine")


def redact_text(text: str, *, home: str, user: str, hostname: str) -> str:
    """A text with all that replaced."""
    return _clean(text, _names(home, user, hostname))


def _is_vocabulary(key: str, holder: str) -> bool:
    """Words that a record or a package index defines: a user called `nvidia` must not change a vendor.

    Only environments are named by people.
    """
    return key in VOCABULARY or (key == "name" and holder != "environments")


def _names(home: str, user: str, hostname: str) -> list[tuple[re.Pattern[str], str]]:
    """What to replace by what, the longest first."""
    names = []
    home = home.rstrip("/\\")
    if len(home) > 1:
        names.append((re.compile(re.escape(home) + r"(?![\w.-])"), "~"))
    for name, word in ((hostname, "<host>"), (hostname.split(".")[0], "<host>"), (user, "<user>")):
        if len(name) >= SHORTEST:
            names.append((re.compile(rf"(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z0-9])"), word))
        elif name:
            names.append((re.compile(rf"(?<=[/\\]){re.escape(name)}(?=[/\\]|$)"), word))
    return names


def _clean(text: str, names: list[tuple[re.Pattern[str], str]]) -> str:
    text = KEY_BLOCK.sub("<secret>", text)
    text = AUTHORIZATION.sub(r"\1<secret>", text)
    for named in NAMED_SECRETS:
        text = named.sub(r"\1<secret>", text)
    text = JWT.sub("<secret>", text)
    text = SECRET.sub(r"\1<secret>@", text)
    text = TOKEN.sub("<secret>", text)
    text = NUMBER.sub(r"\1<serial>", SERIAL.sub("<serial>", text))
    text = MAIL.sub("<user>@<host>", text)
    text = PROMPT.sub("<user>@<host>", text)
    text = HARDWARE_ADDRESS.sub("<address>", text)
    text = ADDRESS.sub(r"\1<address>", text)
    for pattern, word in names:
        text = pattern.sub(word, text)
    return HOMES.sub(r"\1<user>", text)
