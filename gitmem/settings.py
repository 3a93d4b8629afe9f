"""The program's settings: git configuration `mem.*` with its defaults, read once and frozen."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from gitmem.errors import GitMemError


class SettingError(GitMemError):
    """A configuration value that means nothing."""


class ReviewBoundary(StrEnum):
    """Who may turn a text into memory: anybody at the command line, or only a person at a terminal."""

    CLI = "cli"
    TERMINAL = "terminal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings; `lock_timeout` is in seconds, `history` says whether every transaction becomes a commit.

    `hook_notice` says whether a hook may name what a commit made stale.
    """

    review_boundary: ReviewBoundary = ReviewBoundary.CLI
    lock_timeout: float = 10.0
    history: bool = True
    hook_notice: bool = True


def parse_settings(values: Mapping[str, str]) -> Settings:
    """Return the settings that `mem.*` values describe (keys in lower case, without `mem.`).

    A key that this version does not know is ignored: another version may. Raises SettingError for a value
    that a known key cannot have.
    """
    settings = Settings()
    return Settings(
        review_boundary=_boundary(values.get("reviewboundary", settings.review_boundary)),
        lock_timeout=_seconds("mem.lockTimeout", values.get("locktimeout"), settings.lock_timeout),
        history=_switch("mem.history", values.get("history"), default=settings.history),
        hook_notice=_switch("mem.hookNotice", values.get("hooknotice"), default=settings.hook_notice),
    )


def _boundary(value: str) -> ReviewBoundary:
    try:
        return ReviewBoundary(value.lower())
    except ValueError:
        allowed = " or ".join(ReviewBoundary)
        raise SettingError(f"mem.reviewBoundary is '{value}', but must be {allowed}") from None


def _switch(name: str, value: str | None, *, default: bool) -> bool:
    # Git's own words for yes and no (git-config, "boolean"); an empty value is no.
    words = {**dict.fromkeys(("true", "yes", "on", "1"), True), **dict.fromkeys(("false", "no", "off", "0", ""), False)}
    if value is None:
        return default
    if value.lower() not in words:
        raise SettingError(f"{name} is '{value}', but must be true or false")
    return words[value.lower()]


def _seconds(name: str, value: str | None, default: float) -> float:
    if value is None:
        return default
    try:
        seconds = float(value)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= 86_400:
        raise SettingError(f"{name} is '{value}', but must be a number of seconds from 0 to 86400")
    return seconds
