r"""Where functions, classes and the like begin in code, told by the look of their first lines. No parser.

Git does the same for the headers of its hunks (its userdiff.c has a pattern for each language). The patterns here are
for groups of languages, and tell what holds definitions of its own from what does not: a function inside a function is
part of it. How deep a line stands is told by its indentation, as nothing else is the same in all languages.

A pattern is matched behind the indentation of a line; `(?<=\n)` in it asks that there is none. What a group of it
matches holds definitions, the rest does not.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from gitmem.search.outline import Mark, nested

_DEEPEST: Final = 80  # characters of indentation; what begins further right is no definition

_EOL: Final = r"[ \t]*+(?=\n|\Z)"
_MARGIN: Final = r"(?<=\n)"
_BODY: Final = r"(?![^\n]*;[ \t]*(?:\n|\Z))"  # what ends with a semicolon has none, and little to read


def _any(words: str) -> str:
    """Return a pattern for any of the words, in which a plus sign stands for white space.

    Words are put together by their first letter: so most lines need one look at each letter.
    """
    by_letter: dict[str, list[str]] = {}
    for word in words.split():
        by_letter.setdefault(word[0], []).append(word[1:].replace("+", "[ \t]+"))
    return "(?:" + "|".join(f"{first}(?:{'|'.join(rest)})" for first, rest in by_letter.items()) + ")"


_MODIFIERS: Final = (
    "(?:(?:"
    + _any(
        """
        abstract actual async case companion const crate data declare default expect export extern external fileprivate
        final friend implicit indirect infix inline inner internal local mut mutating native open operator override
        partial private protected pub public readonly sealed static suspend tailrec transparent unsafe value virtual
        """
    )
    + r'(?:\([^()\n]*\)|[ \t]+"[^"\n]*")?|@(?!interface|implementation|protocol)\w++(?:\([^()\n]*\))?)[ \t]++)*+'
)
_HOLDERS: Final = (
    _any(
        """
        class struct enum enum+class enum+struct union interface trait module mod namespace object protocol extension
        actor record contract library annotation+class package+object @interface @implementation @protocol defmodule
        defprotocol defimpl
        """
    )
    + "[ \t]+[\\w$:.<\"'`@\\[]|impl\\b|(?:object|namespace)[ \t]*\\{"
)
_FUNCTIONS: Final = (
    _any(
        """
        def defp defmacro defmacrop defdelegate fn fun func function function! sub proc procedure method macro
        macro_rules! modifier given typealias type
        """
    )
    + "\\*?[ \t]+[\\w$:.<\"'`@(\\[~+*/=!?-]|"
    + _any("func function fun fn init deinit constructor macro")
    + "[?!*]?[ \t]*[({<]"
)
# Tests that are named by a string; `describe` and its kin hold others.
_SUITES: Final = _any("describe context suite feature RSpec") + "[\\w.]*[ \t]*\\(?[ \t]*[\"'`]"
_CASES: Final = _any("it test specify scenario bench") + "[\\w.]*[ \t]*\\(?[ \t]*[\"'`]"
_ASSIGNED: Final = r"[\w$.]++[ \t]*(?:=|<-|:)[ \t]*(?:async[ \t]+)?(?:function\b|\([^\n]*=>)"
_CODE: Final = f"{_MODIFIERS}(?:({_HOLDERS})|{_FUNCTIONS}){_BODY}|({_SUITES})|{_CASES}|{_ASSIGNED}"

# Functions without a word for it: a type and a name, a name with a body behind or below it, a name at the margin with
# more parameters below, a method of Objective C.
_CONTROL: Final = _any(
    """
    if else elif for foreach while do switch case return throw throws new delete catch try finally using import package
    typedef goto assert yield await sizeof lock fixed synchronized until unless when with and or not in is print echo
    require include static_assert super this let const var extends implements
    """
)
_SIGNATURES: Final = (
    rf"(?!{_CONTROL}\b)(?:"
    r"[A-Za-z_~][\w:<>,.*&?\[\]~]*+[ \t]++[^\n;={}()\"'#/]*+(?:(?<=operator)(?:\(\)|[^\s\w(]++))?\("
    r"|[A-Za-z_~$][\w:<>,.*&?\[\]$~]*+[ \t]*+\((?=[^\n]*\{[ \t]*(?:\n|\Z)|[^;\n]*\n[ \t]*\{)"
    rf"|{_MARGIN}[A-Za-z_]\w*+[ \t]*+\((?=[^\n;]*,[ \t]*\n)"
    rf"){_BODY}|[-+][ \t]*\([^\n;]*+(?=\n|\Z)"
)
# Scripts have values for it too: objects, functions, and calls with a function that holds all of a file.
_WRAPPERS: Final = rf"{_MARGIN}[\w$.]++(?:\([^\n()]*\)[\w$.]*+)?\((?=[^\n]*(?:function\b|=>))[^\n]*\{{{_EOL}"
_NAMED: Final = rf"{_MARGIN}(?:export[ \t]+)?(?:const|let|var)[ \t]+[\w$]+[^\n=]*+="
_OBJECTS: Final = rf"(?:export[ \t]+default|{_NAMED}|[\w$.]++[ \t]*=)[ \t]*\{{{_EOL}"
_VALUES: Final = rf"{_NAMED}(?=[^\n]*(?:=>|\bfunction\b|[{{(\[][ \t]*(?:\n|\Z)))|export[ \t]+default[ \t]+[\w$]+\("

_COMMENTS: Final = (
    r"#(?!!|[ \t]*(?:include|import|define|undef|if|ifdef|ifndef|el\w+|endif|pragma)\b)|//|/?\*|--|;|\(\*|@|\.PHONY"
    r"|\[[^\]]*\][ \t]*$|template\b"
)


@dataclass(frozen=True, slots=True)
class Language:
    """How definitions look in a group of languages.

    `pattern` is for the first line behind its indentation, `above` for a line directly above that belongs to it.
    """

    pattern: str
    above: str = _COMMENTS


LANGUAGES: Final = {
    "python": Language(
        r"(?:async[ \t]+)?def[ \t]+\w+[ \t]*[(\[]|((?:cdef[ \t]+)?class[ \t]+\w+[ \t]*[(:\[])"
        r"|cp?def[ \t]+[^\n=]*\(|if[ \t]+__name__\b"
    ),
    "code": Language(_CODE),
    "c": Language(f"{_CODE}|{_SIGNATURES}", rf"{_COMMENTS}|[A-Za-z_][\w \t*&:<>,]*$"),
    "script": Language(f"{_CODE}|({_WRAPPERS}|{_OBJECTS})|{_VALUES}|{_SIGNATURES}"),
    "shell": Language(r"(?:function[ \t]+)?[\w:.+-]+[ \t]*\([ \t]*\)|function[ \t]+[\w:.-]|@test\b"),
    "make": Language(rf"{_MARGIN}(?:[^\s#:=.][^:=#\n]*::?(?![=:])|define[ \t])"),
    "settings": Language(rf"\[[^\n\]]+\]{{1,2}}[ \t]*(?:[#;][^\n]*)?{_EOL}"),
    "yaml": Language(
        rf"((?:{_MARGIN}|(?<=\n  ))(?:[A-Za-z_/$][^\s:#]*|\"[^\"\n]*\"|'[^'\n]*')[ \t]*:(?=[ \t\n]|\Z))"
        rf"|{_MARGIN}-[ \t]+\S"
    ),
    "css": Language(
        f"(@{_any('media supports layer container include scope')}\\b[^\\n;]*+(?=\\n|\\Z))"
        rf"|[^\s{{}}@/*;][^{{}};\n]*+(?:\{{|(?<=,)){_EOL}"
    ),
    "sql": Language(
        f"{_MARGIN}(?i:{_any('create alter drop with select insert update delete merge grant comment')})\\b"
        "|--[ \t]*name:"
    ),
    "lisp": Language(rf"{_MARGIN}\((?:[^\s()]*def[^\s()]*[ \t]+\S|(?:ns|library|module)\b)"),
    "blocks": Language(rf"{_MARGIN}[a-z_]+(?:[ \t]+[\w\"-]+)*+[ \t]*\{{"),
    "schema": Language(
        f"((?:extend[ \t]+)?{_any('message service enum type input interface union schema struct table')}"
        r"[ \t]+\w|(?:query|mutation|subscription|fragment|schema)\b)"
    ),
    "functional": Language(
        f"{_MARGIN}(?:{_any('let and type data newtype class instance module val member')}\\b"
        r"|[a-z_][\w']*[ \t]+::?[ \t])"
    ),
    "pascal": Language(
        f"(?i:(?:{_any('public private protected static shared friend pure recursive elemental integer real logical')}"
        rf"[ \t]+)*+(?:({_any('package module class interface program task')})"
        rf"|{_any('function procedure sub subroutine type property')})\b)"
    ),
}
"""By a name for the group."""


class _Scope(NamedTuple):
    """A definition that what follows may stand in."""

    level: int
    path: tuple[str, ...]
    holds: bool


def definitions(text: str, lines: Sequence[str], language: Language) -> list[Mark]:
    """Return the definitions of a text, each with the comments and decorators directly above it."""
    return list(_definitions(f"\n{text}", lines, language))


def _definitions(text: str, lines: Sequence[str], language: Language) -> Iterator[Mark]:
    scopes: list[_Scope] = []
    above = _compiled(language.above)
    line = before = behind = free = 0
    for found in _first_lines(language.pattern).finditer(text):
        level = found.end("indent") - found.start() - 1
        _leave(scopes, level, text, behind, found.start())
        line += text.count("\n", before, found.start())
        before, behind = found.start(), found.end()
        if scopes and not scopes[-1].holds:
            continue
        path = nested(scopes[-1].path if scopes else (), _title(lines[line]))
        scopes.append(_Scope(level, path, found.lastindex != 1))
        yield Mark(_top(lines, line, free, level, above), level, path)
        free = line + 1


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _first_lines(pattern: str) -> re.Pattern[str]:
    # The line end before the line stands in the pattern, because a literal is looked for the fastest.
    return _compiled(rf"\n(?P<indent>[ \t]{{0,{_DEEPEST}}}+)(?:{pattern})")


def _leave(scopes: list[_Scope], level: int, text: str, start: int, end: int) -> None:
    """Take the scopes away that a line of this level, or one in the part of the text before it, is not in."""
    while scopes and scopes[-1].level >= level:
        scopes.pop()
    while scopes and (line := _outside(scopes[-1].level).search(text, start, end)):
        start = line.start()
        scopes.pop()


@lru_cache(maxsize=_DEEPEST)
def _outside(level: int) -> re.Pattern[str]:
    """Return what finds a line that ends a definition of this level: no bracket that closes it, label or comment."""
    label = r"(?!(?:try|else|finally)\b)\w+[ \t]*:[ \t]*(?:\n|\Z)"
    return re.compile(rf"\n[ \t]{{0,{level}}}+(?![\s){{}}\]#]|//|/?\*|--|{label})\S")


def _title(line: str) -> str:
    """Return the first line of a definition without what opens its body."""
    return line.strip().rstrip("{ \t").removesuffix("=>").rstrip(" \t:=,([")


def _top(lines: Sequence[str], line: int, free: int, level: int, above: re.Pattern[str]) -> int:
    """Return the first line that belongs to a definition, from `free` on."""
    top: int | None = line
    while top is not None and top > free and lines[top - 1] and not lines[top - 1].isspace():
        line, top = top, _start_of_comment(lines, top - 1, free, level, above)
    return line if top is None else top


def _start_of_comment(lines: Sequence[str], line: int, free: int, level: int, above: re.Pattern[str]) -> int | None:
    """Return where the comment or decorator begins that ends in a line, None if that belongs to nothing below it."""
    text = lines[line].lstrip(" \t")
    indent = len(lines[line]) - len(text)
    if "*/" in text and "/*" not in text:
        return _last(lines, "/*", free, line)
    if text.startswith((")", "]")) and indent == level:
        return _call(lines, free, line, level)
    return line if level <= indent <= level + 1 and above.match(text) else None


def _last(lines: Sequence[str], what: str, first: int, end: int) -> int | None:
    return next((line for line in range(end - 1, first - 1, -1) if what in lines[line]), None)


def _call(lines: Sequence[str], first: int, end: int, level: int) -> int | None:
    """Return where the decorator or attribute begins whose last line closes it."""
    for line in range(end - 1, first - 1, -1):
        text = lines[line].lstrip(" \t")
        if len(lines[line]) - len(text) <= level and text and not text.startswith((")", "]", "}")):
            return line if text.startswith(("@", "#[", "[")) else None
    return None
