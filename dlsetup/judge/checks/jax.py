"""JAX and its parts, which are released together and work together only in step."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlsetup.judge.commands import install
from dlsetup.judge.demands import demands
from dlsetup.judge.evidence import of_demand, of_distribution
from dlsetup.judge.exchange import own_environment
from dlsetup.judge.registry import Answer, check
from dlsetup.judge.scene import Installed, Scene
from dlsetup.model.finding import Finding, Remedy

JAX_PLUGIN = re.compile(r"jax-((?:cuda|rocm)\d+)-(?:plugin|pjrt)")
"""The distributions that bring a GPU to JAX."""


@check("jax-plugin-mismatch")
def plugin_out_of_step(scene: Scene) -> Iterator[Answer]:
    """A GPU plugin of JAX is of another release than jaxlib, which then ignores it."""
    jaxlib = next(iter(scene.copies("jaxlib")), None)
    plugins = [(found[1], item) for item in scene.distributions if (found := JAX_PLUGIN.fullmatch(item.name))]
    if jaxlib is None:
        return
    apart = [(kind, item) for kind, item in plugins if item.version.release != jaxlib.version.release]
    if not apart:
        return
    kind, plugin = apart[0]
    yield Finding(
        id="jax-plugin-mismatch",
        severity="error",
        title=f"{plugin.name} {plugin.version} does not go with jaxlib {jaxlib.version}",
        because="JAX loads a plugin only of the same release as jaxlib; without one it uses the CPU.",
        evidence=(of_distribution(jaxlib), *(of_distribution(item) for _, item in apart)),
        remedies=_together(scene, kind),
    )


@check("jax-jaxlib-mismatch")
def jaxlib_out_of_step(scene: Scene) -> Iterator[Answer]:
    """jax does not accept the installed jaxlib."""
    jaxlib = next(iter(scene.copies("jaxlib")), None)
    refusing = [
        item
        for item in demands(scene, "jaxlib")
        if item.owner.name == "jax" and jaxlib and not item.admits(jaxlib.version)
    ]
    if jaxlib is None or not refusing:
        return
    yield Finding(
        id="jax-jaxlib-mismatch",
        severity="error",
        title=f"jaxlib {jaxlib.version} does not go with jax {refusing[0].owner.version}",
        because=f"{refusing[0].text}, and jaxlib {jaxlib.version} is installed.",
        evidence=(of_distribution(jaxlib), of_demand(refusing[0])),
        remedies=_together(scene, _kind(scene)),
    )


def _kind(scene: Scene) -> str:
    """`cuda12`, by the plugin that is installed; empty for the CPU."""
    found = (JAX_PLUGIN.fullmatch(item.name) for item in scene.distributions)
    return next((item[1] for item in found if item), "")


def _together(scene: Scene, kind: str) -> tuple[Remedy, ...]:
    """Install jax again with the parts of its own release."""
    jax = scene.framework("jax")
    if jax is None or jax.distribution.name != "jax":
        return (Remedy(text="Install jax, jaxlib and the plugin of one release."),)
    commands = install(scene, [_requirement(jax, kind)])
    if not commands:
        return (own_environment(jax),)
    return (
        Remedy(text=f"Install the parts that belong to jax {jax.distribution.version}.", commands=commands),
    )


def _requirement(jax: Installed, kind: str) -> str:
    extra = f"[{kind}]" if kind.startswith("cuda") else ""
    return f"jax{extra}=={jax.distribution.version}"
