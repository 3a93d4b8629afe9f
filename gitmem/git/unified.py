"""Git's own unified diff of contents that need not be objects."""

import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from gitmem.git.run import LONG_LIMIT, Git

# Two directories as they are: without filters, conversion of line ends, attributes, or a repository around them.
_AS_THEY_ARE: Final = ("core.attributesFile=/dev/null", "core.autocrlf=false", "core.safecrlf=false")
_OUTSIDE: Final = {"GIT_ATTR_NOSYSTEM": "1"}
_DIFF: Final = (
    *("diff", "--no-index", "--patch", "--no-prefix", "--no-renames", "--no-ext-diff", "--no-textconv"),
    *("--no-relative", "-O/dev/null"),
)
_BEGINS: Final = re.compile(rb"^(?=(?:\x1b\[[0-9;]*m)*diff --git )", re.MULTILINE)
_NAMES: Final = re.compile(rb"diff --git [ab]/(?P<name>[^ \n]+) [ab]/")


def unified_diff(git: Git, before: Mapping[str, bytes], after: Mapping[str, bytes], *, color: bool) -> dict[str, bytes]:
    """Return the diff of each file that differs, by name; its header names `a/<name>` and `b/<name>`.

    Names are plain ones without blanks or characters that git would quote. The contents stand in a temporary
    directory while git looks at them.
    """
    differing = [name for name in sorted({*before, *after}) if before.get(name) != after.get(name)]
    if not differing:
        return {}
    with tempfile.TemporaryDirectory(prefix="git-mem-") as scratch:
        top = Path(scratch)
        for side, contents in (("a", before), ("b", after)):
            (top / side).mkdir()
            for name in differing:
                if name in contents:
                    (top / side / name).write_bytes(contents[name])
        environ = {**git.environ, **_OUTSIDE, "GIT_CEILING_DIRECTORIES": os.fspath(top.parent)}
        asking = replace(git, environ=environ, config=(*git.config, *_AS_THEY_ARE))
        colors = "--color=always" if color else "--no-color"
        answer = asking.ask(*_DIFF, colors, "--", "a", "b", cwd=top, accept=(0, 1), limit=LONG_LIMIT)
    return dict(_patches(answer.stdout))


def _patches(text: bytes) -> Iterator[tuple[str, bytes]]:
    for patch in _BEGINS.split(text):
        found = _NAMES.search(patch)
        if found is not None:
            name = found["name"]
            # Where one side is missing, `--no-index` has the other side's prefix twice.
            told = patch[: found.start()] + b"diff --git a/" + name + b" b/" + patch[found.end() :]
            yield os.fsdecode(name), told
