"""Published databases: what was published is read, nothing else is believed, and nobody's view ever changes."""

import os
import random
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from world import listing

from gitmem.storage.db import Connection, DatabaseError, Unpublished, in_memory, open_published

APPLICATION: Final = 0x01020304
TEXT: Final = "what was written"
LATER: Final = 3 * 10**9  # nanoseconds: from then on the stamp of a file is trusted


def write(connection: Connection, text: str = TEXT) -> None:
    connection.execute("CREATE TABLE texts (content TEXT)")
    connection.executemany("INSERT INTO texts VALUES (?)", [(f"{text} {number}",) for number in range(300)])


def publish(path: Path, text: str = TEXT, *, application: int = APPLICATION) -> Path:
    made = Unpublished(path, application, None)
    write(made.connection, text)
    assert made.publish(allowing)
    made.connection.close()
    return path


def allowing() -> nullcontext[bool]:
    return nullcontext(enter_result=True)


def refusing() -> nullcontext[bool]:
    return nullcontext(enter_result=False)


def first(connection: Connection) -> str:
    return str(connection.execute("SELECT content FROM texts ORDER BY rowid").fetchone()[0])


def read(path: Path, application: int = APPLICATION) -> str | None:
    """Return the first text of a published database, None if it is not believed."""
    connection = open_published(path, application)
    if connection is None:
        return None
    with closing(connection):
        return first(connection)


@contextmanager
def later(nanoseconds: int = LATER) -> Iterator[None]:
    """Let time go on."""
    clock = time.time_ns
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gitmem.storage.db.time.time_ns", lambda: clock() + nanoseconds)
        yield


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "mem" / "index.sqlite"


def note_of(path: Path) -> Path:
    return path.with_name("index.sqlite-sound")


# What is published


def test_where_nothing_was_published_nothing_is_there_and_looking_makes_nothing(place: Path, tmp_path: Path) -> None:
    assert read(place) is None
    assert listing(tmp_path) == {}


def test_what_is_published_is_read_and_alone_in_its_directory(place: Path) -> None:
    publish(place)
    assert read(place) == f"{TEXT} 0"
    assert list(listing(place.parent)) == ["index.sqlite"]


@pytest.mark.parametrize("name", ["a b", "100%25", "a?mode=rw", "a#b", "木", "\udcff", "a'b\"c"])
def test_a_directory_of_any_name_will_do(tmp_path: Path, name: str) -> None:
    assert read(publish(tmp_path / name / "index.sqlite")) == f"{TEXT} 0"


def test_what_is_published_is_a_sound_database_to_sqlite_too(place: Path) -> None:
    with closing(sqlite3.connect(publish(place))) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION,)


def test_a_reader_cannot_write(place: Path) -> None:
    connection = open_published(publish(place), APPLICATION)
    assert connection is not None
    with closing(connection), pytest.raises(DatabaseError):
        connection.execute("INSERT INTO texts VALUES ('x')")


def test_another_applications_database_is_not_ours(place: Path) -> None:
    publish(place, application=APPLICATION + 1)
    assert read(place) is None
    assert read(place, APPLICATION + 1) == f"{TEXT} 0"


def test_what_is_published_takes_the_place_of_what_was(place: Path) -> None:
    publish(place, "old")
    publish(place, "new")
    assert read(place) == "new 0"


def test_whoever_has_the_old_one_open_goes_on_reading_it(place: Path) -> None:
    old = open_published(publish(place, "old"), APPLICATION)
    assert old is not None
    with closing(old):
        publish(place, "new")
        place.unlink()
        assert [content for (content,) in old.execute("SELECT content FROM texts")] == [f"old {n}" for n in range(300)]


def test_a_copy_is_changed_and_the_one_it_came_from_is_not(place: Path) -> None:
    old = open_published(publish(place, "old"), APPLICATION)
    assert old is not None
    data, status = place.read_bytes(), place.stat()
    with closing(old):
        for copy in (in_memory(old), Unpublished(place, APPLICATION, old).connection):
            with closing(copy):
                copy.execute("UPDATE texts SET content = 'new 0'")
                copy.commit()
                assert (first(copy), first(old)) == ("new 0", "old 0")
    assert (place.read_bytes(), place.stat().st_mtime_ns) == (data, status.st_mtime_ns)


def test_a_copy_is_published_with_a_checksum_of_its_own(place: Path) -> None:
    old = open_published(publish(place, "old"), APPLICATION)
    made = Unpublished(place, APPLICATION, old)
    made.connection.execute("UPDATE texts SET content = 'new'")
    assert made.publish(allowing)
    assert (first(made.connection), read(place)) == ("new", "new")


def test_the_connection_can_be_read_from_whatever_became_of_the_file(place: Path) -> None:
    for allowed in (allowing, refusing):
        made = Unpublished(place, APPLICATION, None)
        write(made.connection)
        assert made.publish(allowed) is (allowed is allowing)
        place.unlink(missing_ok=True)
        assert first(made.connection) == f"{TEXT} 0"


# What is not believed


def directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


def link(path: Path) -> None:
    path.symlink_to(path.rename(path.with_name("real")))


def cut(path: Path, size: int) -> None:
    os.truncate(path, size)


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def circle(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.name)


def by_sqlite(path: Path) -> None:
    """Change it in place, as no version of the program does."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE texts SET content = 'another'")
        connection.commit()


DAMAGES: Final[dict[str, Callable[[Path], object]]] = {
    "nothing": lambda path: cut(path, 0),
    "ten bytes": lambda path: cut(path, 10),
    "the header alone": lambda path: cut(path, 100),
    "the first half": lambda path: cut(path, path.stat().st_size // 2),
    "all but a byte": lambda path: cut(path, path.stat().st_size - 1),
    "a byte more": lambda path: cut(path, path.stat().st_size + 1),
    "random bytes": lambda path: path.write_bytes(random.Random(1).randbytes(20_000)),
    "text": lambda path: path.write_text("SQLite format 3\n" * 100, encoding="ascii"),
    "changed by SQLite": by_sqlite,
    "twice": lambda path: path.write_bytes(path.read_bytes() * 2),
    "a directory": directory,
    "a link": link,
    "a circle": circle,
    "a pipe": pipe,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_damaged_is_not_there(place: Path, damage: str) -> None:
    DAMAGES[damage](publish(place))
    before = listing(place.parent)
    with later():
        assert read(place) is None
    assert listing(place.parent) == before


@pytest.mark.parametrize("damage", DAMAGES)
def test_that_it_was_found_sound_before_does_not_help(place: Path, damage: str) -> None:
    publish(place)
    with later():
        assert read(place) == f"{TEXT} 0"
        assert note_of(place).exists()
        status = place.stat()
        DAMAGES[damage](place)
        os.utime(place, ns=(status.st_atime_ns, status.st_mtime_ns), follow_symlinks=False)
        assert read(place) is None
        assert read(place) is None


@pytest.mark.skipif(os.geteuid() == 0, reason="root can read everything")
def test_what_cannot_be_read_is_not_there(place: Path) -> None:
    publish(place).chmod(0)
    assert read(place) is None


@given(st.data())
def test_a_flipped_bit_anywhere_is_found(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    place = tmp_path_factory.getbasetemp() / "flipped.sqlite"
    if not place.exists():
        publish(place)
    whole = place.read_bytes()
    flipped = bytearray(whole)
    flipped[data.draw(st.integers(0, len(whole) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    torn = place.with_name("torn.sqlite")
    torn.write_bytes(flipped)
    assert read(torn) is None
    assert read(place) == f"{TEXT} 0"


@pytest.mark.parametrize("note", ["", "x", "1 2 3 4 5", "\xff", f"{APPLICATION} -1 -1 -1 -1"])
def test_a_note_of_soundness_that_is_wrong_makes_nothing_believed_and_nothing_doubted(place: Path, note: str) -> None:
    publish(place)
    note_of(place).write_bytes(note.encode("latin-1"))
    assert read(place) == f"{TEXT} 0"
    cut(place, 5000)
    assert read(place) is None


def test_the_note_of_another_form_makes_nothing_believed(place: Path) -> None:
    publish(place)
    with later():
        assert read(place) is not None
        assert read(place, APPLICATION + 1) is None


def test_a_directory_in_the_place_of_the_note_harms_nothing(place: Path) -> None:
    publish(place)
    note_of(place).mkdir()
    with later():
        assert read(place) == f"{TEXT} 0"


def test_no_note_is_made_of_a_file_that_could_still_change_without_a_trace(place: Path) -> None:
    publish(place)
    with later(0):
        assert read(place) == f"{TEXT} 0"
    assert not note_of(place).exists()


def test_a_published_file_that_takes_the_place_of_a_noted_one_is_looked_at_for_itself(place: Path) -> None:
    publish(place, "old")
    with later():
        assert read(place) == "old 0"
        whole = publish(place, "new").read_bytes()
        assert read(place) == "new 0"
        place.write_bytes(whole[:-1] + b"\xff")
        assert read(place) is None


# What is not published


def test_what_may_not_be_published_leaves_nothing(place: Path) -> None:
    publish(place, "old")
    made = Unpublished(place, APPLICATION, None)
    write(made.connection, "new")
    assert not made.publish(refusing)
    assert read(place) == "old 0"
    assert list(listing(place.parent)) == ["index.sqlite"]


def test_what_is_discarded_leaves_nothing_however_often(place: Path) -> None:
    made = Unpublished(place, APPLICATION, None)
    made.discard()
    made.discard()
    assert listing(place.parent) == {}


def test_a_directory_in_its_place_stays_and_nothing_is_left_beside_it(place: Path) -> None:
    place.mkdir(parents=True)
    made = Unpublished(place, APPLICATION, None)
    write(made.connection)
    assert not made.publish(allowing)
    assert listing(place.parent) == {"index.sqlite": b"directory"}


def test_a_link_in_its_place_is_replaced_and_where_it_led_stays(place: Path) -> None:
    place.parent.mkdir()
    target = place.with_name("target")
    target.write_bytes(b"somebody's")
    place.symlink_to(target)
    publish(place)
    assert (read(place), place.is_symlink(), target.read_bytes()) == (f"{TEXT} 0", False, b"somebody's")


def test_a_construction_that_somebody_swept_away_is_not_published(place: Path) -> None:
    made = Unpublished(place, APPLICATION, None)
    write(made.connection)
    (temporary,) = place.parent.iterdir()
    temporary.unlink()
    assert not made.publish(allowing)
    assert first(made.connection) == f"{TEXT} 0"
    assert listing(place.parent) == {}


def test_what_somebody_swept_away_is_not_begun_again_to_be_compacted(place: Path) -> None:
    made = Unpublished(place, APPLICATION, None)
    write(made.connection)
    (temporary,) = place.parent.iterdir()
    temporary.unlink()  # by whoever forgets what is in it
    with suppress(OSError, DatabaseError):
        made.compact()
    assert listing(place.parent) == {}


def test_where_no_directory_can_be_made_there_is_no_construction(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"in the way")
    with pytest.raises(OSError, match="file"):
        Unpublished(tmp_path / "file" / "mem" / "index.sqlite", APPLICATION, None)
    assert list(listing(tmp_path)) == ["file"]


def test_a_construction_that_cannot_begin_leaves_nothing(place: Path) -> None:
    gone = in_memory()
    gone.close()
    with pytest.raises(DatabaseError):
        Unpublished(place, APPLICATION, gone)
    assert listing(place.parent) == {}


# What was removed


WORDS: Final = [f"{random.Random(number).getrandbits(80):020x}" for number in range(1200)]


def rows(numbers: Sequence[int]) -> list[tuple[int, str, str]]:
    """Return rows of all sizes: such as stand together on a page, and such as take several."""
    return [(number, WORDS[number], WORDS[number] + " x" * (number * number % 5501)) for number in numbers]


def test_of_what_was_removed_no_byte_stays(place: Path) -> None:
    dice = random.Random(0)
    there: set[int] = set()
    for turn in range(6):
        made = Unpublished(place, APPLICATION, open_published(place, APPLICATION))
        run = made.connection
        if not turn:
            run.execute("CREATE TABLE keys (key TEXT PRIMARY KEY, number INTEGER, long TEXT) WITHOUT ROWID")
            run.execute("CREATE TABLE texts (number INTEGER PRIMARY KEY, content TEXT, long TEXT)")
            run.execute("CREATE INDEX by_content ON texts (content)")
        gone = set(dice.sample(sorted(there), len(there) * turn // 6))
        new = range(turn * 200, (turn + 1) * 200)
        run.executemany("DELETE FROM keys WHERE key = ?", [(WORDS[number],) for number in gone])
        run.executemany("DELETE FROM texts WHERE number = ?", [(number,) for number in gone])
        run.executemany("INSERT INTO texts VALUES (?, ?, ?)", rows(dice.sample(new, len(new))))
        run.executemany("INSERT INTO keys VALUES (?2, ?1, ?3)", rows(dice.sample(new, len(new))))
        there = (there - gone) | set(new)
        made.compact()
        assert made.publish(allowing)
        data = place.read_bytes()
        assert {number for number in range((turn + 1) * 200) if WORDS[number].encode() in data} == there
