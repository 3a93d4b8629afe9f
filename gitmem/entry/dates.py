"""Dates as entries hold them: UTC, to the second."""

import re
from datetime import UTC, datetime
from typing import Final

# `datetime.fromisoformat` takes any character between date and time; ISO 8601 and its common relatives do not.
_SHAPE: Final = re.compile(r"[0-9W-]+(?:[Tt ][0-9:.,]+ ?(?:[Zz]|[+-][0-9:]+)?)?")


def normalise_date(text: str) -> str | None:
    """Return an ISO 8601 date or time as `YYYY-MM-DDTHH:MM:SSZ` in UTC, or None if it is not one.

    A date alone is its midnight, a time without an offset is UTC, fractions of a second are cut off. A moment
    outside the years 1 to 9999 of UTC is None.
    """
    text = text.strip()
    if not _SHAPE.fullmatch(text):
        return None
    day, _, clock = text.upper().replace("T", " ").partition(" ")
    try:
        moment = datetime.fromisoformat(f"{day}T{clock.replace(' ', '')}" if clock else day)
        utc = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return utc.replace(tzinfo=None).isoformat(timespec="seconds") + "Z"
