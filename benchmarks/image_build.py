"""How much `create image --build` adds to `docker build` of the same file: seconds, and the share.

    python benchmarks/image_build.py [--rounds 3] [--python 3.11]

Needs a Docker engine, the base image `python:X-slim-bookworm`, and a package index. Every round builds
without the engine's cache, first by `docker build`, then by dlsetup: it resolves, locks, builds and proves;
what dlsetup spends before the build is told apart.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time


def main() -> None:
    given = argparse.ArgumentParser()
    given.add_argument("--rounds", type=int, default=3)
    given.add_argument("--python", default="3.11")
    asked = given.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        words = ["jax", "--cpu", "--python", asked.python, "--into", folder, "--tag", "dlsetup-bench:1"]
        create = [sys.executable, "-m", "dlsetup", "create", "image", *words]
        build = [*create, "--build", "--network", "host", "--yes"]
        _timed([*create, "--plain"])
        bare, ours, files = [], [], []
        for _ in range(asked.rounds):
            _forget()
            bare.append(
                _timed(["docker", "build", "--network", "host", "-q", "-t", "dlsetup-bench:0", folder])
            )
            _forget()
            ours.append(_timed(build))
            files.append(_timed([*create, "--plain"]))
    one, other = statistics.median(bare), statistics.median(ours)
    print(f"docker build           {one:6.2f} s")
    print(f"create image --build   {other:6.2f} s   {100 * (other / one - 1):+.1f} %")
    print(f"  its plan and files   {statistics.median(files):6.2f} s")


def _timed(argv: list[str]) -> float:
    begun = time.perf_counter()
    subprocess.run(argv, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - begun


def _forget() -> None:
    """Images of the rounds before go, and with them the engine's cache of their layers."""
    subprocess.run(["docker", "image", "rm", "-f", "dlsetup-bench:0", "dlsetup-bench:1"], capture_output=True)
    subprocess.run(["docker", "image", "prune", "-f"], capture_output=True)


if __name__ == "__main__":
    main()
