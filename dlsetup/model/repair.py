"""What mends an environment, and what came of it."""

from __future__ import annotations

from dlsetup.model.finding import Diagnosis, Finding
from dlsetup.model.outcome import Outcome
from dlsetup.model.record import UNKNOWN, Record, Unknown
from dlsetup.model.resolution import Plan


class Intent(Record, frozen=True, kw_only=True):
    """What an environment should hold, before the installer has said what that moves."""

    environment: str
    """Path of the environment."""
    mends: tuple[Finding, ...]
    """The findings it is for."""
    plan: Plan
    """Builds of the frameworks that work together here."""
    others: tuple[str, ...] = ()
    """Everything else that was installed for its own sake: the installer has to keep it whole."""
    replace: tuple[str, ...] = ()
    """Distributions of which another build of the same version is wanted."""
    twins: tuple[str, ...] = ()
    """Distributions that must not be beside those of the plan."""
    again: tuple[str, ...] = ()
    """Pins (`name==version`) of what is to be installed again although its metadata is there."""
    idle: bool = False
    """Nothing is asked of the installer but what is in `again`."""
    whole_files: bool = True
    """Files that were written over are written again, and libraries that nothing asks for do not collide."""


class Change(Record, frozen=True, kw_only=True):
    """One distribution before and after. `before` equal to `after`: its files are written again."""

    distribution: str
    before: str | None
    """Version; None: it was not there."""
    after: str | None
    """Version; None: it is removed."""
    because: str = ""


class FileChange(Record, frozen=True, kw_only=True):
    """A file of the environment that is written, or a file or folder of it that goes."""

    path: str
    """Relative to the environment, with `/`."""
    text: str | None
    """None: it is removed."""
    because: str


class CondaWork(Record, frozen=True, kw_only=True):
    """What the conda tool is asked to do in an environment of its own, in this order."""

    tool: str
    """Path of the tool."""
    channels: tuple[str, ...] = ()
    """Where its packages came from, the most important first."""
    cuda: str = ""
    """The newest CUDA of the driver, for a tool that does not see it; empty: not known."""
    take: tuple[str, ...] = ()
    """Packages that go alone, whatever else needs them."""
    specs: tuple[str, ...] = ()
    """What is to be there afterwards."""
    frozen: bool = False
    """Whether all that is not named stays as it is."""
    again: tuple[str, ...] = ()
    """Specs of what stays and has its files written again."""


class Repair(Record, frozen=True, kw_only=True):
    """An intent, and all that carrying it out moves."""

    intent: Intent
    conda: CondaWork | None = None
    """None: no package of conda is touched."""
    packages: tuple[Change, ...] = ()
    """Packages of conda. A version has its build behind it: `2.14.1 cuda126_py311h1234567_200`."""
    remove: tuple[str, ...] = ()
    """Names of distributions, removed before anything is installed."""
    rewrite: tuple[str, ...] = ()
    """Pins (`name==version`) of what stays and has its files written again."""
    changes: tuple[Change, ...] = ()
    files: tuple[FileChange, ...] = ()
    """What changes beside the packages: those that go go first, those that are written come last."""
    notes: tuple[str, ...] = ()
    """What to know afterwards."""
    download_bytes: int | Unknown = UNKNOWN
    """Size of the files to fetch, those in uv's cache counted too."""

    @property
    def moves(self) -> bool:
        """Whether it changes anything."""
        return bool(self.changes or self.packages or self.files)


class Offer(Record, frozen=True, kw_only=True):
    """A kind of fault that is here, and what mending it would change."""

    name: str
    """As `dlsetup fix` is told it."""
    title: str
    findings: tuple[Finding, ...]
    repair: Repair | Unknown = UNKNOWN
    against: str = ""
    """Why it cannot be mended, or why nobody can tell; empty: it can."""


class Mending(Record, frozen=True, kw_only=True):
    """What came of a repair: the look after it, and what each framework did when it was used."""

    repair: Repair
    after: Diagnosis
    outcomes: tuple[Outcome, ...] = ()
    complaints: tuple[str, ...] = ()
    """Why the mended copy was thrown away; empty: it took the place of the environment."""
    notes: tuple[str, ...] = ()

    @property
    def clean(self) -> bool:
        return not self.complaints
