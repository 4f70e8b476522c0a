"""What keeps the NVIDIA module from the GPU: the free driver `nouveau`, and Secure Boot."""

from __future__ import annotations

from collections.abc import Iterator

from dlsetup.judge.module_loading import NOUVEAU, NOUVEAU_FILE, TOOLS, enrol, first_file_system
from dlsetup.model.finding import Evidence
from dlsetup.model.note import NoteStep
from dlsetup.model.record import Unknown
from dlsetup.plan.notes.steps import ask, needed, right
from dlsetup.plan.notes.subject import Subject, of_sighting

_KEYS = (
    "`sudo mokutil --import FILE` takes the key: DKMS keeps it as /var/lib/dkms/mok.pub, on Ubuntu as "
    "/var/lib/shim-signed/mok/MOK.der; akmods as /etc/pki/akmods/certs/public_key.der."
)


def nouveau_step(subject: Subject) -> NoteStep:
    """Keep it from being loaded, where the packages of the driver have not seen to that."""
    anew = first_file_system(subject.scene) if subject.family else ()
    tool = "" if anew else f" Then make the file system that the kernel starts with anew, with {TOOLS}."
    seen = Evidence(fact="kernel driver of the GPU", value="nouveau", source="the PCI bus")
    return needed(
        "nouveau",
        "Keep `nouveau` from taking the GPU",
        "A GPU has one kernel driver; while `nouveau` has it, the module of NVIDIA does not load. "
        f"The packages of the driver see to it on most systems.{tool}",
        (NOUVEAU, *anew),
        only_if="`lsmod | grep nouveau` still prints a line after the restart",
        evidence=(seen,) if subject.bound_driver == "nouveau" else (),
        check=("lsmod | grep nouveau",),
        sign="nothing",
        after="one more restart",
        undo=(f"sudo rm {NOUVEAU_FILE}", *anew),
    )


def secure_boot_steps(subject: Subject) -> Iterator[NoteStep]:
    """The key that signs the module; what is unknown of Secure Boot is asked first."""
    seen = subject.sighted("secure boot")
    on = subject.secure_boot
    if on is False and seen is not None:
        yield right("secure-boot", "Secure Boot is off: the module needs no key", [of_sighting(seen)])
        return
    signed = " Modules that Ubuntu itself has signed need no key." if subject.family == "ubuntu" else ""
    signed = signed if subject.family else f" {_KEYS}"
    only_if = "`mokutil --sb-state` says `SecureBoot enabled`"
    if isinstance(on, Unknown):
        why = "Under Secure Boot the kernel loads signed modules only."
        yield ask("secure-boot", "See whether Secure Boot is on", why, ("mokutil --sb-state",))
    yield needed(
        "enrol-key",
        "Enrol the key that signs the module",
        "The module is built on this machine and signed with a key of its own, which the firmware does not "
        "know yet. mokutil asks for a password; at the next start a blue screen asks for it again: choose "
        f"`Enroll MOK`, `Continue`, `Yes`.{signed}",
        enrol(subject.scene) if subject.family else (),
        place="here" if subject.family else "screen",
        only_if=only_if if isinstance(on, Unknown) else "",
        check=("mokutil --list-new",),
        sign="the key",
        undo=("sudo mokutil --revoke-import",),
        evidence=(of_sighting(seen),) if seen else (),
    )
