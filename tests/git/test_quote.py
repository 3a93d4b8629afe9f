"""Paths as git prints them."""

import os

from world import World

from gitmem.git.quote import quoted

NAMES = (
    b"plain.py",
    b"sp ace.txt",
    "日本/é.txt".encode(),
    b"tab\there",
    b'"q".txt',
    b"back\\slash",
    b"nl\nx",
    b"bell\x07\x08\x0b\x0c\r",
    b"\x01\x1f\x7f",
    b"\xff\xfe not utf-8",
    b"a'b$c`d",
)


def test_every_name_is_quoted_as_git_does(world: World) -> None:
    repo = world.repo()
    for name in NAMES:
        path = os.path.join(os.fsencode(repo.path), name)  # noqa: PTH118 - bytes
        os.makedirs(os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120 - bytes
        with open(path, "wb") as file:  # noqa: PTH123 - bytes
            file.write(b"x\n")
    repo.git("add", "--all")
    printed = repo.git("-c", "core.quotePath=true", "ls-files").stdout.decode("ascii").splitlines()
    assert sorted(printed) == sorted(quoted(os.fsdecode(name)) for name in NAMES)
