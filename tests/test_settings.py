"""The settings that `mem.*` values describe."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st
from world import Repo

from gitmem.git.config import read_mem_config
from gitmem.git.run import Git
from gitmem.settings import ReviewBoundary, SettingError, Settings, parse_settings


def test_without_configuration_the_defaults_hold() -> None:
    assert parse_settings({}) == Settings(review_boundary=ReviewBoundary.CLI, lock_timeout=10.0)


def test_settings_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        parse_settings({}).lock_timeout = 1.0  # type: ignore[misc]


@pytest.mark.parametrize(
    ("value", "boundary"),
    [("cli", ReviewBoundary.CLI), ("terminal", ReviewBoundary.TERMINAL), ("Terminal", ReviewBoundary.TERMINAL)],
)
def test_the_review_boundary_is_read(value: str, boundary: ReviewBoundary) -> None:
    assert parse_settings({"reviewboundary": value}).review_boundary is boundary


@pytest.mark.parametrize("value", ["", "true", "nobody", "cli terminal"])
def test_a_boundary_that_means_nothing_is_refused_and_never_guessed(value: str) -> None:
    with pytest.raises(SettingError, match=r"mem\.reviewBoundary is '.*', but must be cli or terminal"):
        parse_settings({"reviewboundary": value})


@pytest.mark.parametrize(("value", "seconds"), [("0", 0.0), ("2.5", 2.5), ("86400", 86400.0), ("1e2", 100.0)])
def test_the_time_limit_of_the_lock_is_read_in_seconds(value: str, seconds: float) -> None:
    assert parse_settings({"locktimeout": value}).lock_timeout == seconds


@pytest.mark.parametrize("value", ["", "soon", "-1", "86401", "nan", "inf", "-inf", "10s", "0x10"])
def test_a_time_limit_that_is_none_is_refused(value: str) -> None:
    with pytest.raises(
        SettingError, match=r"mem\.lockTimeout is '.*', but must be a number of seconds from 0 to 86400"
    ):
        parse_settings({"locktimeout": value})


@pytest.mark.parametrize(
    ("value", "recorded"),
    [
        *((yes, True) for yes in ("true", "yes", "on", "1", "TRUE", "On")),
        *((no, False) for no in ("false", "no", "off", "0", "", "False", "OFF")),
    ],
)
def test_whether_there_is_a_history_is_said_in_gits_words(value: str, *, recorded: bool) -> None:
    assert parse_settings({"history": value}).history is recorded


def test_there_is_a_history_unless_somebody_says_otherwise() -> None:
    assert parse_settings({}).history is True


@pytest.mark.parametrize("value", ["never", "2", "-1", " true", "t", "ja"])
def test_a_word_that_says_neither_is_refused(value: str) -> None:
    with pytest.raises(SettingError, match=r"mem\.history is '.*', but must be true or false"):
        parse_settings({"history": value})


@pytest.mark.parametrize("words", [("true",), ("false",), ("",), ("yes",), ("oN",), ("0",), ()])
def test_git_reads_the_words_for_yes_and_no_alike(repo: Repo, words: tuple[str, ...]) -> None:
    # `[mem] history` without a value is git's short form of true.
    with (repo.path / ".git/config").open("a", encoding="utf-8") as config:
        config.write("[mem]\n\thistory" + "".join(f" = {word}" for word in words) + "\n")
    read = parse_settings(read_mem_config(Git(repo.world.env), repo.path)).history
    assert str(read).lower() == repo.git("config", "--type=bool", "mem.history").line


@given(st.dictionaries(st.text(max_size=20).map(lambda name: f"later.{name}"), st.text(max_size=20)))
def test_keys_of_other_versions_change_nothing(values: dict[str, str]) -> None:
    assert parse_settings(values) == Settings()
