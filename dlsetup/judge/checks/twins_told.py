"""Twins that one command or one file asks for."""

from __future__ import annotations

from collections.abc import Iterator

from dlsetup.judge.commands import install, uninstall
from dlsetup.judge.evidence import of_observation
from dlsetup.judge.installers import asked_of, of_asked
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Scene
from dlsetup.judge.told_devices import without_cuda_provider
from dlsetup.model.finding import Finding, Remedy


@check("<framework>-cpu-and-gpu-both", told=True)
def asked_together(scene: Scene) -> Iterator[Answer]:
    """The CPU and the GPU build of a framework are asked for together, and the GPU's part is missed."""
    asked = {item.name: item for item in asked_of(scene, "pip")}
    idle = without_cuda_provider(scene)
    for framework in scene.catalog.frameworks:
        for group in framework.twins:
            both = [asked[name] for name in group if name in asked]
            gpu = [item for item in both if item.name.endswith("-gpu")]
            wanted = idle if framework.name == "onnxruntime" else scene.reachable_nvidia
            if len(both) < 2 or not gpu or not wanted:
                continue
            names = [item.name for item in both]
            yield Finding(
                id=f"{framework.name}-cpu-and-gpu-both",
                severity="error",
                title=f"{' and '.join(names)} are asked for side by side",
                because="They write the same files, so what `import` finds is a mixture of both.",
                evidence=(*map(of_asked, both), *([of_observation(idle)] if idle else [])),
                remedies=(
                    Remedy(
                        text=f"Ask for {gpu[0].name} alone, and remove both before it is installed.",
                        commands=(*uninstall(scene, names), *install(scene, [gpu[0].name])),
                    ),
                ),
            )
