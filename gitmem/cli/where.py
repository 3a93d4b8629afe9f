"""`git mem where`."""

import click

from gitmem.cli.options import color_option, json_option
from gitmem.cli.session import Session
from gitmem.porcelain.encode import encode
from gitmem.porcelain.where import where
from gitmem.text import visible_line


@click.command("where", short_help="say where the store is")
@color_option()
@json_option()
@click.pass_obj
def command(session: Session, *, as_json: bool) -> None:
    """Say where the store of this worktree is, and how that was found out."""
    found = where(session.glance())
    if as_json:
        session.write_json(encode(found))
        return
    rows = {
        "layout": found.layout,
        "worktree": found.worktree,
        "main worktree": found.main_worktree or "none (the repository is bare)",
        "git dir": found.git_dir,
        "common dir": found.common_dir,
        "store": found.store + ("" if found.exists else "  (not created yet: `git mem init`)"),
    }
    session.write("".join(f"{name + ':':<15}{visible_line(value)}\n" for name, value in rows.items()))
