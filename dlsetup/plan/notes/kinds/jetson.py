"""NVIDIA's Jetson boards, whose driver, CUDA and Python all come with one release of JetPack."""

from __future__ import annotations

from collections.abc import Iterator

from dlsetup.judge.driver_ways import JETPACK
from dlsetup.judge.evidence import of_framework, of_gpus, of_package
from dlsetup.model.finding import Evidence
from dlsetup.model.hardware import JetPack
from dlsetup.model.note import NoteStep, NotOfKind
from dlsetup.model.note_facts import WheelIndex
from dlsetup.model.record import Unknown
from dlsetup.plan.notes.jetson_release import L4t, l4t_of
from dlsetup.plan.notes.registry import Kind
from dlsetup.plan.notes.steps import ask, into_environment, needed, optional, refuse, right
from dlsetup.plan.notes.subject import Subject, of_toolkits

NAME = "jetson"
RELEASE = "cat /etc/nv_tegra_release"
CHECK = 'python -c "import torch; print(torch.__version__, torch.cuda.is_available())"'


def concerns(subject: Subject) -> NotOfKind | None:
    """A board of NVIDIA with Jetson Linux."""
    if subject.scene.on_tegra is True or l4t_of(subject) is not None:
        return None
    if isinstance(subject.scene.on_tegra, Unknown):
        return refuse(NAME, "nothing tells whether this is a Jetson", RELEASE)
    other = "dlsetup notes driver" if subject.nvidia else "dlsetup notes"
    return refuse(NAME, "this is no Jetson: neither its kernel nor its packages are of Jetson Linux", other)


def steps(subject: Subject) -> Iterator[NoteStep]:
    """Which release it is; what came with it; wheels that use the GPU; how it runs at full speed."""
    found = l4t_of(subject)
    row = _row(subject, found)
    yield from _release(subject, found, row)
    yield from _parts(subject, row)
    yield from _python(subject, row)
    yield from _torch(subject, found)
    yield _power()


def _row(subject: Subject, found: L4t | None) -> JetPack | None:
    rows = subject.scene.catalog.hardware.jetpacks
    return next((row for row in rows if found and row.holds_for(found.release)), None)


def _release(subject: Subject, found: L4t | None, row: JetPack | None) -> Iterator[NoteStep]:
    if found is None:
        why = "JetPack decides about driver, CUDA, Python and wheels: `# R36 … REVISION: 4.3` is 36.4.3."
        yield ask("l4t", "Find out the release of Jetson Linux", why, (RELEASE,))
        return
    if row is None:
        why = f"The catalog knows no JetPack of Jetson Linux {found.release}: {JETPACK} lists them."
        yield ask("l4t", "Look up the JetPack of this release", why, (RELEASE,), evidence=(found.evidence,))
        return
    title = f"Jetson Linux {found.release} is JetPack {row.name}: CUDA {row.cuda}, Python {row.python}"
    gpus = of_gpus(subject.scene, subject.nvidia)
    yield right("l4t", title, (found.evidence, *gpus), sources=subject.scene.sources((row.source,)))


def _parts(subject: Subject, row: JetPack | None) -> Iterator[NoteStep]:
    """CUDA and cuDNN of JetPack; never a driver or a toolkit for other machines."""
    foreign = [item for item in subject.driver_packages if "l4t" not in item.name]
    if foreign:
        yield needed(
            "foreign-driver",
            "Take the driver for other machines off",
            "The driver of a Jetson is a part of its board's Linux; packages for PCI cards replace "
            "its libraries.",
            (f"sudo apt purge {' '.join(sorted({item.name for item in foreign}))}",),
            evidence=tuple(map(of_package, foreign)),
            check=("dpkg -l 'nvidia-l4t-*'",),
            sign="the packages of Jetson Linux in state `ii`",
        )
    if subject.toolkits:
        yield right("parts", "CUDA of JetPack is installed", of_toolkits(subject.toolkits))
        return
    if isinstance(subject.scene.machine.toolkits, Unknown):
        yield ask(
            "parts",
            "See whether CUDA of JetPack is installed",
            "Wheels for Jetson use it.",
            ("ls -d /usr/local/cuda-*",),
        )
        return
    named = f" {row.name}" if row else ""
    yield needed(
        "parts",
        f"Install CUDA, cuDNN and TensorRT of JetPack{named}",
        "Wheels for Jetson use the libraries of the board instead of bringing their own.",
        ("sudo apt update", "sudo apt install nvidia-jetpack"),
        check=("ls -d /usr/local/cuda-*",),
        sign=f"/usr/local/cuda-{row.cuda.line}" if row else "one folder",
        undo=("sudo apt remove nvidia-jetpack",),
    )


def _python(subject: Subject, row: JetPack | None) -> Iterator[NoteStep]:
    environment = subject.scene.environment
    if row is None:
        return
    wanted = f"{row.python.major}.{row.python.minor}"
    if environment is None or isinstance(environment.python, Unknown):
        why = f"Wheels for this JetPack are made for Python {wanted}."
        yield ask("python", "See the Python of the environment", why, ("python --version",))
        return
    evidence = Evidence(fact="Python", value=str(environment.python), source=environment.path)
    if environment.python.release[:2] == row.python.release[:2]:
        yield right("python", f"The Python is the one that wheels are made for ({wanted})", [evidence])
        return
    yield needed(
        "python",
        f"Make an environment with Python {wanted}",
        f"Wheels for this JetPack are made for Python {wanted}, and the environment has "
        f"{environment.python}.",
        (f"python{wanted} -m venv jetson-env", ". jetson-env/bin/activate"),
        evidence=(evidence,),
        place="shell",
        check=("python --version",),
        sign=f"Python {wanted}",
        undo=("rm -rf jetson-env",),
    )


def _torch(subject: Subject, found: L4t | None) -> Iterator[NoteStep]:
    row = next((row for row in subject.facts.wheel_indexes if found and _is_of(row, found.release)), None)
    torch = subject.scene.framework("torch")
    if torch is not None and torch.variant not in ("cpu", "any") and not isinstance(torch.variant, Unknown):
        yield right(
            "torch", f"{torch.title} is no CPU build", [of_framework(torch)], check=(CHECK,), sign="True"
        )
        return
    evidence = (of_framework(torch),) if torch else ()
    if found is None or row is None:
        why = "The index of wheels goes by JetPack, which is not known here."
        yield ask("torch", "Find the wheels for this JetPack", why, (RELEASE,), evidence=evidence)
        return
    why = (
        "Wheels of the configured index for aarch64 are made for the CPU or for servers, not for this board."
    )
    if row.form == "files":
        yield needed(
            "torch",
            f"Install torch from NVIDIA's files for this JetPack ({row.url})",
            why,
            place="screen",
            evidence=evidence,
            check=(CHECK,),
            sign="True",
            sources=subject.sources(row.source),
        )
        return
    yield needed(
        "torch",
        "Install torch from NVIDIA's index for this JetPack",
        why,
        into_environment(subject.scene, ["torch", "torchvision"], index=row.url),
        evidence=evidence,
        check=(CHECK,),
        sign="True",
        undo_words="uninstall both; the builds for the CPU come from the configured index",
        sources=subject.sources(row.source),
    )


def _is_of(row: WheelIndex, release: str) -> bool:
    return any(f"{release}.".startswith(f"{beginning}.") for beginning in row.l4t)


def _power() -> NoteStep:
    return optional(
        "power",
        "Let the board run at full power",
        "Boards start in a mode that saves power. Mode 0 is the largest one on most; the list names them.",
        ("sudo nvpmodel -q", "sudo nvpmodel -m 0", "sudo jetson_clocks"),
        only_if="speed matters more than heat and power",
        check=("sudo nvpmodel -q", "tegrastats"),
        sign="the mode that was chosen",
        undo_words="`sudo nvpmodel -m` with the first number; a restart undoes `jetson_clocks`",
    )


KIND = Kind(name=NAME, title="NVIDIA Jetson", concerns=concerns, steps=steps)
