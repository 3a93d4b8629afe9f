"""`git mem init`."""

import click

from gitmem.cli.hooks import told
from gitmem.cli.options import color_option
from gitmem.cli.session import Session
from gitmem.errors import ExitCode, GitMemError
from gitmem.git.exclude import Sharing
from gitmem.porcelain.hooks import install
from gitmem.porcelain.init import Initialised, init
from gitmem.text import visible_line
from gitmem.workspace import Workspace

_NEXT = """\
Next:
  git mem add "What was decided" --kind decision --file PATH:10-20 --commit HEAD
  git mem search WORDS
  git mem check
"""


@click.command("init", short_help="create the store")
@click.option("--track", is_flag=True, help="Let git track the entries like any other file of the main checkout.")
@click.option("--hooks", is_flag=True, help="Install the git hooks too; see `git mem hooks`.")
@color_option()
@click.pass_obj
def command(session: Session, *, track: bool, hooks: bool) -> int:
    """Create the store in the main checkout, whichever worktree you stand in.

    The store is private: `/.klide/` is added once to the common info/exclude. Running it again changes nothing.
    """
    workspace, done = init(session.directory, session.environ, track=track)
    session.warn_if_endangered(workspace)
    session.write(f"{_told(done)}\n{_NEXT if done.changed else ''}")
    if done.recorded:
        one = done.recorded == 1
        told = "1 entry is recorded" if one else f"{done.recorded} entries are recorded"
        session.hint(f"{told}: `git mem restore` brings {'it' if one else 'them'} back")
    return _install(session, workspace) if hooks else ExitCode.DONE


def _install(session: Session, workspace: Workspace) -> int:
    """Install the hooks. What is in their way is told; the store is there all the same."""
    try:
        done = install(workspace.git, workspace.layout.place)
    except GitMemError as error:
        session.warn(error.message)
        return ExitCode.NO
    session.write("Hooks:\n" + "".join(f"  {line}\n" for line in told(done)))
    return done.exit_code


def _told(done: Initialised) -> str:
    store = visible_line(done.store)
    if not done.changed:
        return f"Nothing to do: the {done.sharing} memory store is in {store}"
    how = {
        Sharing.PRIVATE: "private: git ignores it here",
        Sharing.TRACKED: "tracked: commit its entries like any other file",
        Sharing.UNDECIDED: "outside any checkout",
    }[done.sharing]
    return f"{'Created' if done.created else 'Changed'} the memory store in {store} ({how})"
