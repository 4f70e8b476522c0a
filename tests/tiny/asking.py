"""A server of models, asked over HTTP."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from typing import Any


def ask(address: str, document: Any = None) -> tuple[int, Any]:
    """Status and answer; a document is posted. A server that has not begun to listen is asked again."""
    data = None if document is None else json.dumps(document).encode()
    for _ in range(300):
        try:
            with urllib.request.urlopen(address, data, timeout=20) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)
        except OSError:
            time.sleep(0.1)
    raise AssertionError("the server does not answer")
