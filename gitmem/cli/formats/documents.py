"""JSON as CI systems and people read it."""

import json
import re

from gitmem.text import HIDDEN


def json_document(value: object) -> str:
    """Return a value as a JSON document for a file, with a line end.

    Hidden characters are escaped, as JSON may: they keep their meaning in a path and do nothing on a screen.
    """
    text = json.dumps(value, ensure_ascii=False, indent=2)
    return "".join(HIDDEN.sub(_escape, line) + "\n" for line in text.split("\n"))


def _escape(found: re.Match[str]) -> str:
    return json.dumps(found.group())[1:-1]
