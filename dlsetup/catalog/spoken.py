"""All that a catalog's folder says of messages, as one whole: a row may rest on what another file holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

from dlsetup.catalog.explanations import ExplanationFile
from dlsetup.catalog.explanations import faults_of as explanation_faults
from dlsetup.catalog.folders import PACKAGED, read_toml
from dlsetup.catalog.messages import MessageFile, faults_of
from dlsetup.model.errors import DataError
from dlsetup.model.record import Record
from dlsetup.model.signature import Knowledge, Signature


class Spoken(Record, frozen=True, kw_only=True):
    messages: MessageFile = MessageFile()
    explanations: ExplanationFile = ExplanationFile()

    def more(self, file: MessageFile | ExplanationFile) -> Spoken:
        """With one more file."""
        if isinstance(file, ExplanationFile):
            own = self.explanations
            joined = ExplanationFile(
                source=(*own.source, *file.source), explanation=(*own.explanation, *file.explanation)
            )
            return replace(self, explanations=joined)
        said = self.messages
        return replace(
            self,
            messages=MessageFile(
                source=(*said.source, *file.source),
                message=(*said.message, *file.message),
                fault=(*said.fault, *file.fault),
                ground=(*said.ground, *file.ground),
            ),
        )

    def faults(self, folder: Path) -> Iterator[str]:
        """What makes rows useless, with the place. An overlay may explain what the package recognises."""
        messages = self.messages
        named = Counter(row.id for row in (*messages.source, *self.explanations.source))
        for name, count in named.items():
            if count > 1:
                yield f"{folder / 'messages'}: the source `{name}` stands twice"
        for text in faults_of(Knowledge(signatures=messages.message, faults=messages.fault)):
            yield f"{folder / 'messages'}: {text}"
        signatures = [*messages.message, *(() if folder == PACKAGED else _packaged())]
        for text in explanation_faults(self.explanations.explanation, signatures):
            yield f"{folder / 'explanations'}: {text}"


def _packaged() -> Iterator[Signature]:
    for path in sorted((PACKAGED / "messages").glob("*.toml")):
        try:
            file = read_toml(path, MessageFile)
        except DataError:
            continue
        yield from file.message if file else ()
