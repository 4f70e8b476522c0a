"""JAX: one function on several devices at once (`pmap`, `shard_map`)."""

from __future__ import annotations

import importlib
from typing import Any


def prove() -> dict[str, Any]:
    shared = importlib.import_module("on_jax")
    jax = shared.ready(processors=2)
    count = jax.local_device_count()
    if count < 2:
        return {"untried": f"it takes two devices, and JAX sees one {shared.kind(jax)}"}
    numbers = jax.numpy.arange(count * 4.0).reshape(count, 4)
    wanted = numbers.sum(axis=0).tolist()
    summed = jax.pmap(lambda row: jax.lax.psum(row, "all"), axis_name="all")(numbers)
    said = [_checked("pmap", summed, wanted)]
    if sharded := _sharded(jax, numbers):
        said.append(_checked("shard_map", sharded[0], wanted))
    return shared.told(jax, f"{count} devices", *said)


def _sharded(jax: Any, numbers: Any) -> list[Any]:
    """The same by `shard_map`, which has lain in `jax` itself since 0.6; empty where it is not there."""
    mapped = getattr(jax, "shard_map", None)
    if mapped is None:
        return []
    from_mesh = jax.sharding
    mesh = from_mesh.Mesh(jax.devices(), ("all",))
    rows = from_mesh.PartitionSpec("all")
    one = mapped(lambda part: jax.lax.psum(part, "all"), mesh=mesh, in_specs=rows, out_specs=rows)
    return [one(numbers)]


def _checked(name: str, rows: Any, wanted: list[float]) -> str:
    if any(row.tolist() != wanted for row in rows):
        raise AssertionError(f"{name} adds up to {rows[0].tolist()}, and {wanted} is right")
    return f"{name} adds up over all"
