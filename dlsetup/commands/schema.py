"""`dlsetup schema`: the published JSON Schema of every document and of every file of the catalog."""

from __future__ import annotations

import json as text

from dlsetup.catalog.choosing import ChoosingFile
from dlsetup.catalog.explanations import ExplanationFile
from dlsetup.catalog.form import FrameworkFile, GeneratedFile, IndexFile, MeasuredFile
from dlsetup.catalog.generated_form import ListingFile, OverlapsFile
from dlsetup.catalog.hardware_form import HardwareFile
from dlsetup.catalog.image_form import ImageFile
from dlsetup.catalog.loading import LoadingFile
from dlsetup.catalog.messages import MessageFile
from dlsetup.catalog.notes import NoteFile
from dlsetup.commands.catalog_check import CheckDocument
from dlsetup.commands.catalog_refresh import RefreshDocument
from dlsetup.commands.catalog_status import StatusDocument
from dlsetup.commands.libs import LibsDocument
from dlsetup.model import codec
from dlsetup.model.bundle import Manifest
from dlsetup.model.errors import UsageError
from dlsetup.model.journal import Entry
from dlsetup.model.machine import Machine
from dlsetup.model.triage import Row, Triage
from dlsetup.model.wish import Profile
from dlsetup.show import json
from dlsetup.show.bundle import BundleDocument
from dlsetup.show.catalog_document import ShowDocument, WhyDocument
from dlsetup.show.choose import ChooseDocument
from dlsetup.show.explain import ExplainDocument
from dlsetup.show.files import FilesDocument
from dlsetup.show.history import HistoryDocument, UndoDocument
from dlsetup.show.image import ImageDocument
from dlsetup.show.modernised import ImportDocument
from dlsetup.show.notes import NotesDocument
from dlsetup.show.profiles import ProfileDocument, ProfilesCheckDocument, ProfilesDocument
from dlsetup.show.repair import FixDocument
from dlsetup.show.tune import TuneDocument
from dlsetup.show.verify import VerifyDocument
from dlsetup.show.watched import RunDocument

DOCUMENTS: dict[str, type] = {
    "doctor": json.DoctorDocument,
    "explain": ExplainDocument,
    "run": RunDocument,
    "libs": LibsDocument,
    "verify": VerifyDocument,
    "tune": TuneDocument,
    "choose": ChooseDocument,
    "resolve": json.ResolveDocument,
    "bundle": BundleDocument,
    "bundle-manifest": Manifest,
    "check-lock": json.CheckLockDocument,
    "create-env": json.CreateDocument,
    "create-image": ImageDocument,
    "import": ImportDocument,
    "create-files": FilesDocument,
    "fix": FixDocument,
    "undo": UndoDocument,
    "history": HistoryDocument,
    "notes": NotesDocument,
    "journal": Entry,
    "catalog-show": ShowDocument,
    "catalog-why": WhyDocument,
    "catalog-refresh": RefreshDocument,
    "catalog-check": CheckDocument,
    "catalog-status": StatusDocument,
    "triage": Triage,
    "triage-report": Row,
    "profiles-list": ProfilesDocument,
    "profiles-show": ProfileDocument,
    "profiles-check": ProfilesCheckDocument,
    "error": json.ErrorDocument,
    "machine": Machine,
    "profile": Profile,
    "catalog-framework": FrameworkFile,
    "catalog-hardware": HardwareFile,
    "catalog-image": ImageFile,
    "catalog-index": IndexFile,
    "catalog-generated": GeneratedFile,
    "catalog-overlaps": OverlapsFile,
    "catalog-listing": ListingFile,
    "catalog-measured": MeasuredFile,
    "catalog-message": MessageFile,
    "catalog-explanation": ExplanationFile,
    "catalog-loading": LoadingFile,
    "catalog-note": NoteFile,
    "catalog-choosing": ChoosingFile,
}


def run(name: str | None) -> int:
    """Print one schema, or the names of all."""
    if name is None:
        print("\n".join(DOCUMENTS))
        return 0
    if name not in DOCUMENTS:
        raise UsageError(f"there is no document `{name}`.", hint=f"the documents are {', '.join(DOCUMENTS)}.")
    print(text.dumps(codec.schema(DOCUMENTS[name]), indent=2))
    return 0
