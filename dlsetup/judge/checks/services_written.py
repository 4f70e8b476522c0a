"""Services and pods of files: GPUs that are needed and not asked for, memory that is not enough."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.judge.container_tools import words_of
from dlsetup.judge.installers import of_asked
from dlsetup.judge.recipe_builds import variant_of
from dlsetup.judge.recipes import Recipe, alone, recipes
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Evidence, Finding, Remedy
from dlsetup.model.record import Unknown
from dlsetup.model.report import Contained

_WANTS = re.compile(
    r"(?:--device|--accelerator)[ =]+(?:cuda|gpu)\b|--(?:num-gpus|n_gpus?|gpus)[ =]+[1-9]"
    r"|--gpu-memory-utilization\b"
    r"|--tensor-parallel-size[ =]+\d|--n-gpu-layers[ =]+[1-9]|\bnvidia-smi\b"
)
_SET = re.compile(
    r"(?:\w{0,30}DEVICE|\w{0,30}ACCELERATOR)=(?:cuda|gpu)\b|NVIDIA_VISIBLE_DEVICES=(?:all|\d|GPU-)|CUDA_VISIBLE_DEVICES=\d",
)
_FOR_CPU = re.compile(
    r"\bcpu\b|CUDA_VISIBLE_DEVICES=(?:-1|none|$)|NVIDIA_VISIBLE_DEVICES=(?:none|void|$)", re.IGNORECASE
)
_GPU_ONLY = re.compile(
    r"^(?:docker\.io/)?(?:vllm/vllm-openai|lmsysorg/sglang|nvcr\.io/nvidia/(?:pytorch|tensorflow|jax|tensorrt)|"
    r"ghcr\.io/huggingface/text-generation-inference|nvidia/cuda):(?!.{0,99}(?:cpu|xpu|rocm|amd|devel))"
)
"""Images that are of no use without a GPU."""
_UNSEEN = re.compile(r"\b(?:uv|poetry|pdm|pixi|pipenv)\b|\s(?:-r|--requirement)\b|\bpip\d? install \.")
"""Words of a RUN that installs what another file says, which may be meant for processors."""
_TRAINS = re.compile(
    r"\btorchrun\b|torch\.distributed\.(?:run|launch)|\baccelerate launch\b|\bdeepspeed\b|\bhorovodrun\b"
    r"|\w{0,40}train\w{0,20}\.py\b|--num[-_]workers[ =]+[1-9]|--workers[ =]+[1-9]"
    r"|--tensor-parallel-size[ =]+[2-9]|--tp(?:-size)?[ =]+[2-9]"
)


@check("container-without-gpu", written=True)
def service_without_gpu(scene: Scene) -> Iterator[Answer]:
    """A service or pod needs a GPU, and its file asks for none."""
    boxes = [item for item in scene.machine.report.containers if item.kind in ("compose", "pod")]
    if not alone(scene) or any(_asks(box) for box in boxes if box.kind == "pod"):
        return
    for box in boxes:
        why = _needs_gpu(scene, box) if box.gpus is False else None
        if why is None or any(_same(box, other) and other.gpus is not False for other in boxes):
            continue
        name = f"The service {box.name}" if box.name else "The container"
        yield Finding(
            id="container-without-gpu",
            severity="warning",
            title=f"{name} asks for no GPU",
            because=f"{name} needs one ({why.value}), and nothing in the file hands one over; it gets one "
            "only where `nvidia` is the engine's default runtime.",
            evidence=(why,),
            remedies=(_reserve(scene, box),),
            rests_on=scene.sources(("container-toolkit-guide",)),
        )


def _plain(text: str) -> str:
    return " ".join(text.split())


def _asks(box: Contained) -> bool:
    return box.gpus is True


def _same(box: Contained, other: Contained) -> bool:
    """Whether another service shares the image, or the name in a file that is laid over this one."""
    if other is box:
        return False
    shared = box.image == other.image and not isinstance(box.image, Unknown)
    return shared or (box.built and other.built) or (box.name != "" and box.name == other.name)


def _needs_gpu(scene: Scene, box: Contained) -> Evidence | None:
    words = " ".join((box.command, *box.settings))
    image = "" if isinstance(box.image, Unknown) else box.image
    if _FOR_CPU.search(f"{words} {image} {box.name}"):
        return None
    if found := _WANTS.search(box.command):
        return Evidence(fact="command", value=_plain(found[0]), source=box.source)
    if found := next((one for text in box.settings if (one := _SET.match(text))), None):
        return Evidence(fact="setting", value=_plain(found[0]), source=box.source)
    if box.built:
        return _built_for_gpu(scene)
    if image and _GPU_ONLY.match(image):
        return Evidence(fact="image", value=image, source=box.source)
    return None


def _built_for_gpu(scene: Scene) -> Evidence | None:
    """The one recipe beside the file, where what it starts or installs asks for CUDA."""
    made = [item for item in recipes(scene) if item.stages[-1].last]
    if len(made) != 1:
        return None
    stage = made[0].stages[-1]
    if _FOR_CPU.search(stage.starts):
        return None
    if found := _WANTS.search(stage.starts):
        return Evidence(fact="starts", value=_plain(found[0]), source=stage.source)
    copied = any(item.copies for item in made[0].stages)
    seen = not copied and not any(map(_UNSEEN.search, made[0].runs))
    if seen and _GPU_ONLY.match(made[0].image):
        return Evidence(fact="image", value=made[0].image, source=stage.source)
    asked = (item for item in made[0].asked if (variant_of(made[0], item) or "").startswith("cu"))
    return next(map(of_asked, asked), None)


def _reserve(scene: Scene, box: Contained) -> Remedy:
    if box.kind == "pod":
        return Remedy(
            text="Ask for it: `resources: {limits: {nvidia.com/gpu: 1}}` of the container.", scope="project"
        )
    return Remedy(
        text="Ask for it below the service: `deploy: {resources: {reservations: {devices: [{driver: nvidia, "
        "count: all, capabilities: [gpu]}]}}}`.",
        scope="project",
    )


@check("shm-too-small", written=True)
def memory_by_default(scene: Scene) -> Iterator[Answer]:
    """A container with GPUs trains, or spans GPUs, with the 64 MiB of /dev/shm that it gets by default."""
    if not alone(scene):
        return
    for box in scene.machine.report.containers:
        plain = box.kind in ("compose", "pod", "run") and box.gpus is True and not box.host_ipc
        found = _trains(scene, box) if plain and box.shm_bytes is None else None
        if found is None:
            continue
        yield Finding(
            id="shm-too-small",
            severity="note",
            title="The container gets 64 MiB of /dev/shm",
            because="Data loader workers and NCCL share memory there, and nothing asks for more.",
            evidence=(found,),
            remedies=(Remedy(text=f"Start the container with {words_of(scene).memory}.", scope="project"),),
            rests_on=scene.sources(("torch-shared-memory", "nccl-shared-memory")),
        )
        return


def _trains(scene: Scene, box: Contained) -> Evidence | None:
    if found := _TRAINS.search(box.command):
        return Evidence(fact="command", value=_plain(found[0]), source=box.source)
    made: list[Recipe] = [item for item in recipes(scene) if item.stages[-1].last] if box.built else []
    if len(made) == 1 and (found := _TRAINS.search(made[0].stages[-1].starts)):
        return Evidence(fact="starts", value=_plain(found[0]), source=made[0].stages[-1].source)
    return None
