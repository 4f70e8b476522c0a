"""NVIDIA's own repository of packages, made known to the package manager of the system."""

from __future__ import annotations

from collections.abc import Iterator

from dlsetup.judge.evidence import of_package
from dlsetup.judge.linux_families import foreign_name
from dlsetup.model.note import NoteStep
from dlsetup.plan.notes.steps import ask, needed, right
from dlsetup.plan.notes.subject import Subject

ROOT = "https://developer.download.nvidia.com/compute/cuda/repos"
PAGE = "https://developer.nvidia.com/cuda-downloads"
_FOLDERS = {"x86_64": "x86_64", "aarch64": "sbsa"}
"""Processors as the repositories call them; the boards of Jetson have one of their own."""
_FIRST_DNF5 = 41
"""The first Fedora whose `dnf` is of version 5."""


def repository_steps(subject: Subject, what: str) -> Iterator[NoteStep]:
    """The repository for this system, unless it is there; `what` is taken from it."""
    there = subject.package("cuda-keyring")
    if there is not None:
        yield right("nvidia-repository", "NVIDIA's repository is known to apt", [of_package(there)])
        return
    if subject.repository is None:
        yield _unknown(subject, what)
        return
    yield needed(
        "nvidia-repository",
        f"Make NVIDIA's repository for {subject.repository.folder} known",
        f"{what} comes from it, in packages that are kept up to date with the system.",
        _commands(subject),
        check=_check(subject),
        sign="a line with the address of the repository",
        undo=_undo(subject),
        sources=subject.sources(subject.repository.source),
    )


def _unknown(subject: Subject, what: str) -> NoteStep:
    """Nobody knows a repository for it, or nobody knows the system."""
    name = foreign_name(subject.scene)
    if name:
        why = f"The catalog knows no repository of NVIDIA for {name}; {PAGE} lists those that there are."
        title = f"Look for it among the packages of {name}, else among NVIDIA's"
        return ask(
            "nvidia-repository", title, f"{what} is needed. {why}", ("cat /etc/os-release", "uname -m")
        )
    if subject.family is None or not subject.release:
        why = f"{what} comes from NVIDIA's repository for this very system, and nothing tells which it is."
        return ask("nvidia-repository", "Find out the system and its release", why, ("cat /etc/os-release",))
    return ask(
        "nvidia-repository",
        "Look up NVIDIA's packages for this system",
        f"No row of the catalog names a repository for this release and processor: {PAGE} lists them.",
        ("cat /etc/os-release", "uname -m"),
    )


def _base(subject: Subject) -> str:
    row = subject.repository
    folder = row.folder if row else ""
    return f"{ROOT}/{folder}/{_FOLDERS.get(str(subject.scene.target.arch), 'x86_64')}"


def _commands(subject: Subject) -> tuple[str, ...]:
    base, row = _base(subject), subject.repository
    file = f"{base}/cuda-{row.folder if row else ''}.repo"
    if subject.family in ("ubuntu", "debian"):
        keyring = subject.bound("deb-keyring")
        return (f"curl -fsSLO {base}/{keyring}", f"sudo apt install ./{keyring}", "sudo apt update")
    if subject.family == "suse":
        return (f"sudo zypper addrepo {file}", "sudo zypper --gpg-auto-import-keys refresh")
    if subject.family == "fedora" and (subject.major or _FIRST_DNF5) >= _FIRST_DNF5:
        return (f"sudo dnf config-manager addrepo --from-repofile={file}",)
    return (
        "sudo dnf install 'dnf-command(config-manager)'",
        f"sudo dnf config-manager --add-repo {file}",
    )


def _check(subject: Subject) -> tuple[str, ...]:
    if subject.family in ("ubuntu", "debian"):
        return ("apt-cache policy cuda-keyring",)
    return ("zypper repos --uri",) if subject.family == "suse" else ("dnf repolist",)


def _undo(subject: Subject) -> tuple[str, ...]:
    folder = subject.repository.folder if subject.repository else ""
    if subject.family in ("ubuntu", "debian"):
        return ("sudo apt remove cuda-keyring", "sudo apt update")
    if subject.family == "suse":
        return (f"sudo zypper removerepo cuda-{folder}-x86_64",)
    return (f"sudo rm /etc/yum.repos.d/cuda-{folder}.repo",)
