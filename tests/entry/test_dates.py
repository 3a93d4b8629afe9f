import re
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmem.entry.dates import normalise_date


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("2026-08-31T14:00:00Z", "2026-08-31T14:00:00Z"),
        ("2026-08-31t14:00:00z", "2026-08-31T14:00:00Z"),
        ("2026-08-31T14:00:00.987654321Z", "2026-08-31T14:00:00Z"),
        ("2026-08-31T14:00:00,5+02:00", "2026-08-31T12:00:00Z"),
        ("2026-08-31 14:00", "2026-08-31T14:00:00Z"),
        ("2026-08-31T14", "2026-08-31T14:00:00Z"),
        ("2026-08-31 14:00:00 +0530", "2026-08-31T08:30:00Z"),
        ("2026-08-31T23:30:00-01", "2026-09-01T00:30:00Z"),
        ("20260831T140000Z", "2026-08-31T14:00:00Z"),
        ("2026-W36-1", "2026-08-31T00:00:00Z"),
        (" 2026-08-31 ", "2026-08-31T00:00:00Z"),
        ("0001-01-01", "0001-01-01T00:00:00Z"),
        ("2024-02-29", "2024-02-29T00:00:00Z"),
    ],
)
def test_iso_dates_become_utc_to_the_second(written: str, expected: str) -> None:
    assert normalise_date(written) == expected


NO_DATES = [
    "", "yesterday", "2026-13-01", "2026-02-30", "2023-02-29", "2026-08-31x14:00", "2026-08-31T25:00",
    "31.08.2026", "2026-08-31T14:00:00+99:00", "0000-01-01", "10000-01-01", "0001-01-01T00:00:00+14:00",
    "1756648800", "2026", "9999-12-31T23:59:59-01:00", "2026-08-31T14:00:61Z", "２０２６-08-31", "2026-08-31T",
    "2026-08-31T14:00Zulu", "-",
]  # fmt: skip


@pytest.mark.parametrize(
    "written",
    NO_DATES,
)
def test_what_is_no_date_is_none(written: str) -> None:
    assert normalise_date(written) is None


@given(st.datetimes(min_value=datetime(2, 1, 1), max_value=datetime(9998, 1, 1)), st.integers(-840, 840))  # noqa: DTZ001 - hypothesis wants naive bounds
@settings(deadline=None)
def test_any_moment_is_read_in_any_offset(moment: datetime, minutes: int) -> None:
    local = moment.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    read = normalise_date(local.isoformat())
    assert read is not None
    assert datetime.fromisoformat(read) == local.astimezone(UTC).replace(microsecond=0)
    assert normalise_date(read) == read


@given(st.text("0123456789-:.,TWZ+ tz", max_size=30) | st.text(max_size=30))
@settings(deadline=None)
def test_any_text_gives_the_normal_form_or_none(text: str) -> None:
    read = normalise_date(text)
    assert read is None or re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", read)
