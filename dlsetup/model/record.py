"""The base of every record, and the word for what nobody could know."""

from __future__ import annotations

import msgspec
from msgspec import UNSET, UnsetType

Unknown = UnsetType
"""The type of a part that nobody looked at, or that a report does not say.

Three answers are kept apart everywhere: a value is known, `None` (or an empty tuple) is known to be
absent, and `UNKNOWN` is neither. In JSON an unknown part is left out.
"""

UNKNOWN = UNSET


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A frozen value: fields by keyword only, tuples instead of lists."""
