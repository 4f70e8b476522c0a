"""All that a framework can be asked to prove: a capability is a program and a row."""

from __future__ import annotations

from collections.abc import Iterable

from dlsetup.model.capability import Capability
from dlsetup.model.outcome import Expected
from dlsetup.verify.asked import PROGRAMS

IMPORT = "import"
"""The name of what every framework proves first."""
SLOW = 300.0
"""Seconds for what compiles, or starts processes of its own."""


def first(expected: Expected) -> Capability:
    """What every framework has to prove before anything else is asked of it."""
    used = (PROGRAMS / "programs" / f"{expected.module}.py").is_file()
    return Capability(
        framework=expected.framework,
        name=IMPORT,
        title="is imported, sees its devices and computes" if used else "is imported",
        program="",
        seconds=SLOW,
    )


def capabilities(frameworks: Iterable[str]) -> tuple[Capability, ...]:
    """The rows of these frameworks, in the order of the table."""
    wanted = set(frameworks)
    return tuple(item for item in TABLE if item.framework in wanted)


def _row(
    framework: str, name: str, title: str, *needs: str, program: str = "", seconds: float = 120.0
) -> Capability:
    own = program or f"{framework}-{name}".replace("-", "_")
    return Capability(framework=framework, name=name, title=title, program=own, needs=needs, seconds=seconds)


TABLE = (
    _row("torch", "conv", "a convolution and a product give the numbers of NumPy", "numpy"),
    _row("torch", "gradients", "every parameter gets a gradient, and the right one"),
    _row("torch", "amp", "steps in mixed precision lower the loss"),
    _row("torch", "compile", "a compiled network computes the same", seconds=SLOW),
    _row("torch", "dataloader", "workers hand batches over through shared memory"),
    _row("torch", "data-parallel", "one batch on several GPUs"),
    _row("torch", "distributed", "two processes average their gradients", seconds=SLOW),
    _row(
        "torch",
        "export-onnx",
        "an exported network computes the same in ONNX Runtime",
        *("numpy", "onnx", "onnxruntime", "onnxscript"),
    ),
    _row("torch", "torchscript", "a traced network is saved and read again"),
    _row("torch", "export", "an exported program is saved and read again"),
    _row("torchvision", "ops", "its compiled operators fit the torch beside it"),
    _row("torchaudio", "resample", "a tone is resampled"),
    _row("lightning", "fit", "one epoch lowers the loss"),
    _row("pytorch-lightning", "fit", "one epoch lowers the loss"),
    _row("jax", "conv", "a convolution and a product give the numbers of NumPy"),
    _row("jax", "gradients", "every parameter gets the right gradient"),
    _row("jax", "jit", "a compiled function computes the same"),
    _row("jax", "vmap", "a function of one row is mapped over all"),
    _row("jax", "shard-map", "one function on several devices (pmap, shard_map)", program="jax_pmap"),
    _row("jax", "train-step", "compiled steps lower the loss"),
    _row("tensorflow", "conv", "a convolution and a product give the numbers of NumPy"),
    _row("tensorflow", "gradients", "every variable gets the right gradient"),
    _row("tensorflow", "tf-function", "a graph computes the same", program="tensorflow_function"),
    _row("tensorflow", "amp", "steps in mixed precision lower the loss"),
    _row("tensorflow", "saved-model", "a saved model keeps the signature that Serving calls"),
    _row("tensorflow", "lite", "a converted function computes the same in LiteRT", seconds=SLOW),
    _row("keras", "fit", "a network is fitted, saved and read again"),
    _row("onnx", "reference", "a model is made, checked and evaluated"),
    _row("onnxruntime", "model", "a model made by ONNX gives the numbers of NumPy", "onnx"),
    _row("tensorboard", "events", "an event file is written and read again"),
    _row("paddlepaddle", "train-step", "steps lower the loss"),
    _row("mindspore", "train-step", "steps lower the loss"),
    _row("oneflow", "train-step", "steps lower the loss"),
    _row("horovod", "allreduce", "all processes average"),
    _row("tensorrt", "engine", "an engine is built and read again", seconds=SLOW),
)
