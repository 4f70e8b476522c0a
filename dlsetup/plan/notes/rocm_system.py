"""The system's side of ROCm: what AMD supports, the kernel's driver, groups, ROCm itself."""

from __future__ import annotations

from collections.abc import Iterator

from packaging.version import Version

from dlsetup.judge.evidence import of_gpus, of_package
from dlsetup.judge.linux_families import install_packages
from dlsetup.model.finding import Evidence
from dlsetup.model.hardware import RocmLine
from dlsetup.model.note import NoteStep
from dlsetup.model.note_facts import RocmInstaller
from dlsetup.model.record import Unknown
from dlsetup.plan.notes.steps import ask, needed, optional, right
from dlsetup.plan.notes.subject import Subject
from dlsetup.rules.gpus import gfx_of

MATRIX = "https://rocm.docs.amd.com/en/latest/compatibility/compatibility-matrix.html"
INSTALLER = "https://repo.radeon.com/amdgpu-install"


def gfx_list(subject: Subject) -> tuple[str, ...]:
    """The architectures of the AMD GPUs, as far as they are known."""
    found = (gfx_of(gpu, subject.scene.catalog.hardware) for gpu in subject.scene.gpus("amd"))
    return tuple(dict.fromkeys(gfx for gfx in found if isinstance(gfx, str)))


def matrix_steps(subject: Subject) -> Iterator[NoteStep]:
    """Which line of ROCm has wheels with code for the GPU, and whether AMD names GPU and system."""
    rows = subject.scene.catalog.hardware.rocm
    known = gfx_list(subject)
    built = [
        row for row in rows if not isinstance(row.wheel_gfx, Unknown) and set(known) <= set(row.wheel_gfx)
    ]
    if known and built:
        newest, oldest = built[0], built[-1]
        title = f"Wheels of PyTorch have code for it from ROCm {oldest.version} to {newest.version}"
        evidence = Evidence(fact="architecture", value=" and ".join(known), source="the catalog")
        yield right("wheels", title, [evidence], sources=subject.scene.sources((newest.source,)))
    elif known:
        why = (
            f"No row of the catalog names wheels with code for {' and '.join(known)}: {MATRIX} has "
            "AMD's own list."
        )
        yield ask("wheels", "Look the GPU up in AMD's list", why, ("rocminfo | grep gfx",))
    yield from _supported(subject, known, rows)


def _supported(subject: Subject, known: tuple[str, ...], rows: tuple[RocmLine, ...]) -> Iterator[NoteStep]:
    told = [row for row in rows if not isinstance(row.gfx, Unknown) and not isinstance(row.systems, Unknown)]
    system = f"{subject.family} {subject.release}"
    if not told or not known or not subject.release:
        return
    both = [row for row in told if set(known) <= set(row.gfx or ()) and system in (row.systems or ())]
    if both:
        title = f"AMD names this GPU and {system} together for ROCm {both[0].version}"
        evidence = Evidence(fact="system", value=system, source="the system")
        yield right("matrix", title, [evidence], sources=subject.scene.sources((both[0].source,)))
        return
    why = (
        f"AMD's lists that the catalog has (up to ROCm {told[0].version}) do not name "
        f"{' and '.join(known)} with "
        f"{system}. Wheels may work all the same; {MATRIX} has the list of today."
    )
    yield ask("matrix", "Look GPU and system up in AMD's list", why, ("cat /etc/os-release", "uname -r"))


def system_steps(subject: Subject) -> Iterator[NoteStep]:
    """The kernel's driver, access to it, and ROCm itself only where something needs it."""
    yield _kernel_driver(subject)
    if not subject.scene.in_container:
        yield _groups()
    yield _rocm(subject)


def _kernel_driver(subject: Subject) -> NoteStep:
    gpus = [gpu for gpu in subject.scene.gpus("amd") if "kfd" in gpu.found_via]
    if gpus:
        package = subject.package("amdgpu-dkms")
        more = (of_package(package),) if package else ()
        title = "The kernel's driver `amdgpu` has the GPU, with /dev/kfd"
        return right("kernel-driver", title, (*of_gpus(subject.scene, gpus), *more))
    return ask(
        "kernel-driver",
        "See that the kernel's driver `amdgpu` has the GPU",
        "Computing goes through /dev/kfd. Where it is missing, `sudo modprobe amdgpu` loads the "
        "driver; a GPU that "
        "is newer than the kernel needs a newer kernel, or AMD's `amdgpu-dkms`.",
        ("ls -l /dev/kfd /dev/dri", "lsmod | grep amdgpu", "sudo dmesg | grep -i amdgpu"),
    )


def _groups() -> NoteStep:
    return needed(
        "groups",
        "Let this user compute: groups `render` and `video`",
        "/dev/kfd and /dev/dri belong to these groups; without them ROCm finds no GPU and says nothing else.",
        ('sudo usermod -a -G render,video "$(id -un)"',),
        only_if="`id -nG` does not list both",
        check=("id -nG", "ls -l /dev/kfd"),
        sign="both groups",
        after="a new login",
        undo=('sudo gpasswd -d "$(id -un)" render', 'sudo gpasswd -d "$(id -un)" video'),
    )


def _rocm(subject: Subject) -> NoteStep:
    """Wheels of PyTorch bring ROCm; others and compilers need it in /opt/rocm."""
    there = subject.package("rocm-core", "rocm-hip-runtime", "rocm-dev", "rocm")
    if there is not None:
        return right(
            "rocm", "ROCm is installed; wheels of PyTorch bring their own beside it", [of_package(there)]
        )
    why = "Wheels of PyTorch bring the libraries of ROCm. JAX, and whatever is compiled, need ROCm itself."
    only_if = "something is compiled for ROCm, or a framework asks for /opt/rocm"
    row, series = _installer(subject), _series(subject)
    if row is None:
        known = install_packages(
            subject.scene, {"fedora": ("rocm-hip", "rocminfo"), "arch": ("rocm-hip-sdk",)}
        )
        words = {"commands": known} if known else {"place": "screen"}
        title = (
            "Install ROCm of this system"
            if known
            else f"Install ROCm as AMD describes it for this system ({INSTALLER})"
        )
        return optional(
            "rocm", title, why, only_if=only_if, check=("rocminfo | grep gfx",), sign="the GPU", **words
        )
    return optional(
        "rocm",
        f"Install ROCm {row.version} with AMD's installer, without its kernel driver",
        f"{why} `--no-dkms` leaves the driver of the kernel as it is.",
        (
            f"curl -fsSLO {INSTALLER}/{row.version}/ubuntu/{series}/{row.file}",
            f"sudo apt install ./{row.file}",
            "sudo apt update",
            "sudo amdgpu-install --usecase=rocm --no-dkms",
        ),
        only_if=only_if,
        check=("rocminfo | grep gfx",),
        sign="the architecture of the GPU",
        undo=("sudo amdgpu-install --uninstall",),
        sources=subject.sources(row.source),
    )


def _series(subject: Subject) -> str:
    """The name of this Ubuntu: `noble`."""
    rows = subject.scene.catalog.hardware.distributions
    return next(
        (row.series for row in rows if (row.id, row.version) == (subject.family, subject.release)), ""
    )


def _installer(subject: Subject) -> RocmInstaller | None:
    """The newest installer of the line that torch is built for; the newest of all where that is unknown."""
    torch = subject.scene.framework("torch")
    variant = str(torch.variant) if torch else ""
    line = variant.removeprefix("rocm") if variant.startswith("rocm") else ""
    rows = [row for row in subject.facts.rocm_installers if _series(subject) in row.series]
    same = [row for row in rows if line and _line(row.version) == _line(Version(line))]
    return max(same or ([] if line else rows), key=lambda row: row.version, default=None)


def _line(version: Version) -> tuple[int, int]:
    return version.major, version.minor
