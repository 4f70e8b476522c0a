"""What is in use of a machine now, and the most of it while a program runs."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

from dlsetup.model.record import UNKNOWN, Unknown
from dlsetup.model.use import Seen, Use
from dlsetup.probe.gpu_use import SECONDS, GpuWatch, gpu_use
from dlsetup.probe.host import Host
from dlsetup.probe.memory_use import grown, memory_use, resident, shm_use

SHARE = 20
"""A look that takes long is made the more seldom: it never costs more than a twentieth of a core."""


def use(host: Host) -> Use:
    """This moment. It asks NVML, which may take some seconds where a driver is slow."""
    return Use(gpus=gpu_use(host), memory=memory_use(host))


class UseWatch:
    """Follows a program from its start to its end, in threads of its own."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.samples = 0
        self._before = memory_use(host)
        self._gpus = GpuWatch(host)
        self._memory: int | Unknown = UNKNOWN
        self._shm: tuple[int, int] | None = shm_use(host)
        self._over = threading.Event()
        self._began = time.monotonic()

    def follow(self, pid: int) -> None:
        """The program has started."""
        threading.Thread(target=self._look, args=(pid,), daemon=True).start()

    def end(self) -> None:
        """The program has ended."""
        self._over.set()
        self._gpus.end()

    def seen(self, command: Sequence[str], code: int, signal: str, output: int) -> Seen:
        """What was seen of it."""
        after = memory_use(self.host)
        return Seen(
            command=tuple(command),
            exit_code=code,
            signal=signal,
            seconds=round(time.monotonic() - self._began, 1),
            gpus=self._gpus.peaks(),
            memory_peak_bytes=self._memory,
            memory_limit_bytes=self._before.limit_bytes,
            oom_kills=grown(self._before.oom_kills, after.oom_kills),
            shm_bytes=self._shm[0] if self._shm else UNKNOWN,
            shm_peak_bytes=self._shm[1] if self._shm else UNKNOWN,
            output_bytes=output,
            samples=self.samples,
        )

    def _look(self, pid: int) -> None:
        import psutil  # noqa: F401 - loading it is no part of a look

        pause = 0.02
        while not self._over.is_set():
            began = time.thread_time()
            held = resident(pid)
            if held is None:
                return
            self._memory = held if isinstance(self._memory, Unknown) else max(self._memory, held)
            shm = shm_use(self.host)
            if shm and self._shm:
                self._shm = (shm[0], max(shm[1], self._shm[1]))
            self.samples += 1
            pause = min(SECONDS, pause * 2)
            self._over.wait(max(pause, SHARE * (time.thread_time() - began)))
