"""TensorFlow Serving: an image that is taken as it is, since its server is not in any wheel."""

from __future__ import annotations

from collections.abc import Sequence

from dlsetup.model.errors import UsageError
from dlsetup.model.image import Image
from dlsetup.model.record import Unknown
from dlsetup.model.target import Target
from dlsetup.model.wish import Wish
from dlsetup.plan.base_image import Base, starts
from dlsetup.plan.recipe import TENSORFLOW_SERVING, Recipe

REPOSITORY = "tensorflow/serving"
FRAMEWORK = "tensorflow"


def is_served_so(wish: Wish) -> bool:
    """Whether TensorFlow alone is asked for."""
    return [item.framework for item in wish.wanted] == [FRAMEWORK]


def serving_recipe(wish: Wish, target: Target, images: Sequence[Image], *, name: str, words: str) -> Recipe:
    """The newest image that is asked for and starts there. Raises `UsageError` where there is none.

    `name`: of the image that is built; `words`: the target as `--target` takes it.
    """
    on_gpu = _on_gpu(wish, target)
    fitting = [row for row in images if _fits(row, wish, target, on_gpu=on_gpu)]
    if not fitting:
        kind = "with CUDA that starts" if on_gpu else "without CUDA that runs"
        raise UsageError(
            f"no image of {REPOSITORY} {kind} on {target.name} is known",
            hint="`--cpu` asks for one without CUDA" if on_gpu else "ask for another release of TensorFlow",
        )
    row = max(fitting, key=lambda item: (item.version is not None, item.version))
    image = f"{row.repository}:{row.tags[0]}"
    because = (
        f"TensorFlow Serving is in no wheel; {row.version} reads what TensorFlow up to {row.version} saved"
    )
    base = Base(image=image, builder=image, libc=row.glibc, because=because, sources=(row.source,))
    return Recipe(
        name=name,
        purpose="serve",
        base=base,
        holds=(f"TensorFlow Serving {row.version}{' with CUDA' if on_gpu else ''}",),
        target=words,
        device="cuda" if on_gpu else None,
        server=TENSORFLOW_SERVING,
    )


def _on_gpu(wish: Wish, target: Target) -> bool:
    if wish.accelerator is not None:
        return wish.accelerator == "cuda"
    return not isinstance(target.driver, Unknown) and target.driver is not None and target.gpus != ()


def _fits(row: Image, wish: Wish, target: Target, *, on_gpu: bool) -> bool:
    if row.repository != REPOSITORY or row.version is None or (row.cuda is not None) != on_gpu:
        return False
    other = not isinstance(row.architectures, Unknown) and target.arch not in row.architectures
    if other and not isinstance(target.arch, Unknown):
        return False
    asked = wish.wanted[0].specifier.contains(row.version, prereleases=True)
    return asked and (not on_gpu or starts(row, target))
