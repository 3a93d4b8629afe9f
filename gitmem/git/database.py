"""Opens the object database of a repository with the first library that can read it."""

from pathlib import Path

from gitmem.git.objects import ObjectDatabase, ObjectFormat


def open_database(common_dir: Path, object_format: ObjectFormat) -> ObjectDatabase:
    """Return the object database of a common dir: libgit2 where it can open it, dulwich elsewhere.

    Both libraries are loaded here and not with the module: they take longer to import than most commands to
    run, and many commands never read an object.
    """
    import pygit2  # noqa: PLC0415 - see above

    from gitmem.git.libgit2 import Libgit2Database  # noqa: PLC0415 - see above

    try:
        return Libgit2Database(common_dir)
    except pygit2.GitError:
        from gitmem.git.dulwich import DulwichDatabase  # noqa: PLC0415 - see above

        return DulwichDatabase(common_dir, object_format)
