"""What of a file is text: as git tells it, and so that nothing that can be searched is lost."""

import random
from typing import Final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from world import Repo

from gitmem.git.convert import lfs_pointer
from gitmem.text.content import HUGE, LeftOut, is_binary, lines_of, read_text

PROSE: Final = "Paragraphs of a text that is written one to a line; with some words, and punctuation. "
MINIFIED: Final = "function a(b,c){return b.d(c)?e[f]:null};var g={h:1,i:'j'};"


def test_a_content_is_binary_if_git_says_so(repo: Repo) -> None:
    contents = [b"text\n", b"\0", b"x" * 7999 + b"\0", b"x" * 8000 + b"\0", b"\xff\xfe\x01", "a".encode("utf-16")]
    repo.commit("Empty", {f"{number}": b"" for number in range(len(contents))})
    repo.commit("Contents", {f"{number}": content for number, content in enumerate(contents)})
    counted = repo.git("diff", "--numstat", "HEAD~1", "HEAD").out.splitlines()
    assert [is_binary(content) for content in contents] == [line.startswith("-") for line in counted]
    assert [read_text(content) is LeftOut.BINARY for content in contents] == list(map(is_binary, contents))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"x\n" * (HUGE // 2), None),
        (b"x\n" * (HUGE // 2) + b"x", LeftOut.HUGE),
        (b"\0" * (HUGE + 1), LeftOut.HUGE),
        (lfs_pointer(b"content"), LeftOut.BINARY),
        (lfs_pointer(b"content").replace(b"\n", b"\r\n"), LeftOut.BINARY),
        (b"# How it looks\n\n" + lfs_pointer(b"content"), None),
        (MINIFIED.encode() * 1000, LeftOut.GENERATED),
        (b"/*! (c) */\n" * 9 + MINIFIED.encode() * 1000, LeftOut.GENERATED),
        ((MINIFIED * 10 + "\n").encode() * 100, LeftOut.GENERATED),
        ((MINIFIED * 5 + "\n").encode() * 100, None),
        (MINIFIED.encode() * 50, None),
        (random.Random(1).randbytes(9000).hex().encode(), LeftOut.GENERATED),
        (b'{"a": [1, 2, 3], "b": {"c": "d"}}' * 1000, LeftOut.GENERATED),
        ((PROSE * 20 + "\n").encode() * 20, None),
        (PROSE.encode() * 500, None),
        (("缓存失效策略，完全无关。" * 400).encode(), None),
        (("Ключи кэша устаревают. " * 400).encode(), None),
        (b"a=b(c);\r" * 2000, None),
    ],
)
def test_what_is_left_out_says_why(data: bytes, reason: LeftOut | None) -> None:
    found = read_text(data)
    assert (found if isinstance(found, LeftOut) else None) is reason


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        (b"\xef\xbb\xbfa\xef\xbb\xbfb", "a\ufeffb"),
        (b"\xef\xbb\xbfKrak\xf3w", "Kraków"),
        (b"a\r\nb\rc\n\r\r\n", "a\nb\rc\n\r\n"),
        ("Kraków €, „so“ – œuvre".encode("cp1252"), "Kraków €, „so“ – œuvre"),
        ("Kraków 缓存".encode() + b" Krak\xf3w \x81\x8d", "Kraków 缓存 Kraków \x81\x8d"),
        (b"\xed\xa0\x80", "í\xa0€"),
        (b"a\xe2\x80\xa8b\x0bc\x0cd\x1ce\xc2\x85f", "a\u2028b\x0bc\x0cd\x1ce\x85f"),
    ],
)
def test_text_is_utf_8_or_else_what_its_single_bytes_say(data: bytes, text: str) -> None:
    assert read_text(data) == text


@given(st.binary(max_size=200))
@example(bytes(range(1, 256)))
def test_any_bytes_can_be_read_and_every_word_in_ascii_is_found(data: bytes) -> None:
    found = read_text(b"before " + data.replace(b"\0", b"") + b" behind")
    assert found.startswith("before ")
    assert found.endswith(" behind")
    found.encode("utf-8")


@given(st.text(max_size=200).filter(lambda text: "\0" not in text and "\r" not in text and "\ufeff" not in text))
def test_what_is_utf_8_reads_as_it_was_written(text: str) -> None:
    assert read_text(text.encode("utf-8")) == text


def test_lines_are_those_that_git_counts(repo: Repo) -> None:
    texts = [
        "a",
        "a\n",
        "a\n\nb",
        "\n\n",
        "a\r\nb\r\n",
        "a\rb\rc",
        "a\u2028b\u2029c\x0bd\x0ce\x1cf\x1dg\x1eh\x85i\n",
        "\r\n\r",
    ]
    repo.commit("Texts", {f"{number}": text for number, text in enumerate(texts)})
    counted = repo.git("grep", "--count", "", "--", *map(str, range(len(texts)))).out.split("\n")
    read = [read_text(text.encode()) for text in texts]
    assert [f"{number}:{len(lines_of(text))}" for number, text in enumerate(read)] == counted[:-1]
    assert lines_of("") == []
