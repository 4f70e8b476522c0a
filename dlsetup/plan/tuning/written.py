"""How each setting is written: lines of code in the words of a framework, or of a shell."""

from __future__ import annotations

Lines = dict[str, tuple[str, ...]]

_TORCH: Lines = {
    "batch": ("loader = DataLoader(dataset, batch_size={value}, …)",),
    "accumulation": (
        "loss = loss / {steps}",
        "if (number + 1) % {steps} == 0: optimizer.step(); optimizer.zero_grad()",
    ),
    "workers": (
        "loader = DataLoader(…, num_workers={workers}, prefetch_factor={ahead}, persistent_workers=True)",
    ),
    "no-workers": ("loader = DataLoader(…, num_workers=0)",),
    "bfloat16": ('with torch.autocast("{device}", dtype=torch.bfloat16): loss = …',),
    "float16": (
        'scaler = torch.amp.GradScaler("{device}")',
        'with torch.autocast("{device}", dtype=torch.float16): loss = …',
        "scaler.scale(loss).backward(); scaler.step(optimizer); scaler.update()",
    ),
    "tf32": ('torch.set_float32_matmul_precision("high")',),
    "layout": ("model = model.to(memory_format=torch.channels_last)",),
    "compile": ("model = torch.compile(model)",),
    "pinned": ("loader = DataLoader(…, pin_memory=True)", "batch = batch.to(device, non_blocking=True)"),
    "threads": ("torch.set_num_threads({value})", "export OMP_NUM_THREADS={value}"),
    "allocator": ("export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",),
}
_LIGHTNING: Lines = {
    **_TORCH,
    "accumulation": ("trainer = Trainer(accumulate_grad_batches={steps}, …)",),
    "bfloat16": ('trainer = Trainer(precision="bf16-mixed", …)',),
    "float16": ('trainer = Trainer(precision="16-mixed", …)',),
}
_KERAS: Lines = {
    "batch": ("model.fit(…, batch_size={value})",),
    "accumulation": ("optimizer = keras.optimizers.SGD(…, gradient_accumulation_steps={steps})",),
    "bfloat16": ('keras.mixed_precision.set_global_policy("mixed_bfloat16")',),
    "float16": ('keras.mixed_precision.set_global_policy("mixed_float16")',),
}
_JAX: Lines = {
    "batch": ("BATCH = {value}",),
    "accumulation": ("slopes = jax.tree.map(lambda *parts: sum(parts) / {steps}, *slopes_of_each_batch)",),
    "bfloat16": ("inputs, parameters = jax.tree.map(lambda part: part.astype(jnp.bfloat16), …)",),
}
WRITTEN: dict[str, Lines] = {
    "torch": _TORCH,
    "lightning": _LIGHTNING,
    "keras": _KERAS,
    "tensorflow": _KERAS,
    "jax": _JAX,
}


def written(framework: str, setting: str, **values: object) -> tuple[str, ...]:
    """The lines, with the values in them; none where that framework has no word for it."""
    lines = WRITTEN.get(framework, {}).get(setting, ())
    return tuple(line.format(**values) for line in lines)
