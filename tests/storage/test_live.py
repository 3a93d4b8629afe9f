"""Live databases: one change at a time, whole or not at all, and what is damaged is begun anew."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gitmem.storage.live import LiveDatabase
from gitmem.storage.lock import LockedError

SCHEMA = "CREATE TABLE kept (value INTEGER)"
APPLICATION = 4711
KILLED = """
import os, sys
from pathlib import Path
from gitmem.storage.live import LiveDatabase
with LiveDatabase(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]).writing(1.0) as connection:
    connection.executemany("INSERT INTO kept VALUES (?)", [(n,) for n in range(100000)])
    os.kill(os.getpid(), 9)
"""


@pytest.fixture
def database(tmp_path: Path) -> LiveDatabase:
    return LiveDatabase(tmp_path / "state" / "live.sqlite", APPLICATION, SCHEMA)


def add(database: LiveDatabase, value: int) -> None:
    with database.writing(10.0) as connection:
        connection.execute("INSERT INTO kept VALUES (?)", (value,))


def add_and_fail(connection: sqlite3.Connection) -> None:
    connection.execute("INSERT INTO kept VALUES (2)")
    raise KeyError


def values(database: LiveDatabase) -> list[int] | None:
    with database.reading() as connection:
        if connection is None:
            return None
        return [value for (value,) in connection.execute("SELECT value FROM kept ORDER BY value")]


def test_there_is_nothing_before_the_first_change(database: LiveDatabase) -> None:
    assert values(database) is None
    assert not database.path.parent.exists()


def test_what_was_changed_is_read(database: LiveDatabase) -> None:
    add(database, 1)
    add(database, 2)
    assert values(database) == [1, 2]


def test_a_change_that_fails_leaves_nothing(database: LiveDatabase) -> None:
    add(database, 1)
    with pytest.raises(KeyError), database.writing(10.0) as connection:
        add_and_fail(connection)
    assert values(database) == [1]


def test_a_reader_sees_one_state_while_another_changes_it(database: LiveDatabase) -> None:
    add(database, 1)
    with database.reading() as connection:
        assert connection is not None
        assert connection.execute("SELECT count(*) FROM kept").fetchone() == (1,)
        add(database, 2)
        assert connection.execute("SELECT count(*) FROM kept").fetchone() == (1,)
    assert values(database) == [1, 2]


def test_a_second_writer_is_refused_in_time(database: LiveDatabase) -> None:
    with database.writing(10.0), pytest.raises(LockedError), database.writing(0.0):
        pass


def test_a_killed_writer_leaves_nothing_half_done(database: LiveDatabase) -> None:
    add(database, 1)
    done = subprocess.run([sys.executable, "-c", KILLED, database.path, str(APPLICATION), SCHEMA], check=False)
    assert done.returncode == -9
    assert values(database) == [1]
    add(database, 2)
    assert values(database) == [1, 2]


def _cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


@pytest.mark.parametrize(
    "damage", [lambda _: b"", lambda _: os.urandom(9000), _cut, lambda data: b"x" + data[1:]], ids=list("abcd")
)
def test_what_is_damaged_is_begun_anew(database: LiveDatabase, damage: Callable[[bytes], bytes]) -> None:
    for value in range(500):
        add(database, value) if value % 100 == 0 else None
    database.path.write_bytes(damage(database.path.read_bytes()))
    assert values(database) is None
    add(database, 7)
    assert values(database) == [7]


def test_a_database_of_another_form_is_not_there(database: LiveDatabase) -> None:
    add(database, 1)
    other = LiveDatabase(database.path, APPLICATION + 1, "CREATE TABLE kept (value INTEGER, more TEXT)")
    assert values(other) is None
    with other.writing(1.0) as connection:
        assert connection.execute("SELECT * FROM kept").fetchall() == []
    assert values(database) is None


def test_a_link_is_not_followed(database: LiveDatabase, tmp_path: Path) -> None:
    foreign = LiveDatabase(tmp_path / "foreign.sqlite", APPLICATION, SCHEMA)
    add(foreign, 1)
    database.path.parent.mkdir()
    database.path.symlink_to(foreign.path)
    assert values(database) is None
    add(database, 2)
    assert (values(database), values(foreign)) == ([2], [1])


def test_a_directory_in_its_place_is_an_error_of_the_disk(database: LiveDatabase) -> None:
    database.path.mkdir(parents=True)
    assert values(database) is None
    with pytest.raises(OSError, match="directory"):
        add(database, 1)


def test_a_change_can_be_imagined(database: LiveDatabase) -> None:
    with database.imagining() as connection:
        connection.execute("INSERT INTO kept VALUES (1)")
    add(database, 2)
    with database.imagining() as connection:
        connection.execute("INSERT INTO kept VALUES (3)")
        assert connection.execute("SELECT sum(value) FROM kept").fetchone() == (5,)
    assert values(database) == [2]


def test_it_is_read_where_no_file_can_be_made_beside_it(
    database: LiveDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(database, 1)
    connect = sqlite3.connect

    def refuse_log(place: str, **options: object) -> sqlite3.Connection:
        if "immutable" not in place:
            raise sqlite3.OperationalError("unable to open database file")
        return connect(place, **options)  # type: ignore[call-overload, no-any-return]

    monkeypatch.setattr(sqlite3, "connect", refuse_log)
    assert values(database) == [1]
