r"""What others wrote, in JSON or not: without halves of characters, which no file, no database and no wire takes.

JSON may hold one (`"\ud800"`), and Python reads it; whoever keeps it, or sends it on, fails much later.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

_HALF: Final = re.compile(r"\\u[dD][89a-fA-F]")


def whole(text: str) -> str:
    """The text with a sign for what cannot be read in place of each half."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def loads(text: str) -> Any:
    """A text as JSON.

    Raises:
        ValueError: it is none.
        RecursionError: it is nested too deep.
    """
    return healed(json.loads(text), text)


def healed(found: Any, text: str) -> Any:
    """What was read in a text of JSON."""
    return json.loads(whole(json.dumps(found, ensure_ascii=False))) if _HALF.search(text) else found
