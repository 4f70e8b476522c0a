"""Horovod, compiled against a torch whose headers ask for a newer C++."""

from __future__ import annotations

from collections.abc import Iterator

from dlsetup.judge.evidence import of_framework, of_message
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.model.finding import Finding, Remedy


@check("horovod-release-too-old-for-torch", told=True)
def older_standard(scene: Scene) -> Iterator[Answer]:
    """The compiler stops at torch's demand for C++17 while Horovod is built."""
    messages, horovod = scene.messages("cxx17-needed"), scene.messages("horovod-mentioned")
    if not messages or not horovod:
        return
    torch = scene.framework("torch")
    yield Finding(
        id="horovod-release-too-old-for-torch",
        severity="error",
        title="This release of Horovod does not compile against this torch",
        because="Horovod compiles its torch part as C++14; headers of torch 2.1 and newer need C++17.",
        evidence=(*map(of_message, (messages[0], horovod[0])), *((of_framework(torch),) if torch else ())),
        remedies=(
            Remedy(
                text="Take torch 2.0 or older with this Horovod, and build Horovod again without the cache."
            ),
            Remedy(text="Or build Horovod from a source that compiles its torch part as C++17."),
        ),
        rests_on=scene.sources(("horovod-cpp17",)),
    )
