"""How it is computed: precision, layout, compiler, threads, copies."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from dlsetup.model.hardware import Hardware
from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.model.tuning import Advice, Measured, Standing
from dlsetup.model.versions import ComputeCapability
from dlsetup.plan.tuning.comparing import Compared, Said, against, middle, told
from dlsetup.plan.tuning.written import written
from dlsetup.rules.formats import format_row, is_native

STANDINGS: dict[Said, Standing] = {"faster": "change", "slower": "keep", "alike": "keep", "few": "open"}
REMARKS: dict[Said, str] = {
    "faster": "",
    "slower": "; slower here",
    "alike": "; no difference that stands out of the noise",
    "few": "; measured too seldom to tell: `--seconds` gives more time",
}
NEAR = 0.95
"""bfloat16 needs no scaler: it is preferred where it is nearly as fast as float16."""


def compared_advice(
    measured: Measured, setting: str, usual: str, value: str, *, key: str = "", sources: tuple[str, ...] = ()
) -> Advice:
    """The other setting against the usual one."""
    found = against(measured.numbers, usual)
    if found is None:
        return _open(setting)
    return _of(found, setting, value, usual, written(measured.framework, key or setting), sources)


def _of(
    found: Compared, setting: str, value: str, usual: str, how: tuple[str, ...], sources: tuple[str, ...] = ()
) -> Advice:
    faster = found.said == "faster"
    return Advice(
        setting=setting,
        standing=STANDINGS[found.said],
        value=value if faster else usual,
        because=f"{found.words}{REMARKS[found.said]}",
        gain=round(found.gain, 3) if found.gain else UNKNOWN,
        how=how if faster else (),
        sources=sources,
    )


def _open(setting: str) -> Advice:
    because = "it was not measured to its end in this time: `--seconds` gives more"
    return Advice(setting=setting, standing="open", value="", because=because)


def amp_advice(measured: Measured, hardware: Hardware) -> Iterator[Advice]:
    """Mixed precision: bfloat16 where it is native and as fast, else float16, else float32."""
    numbers = measured.numbers
    native = is_native("bfloat16", _capability(numbers.capability), hardware)
    names = {item.name for item in numbers.variants if item.rates} - {"float32"}
    emulated = native is False and "bfloat16" in names
    names -= {"bfloat16"} if emulated else set()
    found = against(numbers, "float32", names)
    if found is None:
        yield _open("amp")
        return
    brief = numbers.variant("bfloat16")
    if brief and "bfloat16" in names and middle(brief) >= NEAR * middle(found.variant):
        found = against(numbers, "float32", ("bfloat16",)) or found
    value = found.variant.name
    how = written(measured.framework, value, device=_autocast_word(numbers.device))
    row = format_row("bfloat16", hardware)
    said = _of(found, "amp", value, "float32", how)
    if row is None or isinstance(native, Unknown):
        yield said
        return
    words = "computes" if native else "only emulates"
    more = f"; a GPU of compute capability {numbers.capability} {words} bfloat16"
    because = f"{said.because}{more}{' by itself' if native else ''}"
    yield replace(said, because=because, sources=(row.source,))


def _autocast_word(device: str) -> str:
    return "cuda" if device == "rocm" else device


def _capability(text: str) -> ComputeCapability | Unknown:
    try:
        return ComputeCapability(text)
    except ValueError:
        return UNKNOWN


def tf32_advice(measured: Measured, hardware: Hardware) -> Iterator[Advice]:
    """TF32 for products of float32, where the GPU has it."""
    row = format_row("tf32", hardware)
    sources = () if row is None else (row.source,)
    if is_native("tf32", _capability(measured.numbers.capability), hardware) is False:
        because = f"a GPU of compute capability {measured.numbers.capability} has no TF32"
        yield Advice(setting="tf32", standing="keep", value="float32", because=because, sources=sources)
        return
    yield compared_advice(measured, "tf32", "float32", "tf32", sources=sources)


def layout_advice(measured: Measured) -> Iterator[Advice]:
    yield compared_advice(measured, "layout", "channels_first", "channels_last")


def pinned_advice(measured: Measured) -> Iterator[Advice]:
    yield compared_advice(measured, "pinned", "pageable", "pinned")


def compile_advice(measured: Measured) -> Iterator[Advice]:
    """Compiled or not, with what it costs once and when that is earned."""
    said = compared_advice(measured, "compile", "eager", "compiled")
    numbers = measured.numbers
    plain, compiled = numbers.variant("eager"), numbers.variant("compiled")
    if not numbers.once_seconds or plain is None or compiled is None:
        yield said
        return
    more = f"; compiling took {numbers.once_seconds:.0f} s once"
    if said.standing == "change":
        saved = 1 / middle(plain) - 1 / middle(compiled)
        more += f", earned back after {numbers.once_seconds / saved:.0f} samples"
    yield replace(said, because=said.because + more)


def threads_advice(measured: Measured) -> Iterator[Advice]:
    """Threads of the CPU, against as many as the framework takes by itself."""
    numbers = measured.numbers
    usual = threads_name(numbers.usual)
    base = numbers.variant(usual)
    if len(numbers.variants) == 1 and base:
        because = f"one processor is here: {told(base)}"
        yield Advice(setting="threads", standing="keep", value=usual, because=because)
        return
    found = against(numbers, usual)
    if found is None:
        yield _open("threads")
        return
    how = written(measured.framework, "threads", value=threads_of(found.variant.name))
    yield _of(found, "threads", found.variant.name, usual, how)


def threads_name(count: int) -> str:
    """As the program that measures names it."""
    return "1 thread" if count == 1 else f"{count} threads"


def threads_of(name: str) -> int:
    """How many a name means."""
    return int(name.split()[0])
