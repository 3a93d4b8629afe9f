"""Cuts a file into sections of a few lines to a screen: what a search finds of it, and says where it stands.

By headings in documents, by functions, classes and the like in code, else about every sixty lines at a blank one. Each
line is in one section. What is short goes together with what it stands beside, what is long is cut, so that a section
says something by itself and is read in one look. Pure and deterministic; time grows with the length of the text alone.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, pairwise, takewhile
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from gitmem.search import headings
from gitmem.search.definitions import LANGUAGES, definitions
from gitmem.search.outline import Heading, Mark, outlined, written
from gitmem.text.content import lines_of

FORM: Final = "1"
"""What the sections of a text depend on beside the text and the manner of its path."""

# Lines.
_SHORT: Final = 10  # what is shorter is joined to its neighbours
_ENOUGH: Final = 30  # what is joined grows no more from here on
_AIM: Final = 60  # how long the pieces of what is cut are
_LONG: Final = 90  # what is longer is cut
_NEAR: Final = 20  # how far from the aim a blank line is looked for
_BARE: Final = 2  # a heading and a blank line: nothing that needs a title

_DOCUMENTS: Final[dict[str, Callable[[str], Iterator[Heading]]]] = {
    "markdown": headings.markdown,
    "restructured": headings.restructured,
    "asciidoc": headings.asciidoc,
    "org": headings.org,
    "html": headings.html,
    "tex": headings.tex,
    "underlined": headings.underlined,
}

# By how they are cut: the suffixes of files, and the names of such as have none.
_MANNERS: Final = {
    "markdown": ".md .markdown .mdown .mkd .mkdn .mdx .rmd .qmd",
    "restructured": ".rst .rest",
    "asciidoc": ".adoc .asciidoc .asc",
    "org": ".org",
    "html": ".html .htm .xhtml",
    "tex": ".tex .ltx",
    "underlined": ".txt .text",
    "python": ".py .pyi .pyw .pyx .pxd .bzl .star",
    "c": """
        .c .h .cc .cpp .cxx .c++ .hh .hpp .hxx .h++ .inl .ipp .tpp .ino .m .mm .cu .cuh .java .cs .d .dart .groovy
        .gradle .vala .glsl .hlsl .metal jenkinsfile
        """,
    "script": ".js .jsx .mjs .cjs .ts .tsx .mts .cts .vue .svelte .astro",
    "shell": ".sh .bash .zsh .ksh .ash .fish .bats .bashrc .zshrc .profile .bash_profile .bash_aliases .zprofile",
    "make": ".mk .mak makefile gnumakefile",
    "settings": ".toml .ini .cfg .gitconfig .gitmodules .editorconfig .desktop .service .socket .timer",
    "yaml": ".yml .yaml",
    "css": ".css .scss .less",
    "sql": ".sql .psql .ddl",
    "lisp": ".lisp .lsp .cl .el .clj .cljs .cljc .scm .ss .rkt .fnl",
    "blocks": ".tf .hcl .tfvars .nomad",
    "schema": ".proto .graphql .graphqls .gql .thrift .capnp .fbs",
    "functional": ".ml .mli .fs .fsi .fsx .hs .elm .purs .sml",
    "pascal": ".pas .pp .dpr .vb .bas .f .for .f77 .f90 .f95 .f03 .f08 .adb .ads .vhd .vhdl",
    "code": "rakefile gemfile guardfile vagrantfile podfile fastfile brewfile",
    "lines": """
        .json .jsonl .ndjson .geojson .json5 .csv .tsv .log .xml .svg .xsd .xsl .plist .po .pot .diff .patch .lock .snap
        .asm .s .ll .env .properties .in .out .dat .srt .vtt .ipynb dockerfile
        """,
}
_BY_NAME: Final = {name: manner for manner, names in _MANNERS.items() for name in names.split()}

# By what a script without a suffix says in its first line.
_INTERPRETERS: Final = {
    "python": "python",
    "sh": "shell",
    "bash": "shell",
    "dash": "shell",
    "zsh": "shell",
    "ksh": "shell",
    "node": "script",
    "deno": "script",
    "bun": "script",
    "make": "make",
}
_UNNAMED: Final = "unnamed"


class Section(NamedTuple):
    """A range of lines, counted from 1, both ends in it, and what it is about: empty if nothing says so."""

    start: int
    end: int
    title: str


class _Piece(NamedTuple):
    """A range of lines, counted from 0, the end behind it, with its place in the outline."""

    start: int
    end: int
    level: int
    path: tuple[str, ...]

    @property
    def size(self) -> int:
        return self.end - self.start


def manner_of(path: str) -> str:
    """Return how a file of this path is cut: equal texts of one manner have the same sections."""
    named = PurePosixPath(path)
    if not named.suffix:
        return _BY_NAME.get(named.name.lower(), _UNNAMED)
    return _BY_NAME.get(named.suffix.lower(), "code")


def cut(text: str, path: str) -> list[Section]:
    """Return the sections of a file, which cover each of its lines once and in order; an empty text has none.

    `text` has LF line ends, as `read_text` returns it.
    """
    lines = lines_of(text)
    pieces = _pieces(_marks(text, lines, manner_of(path)), len(lines))
    joined = _joined(list(chain.from_iterable(_split(piece, lines) for piece in pieces)))
    return [Section(group[0].start + 1, group[-1].end, _title(group)) for group in joined]


def _marks(text: str, lines: Sequence[str], manner: str) -> list[Mark]:
    if manner == _UNNAMED:
        manner = _script(lines[0]) if lines and lines[0].startswith("#!") else "underlined"
    if manner in _DOCUMENTS:
        return outlined(text, _DOCUMENTS[manner](text))
    return definitions(text, lines, LANGUAGES[manner]) if manner in LANGUAGES else []


def _script(first_line: str) -> str:
    """Return how a script is cut, by the last word of its first line that names a program."""
    words = [word.rpartition("/")[2].rstrip(".0123456789") for word in first_line[2:200].split()]
    return next((_INTERPRETERS[word] for word in words if word in _INTERPRETERS), "code")


def _pieces(marks: Sequence[Mark], count: int) -> list[_Piece]:
    """Return the lines from each mark to the next; what is before the first has no title."""
    starts = [Mark(0, 0, ()), *marks, Mark(count, 0, ())]
    around = pairwise(starts)
    return [_Piece(one.line, next_.line, one.level, one.path) for one, next_ in around if one.line < next_.line]


def _split(piece: _Piece, lines: Sequence[str]) -> Iterator[_Piece]:
    """Yield a piece in parts of about the aim where it is long."""
    while piece.end - piece.start > _LONG:
        end = _break(lines, piece.start + _AIM)
        yield piece._replace(end=end)
        piece = piece._replace(start=end)
    yield piece


def _break(lines: Sequence[str], aim: int) -> int:
    """Return the line near the aim before which to cut: the nearest one behind a blank line, of equals the earlier."""
    near = sorted(range(aim - _NEAR, aim + _NEAR + 1), key=lambda line: abs(line - aim))
    return next((line for line in near if _is_blank(lines[line - 1]) and not _is_blank(lines[line])), aim)


def _is_blank(line: str) -> bool:
    return not line or line.isspace()


def _joined(pieces: Sequence[_Piece]) -> list[list[_Piece]]:
    """Return the pieces in groups, short ones together with what they stand beside."""
    groups: list[list[_Piece]] = []
    following = [*(piece.level for piece in pieces[1:]), 0]
    for piece, level in zip(pieces, following[: len(pieces)], strict=True):
        if groups and _join(groups, piece, opens=level > piece.level):
            groups[-1].append(piece)
        else:
            groups.append([piece])
    _settle(groups)
    return groups


def _join(groups: list[list[_Piece]], piece: _Piece, *, opens: bool) -> bool:
    """Whether a piece goes to the last group; a short group that it does not belong to goes to the one before."""
    group = groups[-1]
    size = piece.end - group[0].start
    inside = piece.level >= group[0].level
    if size - piece.size < _SHORT:
        if not inside and _settle(groups):
            return False
        return size <= _LONG
    return piece.size < _SHORT and not opens and inside and size - piece.size < _ENOUGH


def _settle(groups: list[list[_Piece]]) -> bool:
    """Put the last group, if it is short, to the one before; return whether it went there."""
    if len(groups) < 2:
        return False
    *_, before, last = groups
    fits = last[-1].end - last[0].start < _SHORT and last[-1].end - before[0].start <= _LONG
    if fits:
        before += groups.pop()
    return fits


def _title(group: Sequence[_Piece]) -> str:
    """Return what all pieces of a group stand in, or else where it begins."""
    paths = [piece.path for piece in group if piece.path and piece.size > _BARE]
    paths = paths or [piece.path for piece in group if piece.path]
    common = [parts[0] for parts in takewhile(lambda parts: len(set(parts)) == 1, zip(*paths, strict=False))]
    return written(common or paths[0]) if paths else ""
