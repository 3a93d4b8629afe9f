from hypothesis import given, settings
from hypothesis import strategies as st

from gitmem.entry.fields import refs_of, text_of, texts_of
from gitmem.entry.frontmatter import Value
from gitmem.entry.model import SourceRef
from gitmem.text import plain

TEXTS = st.text() | st.text(" \tab\n\x1b\x7f\x85\xa0\u200b\u2028\ufeff\U000e0100")


@given(TEXTS)
@settings(max_examples=300, deadline=None)
def test_a_text_is_taken_as_its_plain_text_and_an_empty_one_as_none(text: str) -> None:
    assert text_of(text) == (plain(text) or None)
    assert texts_of([text, None, {}, [text]]) == ((plain(text),) if plain(text) else ())


def test_what_is_not_text_is_none() -> None:
    values: list[Value] = [None, [], {}, ["a"], {"a": "b"}]
    assert [text_of(value) for value in values] == [None] * 5


@given(TEXTS)
@settings(max_examples=100, deadline=None)
def test_a_ref_that_names_something_anywhere_is_kept(text: str) -> None:
    kept = {"sourceType", "id", "commit", "label", "blob", "textHash"}
    for key in kept:
        assert bool(refs_of({key: text})) == bool(plain(text))
    assert refs_of({"path": text}) == (SourceRef(source_type="", id="", path=text),)
    assert refs_of({"other": text}) == ()
