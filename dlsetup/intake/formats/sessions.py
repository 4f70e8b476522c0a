"""Python that somebody typed, and what it answered.

>>> torch.__version__, torch.version.cuda, torch.cuda.is_available()
('2.1.2+cu121', '12.1', True)

$ python -c 'import torch; print(torch.version.cuda, torch.cuda.is_available())'
None False

CUDA AVAILABLE: False
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dlsetup.intake.fact import Fact, Weight, observed, shown
from dlsetup.intake.packages import installed, named
from dlsetup.intake.page import Line, Page
from dlsetup.intake.reading import reads
from dlsetup.model.machine import Gpu

_PROMPT = re.compile(r"^\s{0,4}(?:>>>|In \[\d{1,4}\]:)\s?(.{1,400})$")
_OUT = re.compile(r"^\s{0,4}Out ?\[\d{1,4}\]:\s?(.{0,400})$")
_ONE_LINE = re.compile(r"python[\d.]{0,5}(?:\.exe)?[\"']?\s+-c\s+[\"'](.{1,600})[\"']\s*$")
_PRINTED = re.compile(r"print\((.{1,400})\)\s*;?\s*$")
_LABELLED = re.compile(
    r"^\W{0,4}(?:is\s+)?(?:torch\.)?cuda(?:\.is_)?[ _]?(?:is[ _])?available\W{1,8}(True|False|Yes|No)\b",
    re.IGNORECASE,
)
_VERSION = re.compile(
    r"\b((?:py)?torch|tensor ?flow|jax|jaxlib|onnxruntime|paddle|mindspore)(?: version)?(?:[ :=,]{1,3}v?|-)"
    r"(\d\.\d{1,2}\.\d[\w.+]{0,24})(?![\w.+]*-(?:cp|py)\d)",
    re.IGNORECASE,
)
_RECIPE = re.compile(r"(?:^|[\\/])(?:[\w.-]{0,40}[Dd]ockerfile[\w.-]{0,40}|[\w.-]{1,60}\.ya?ml)$")
"""Files whose comments say what will be made, not what is there."""
_GONE = re.compile(r"ninstall|Found existing|cached|Removing")
_TOKEN = re.compile(r"\[[^\]]{0,400}\]|\([^)]{0,400}\)|\S+")
"""What `print` puts beside each other: lists and tuples are one thing."""
_IMPORTED = re.compile(r"\bimport (\w{2,30}) as (\w{1,12})\b")
_ALIASES = {
    "tf": "tensorflow",
    "rt": "onnxruntime",
    "ort": "onnxruntime",
    "np": "numpy",
    "paddle": "paddlepaddle",
    "pytorch": "torch",
}
MOST = 12
"""Expressions of one line."""


@reads("Python session", ">>> ", "In [", "-c ")
def session(page: Page) -> Iterator[Fact]:
    """Every expression of a prompt with the answer on the following line."""
    for line, after in zip(page.lines, (*page.lines[1:], None), strict=True):
        typed = _PROMPT.match(line.text)
        code = typed[1] if typed else ""
        if not typed and (command := _ONE_LINE.search(line.text)):
            printed = _PRINTED.search(command[1])
            code = _spelled_out(printed[1], command[1]) if printed else ""
        if code and after is not None and not _PROMPT.match(after.text):
            yield from _answers(code, _OUT.match(after.text), after)
        elif not typed and after is not None and (shown_as := _OUT.match(after.text)):
            yield from _answers(line.text, shown_as, after)


@reads("is CUDA available", "vailable", "VAILABLE")
def labelled(page: Page) -> Iterator[Fact]:
    """`CUDA AVAILABLE: False`, as many programs print it."""
    for line in page.lines:
        found = _LABELLED.match(line.text)
        if found:
            value = "True" if found[1].lower() in ("true", "yes") else "False"
            yield observed("torch.cuda.is_available", value, line)


def _answers(code: str, shown_as: re.Match[str] | None, line: Line) -> Iterator[Fact]:
    """Each part of a tuple with its part of the answer; a notebook puts `Out[2]: ` before it."""
    parts = _parts(code.split(";")[-1].strip())
    values = _values(shown_as[1] if shown_as else line.text, len(parts))
    if len(parts) == len(values):
        for part, value in zip(parts, values, strict=True):
            yield from _answer(_plain(part), value, line)


def _spelled_out(code: str, source: str) -> str:
    """With the names of modules in place of those that `import … as …` gives them."""
    for module, name in _IMPORTED.findall(source):
        code = re.sub(rf"\b{name}\.", f"{module}.", code)
    return code


def _parts(code: str) -> list[str]:
    printed = _PRINTED.match(code)
    if printed:
        code = printed[1]
    try:
        node = ast.parse(code, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    nodes = node.elts if isinstance(node, ast.Tuple) else [node]
    return [ast.unparse(item) for item in nodes[:MOST]]


def _values(text: str, count: int) -> list[str]:
    text = text.strip().removeprefix("# ")
    if count == 1:
        return [text.strip("'\"")]
    try:
        value = ast.literal_eval(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError, TypeError):
        return _TOKEN.findall(text)
    return [str(item) for item in value] if isinstance(value, tuple) else _TOKEN.findall(text)


def _plain(code: str) -> str:
    """`tf.config.list_physical_devices('GPU')` is `tensorflow.config.list_physical_devices`."""
    bare = re.sub(r"\(.{0,200}\)", "", code)
    head, _, rest = bare.partition(".")
    return f"{_ALIASES.get(head, head)}.{rest}" if rest else head


def _answer(subject: str, value: str, line: Line) -> Iterator[Fact]:
    if not re.fullmatch(r"[A-Za-z_][\w.]{1,80}", subject) or "." not in subject:
        return
    yield observed(subject, value[:200], line)
    if subject == "torch.cuda.get_device_name" and value:
        vendor = "amd" if re.search(r"AMD|Radeon|Instinct", value) else "nvidia"
        gpu = Gpu(vendor=vendor, name=value[:80], found_via=line.place)  # type: ignore[arg-type]
        yield shown("gpu", gpu, line, group=f"torch {line.file}")
    name, _, rest = subject.partition(".")
    if rest == "__version__":
        yield from installed(name, value, line, weight=Weight.TOLD)


@reads("versions in words", "orch", "ORCH", "ensor", "TENSOR", "jax", "JAX", "onnx", "ONNX", "ind", "addle")
def versions(page: Page) -> Iterator[Fact]:
    """`torch 2.1.0a0+29c30b1`, `PyTorch: 2.2.0` in a sentence."""
    recipe = _RECIPE.search(page.file) is not None
    for line in page.lines:
        if line.text.count("==") or len(line.text) > 300 or _GONE.search(line.text):
            continue
        if recipe and line.text.lstrip().startswith("#"):
            continue
        for word, version in _VERSION.findall(line.text):
            name = word.lower()
            yield from named(_ALIASES.get(name, name), version.rstrip("."), line)
