"""`git mem manifest`."""

import click

from gitmem.cli.options import color_option
from gitmem.cli.session import Session
from gitmem.errors import UsageError
from gitmem.porcelain.manifest import manifest, manifest_json, name_status


@click.command("manifest", short_help="print which files are new, different or gone")
@click.option("--since", metavar="REV", help="Compare HEAD with a commit, and not the working tree with HEAD.")
@click.option("--cached", is_flag=True, help="Compare the index with HEAD, and not the working tree.")
@click.option("--all", "whole", is_flag=True, help="Name every file, as if nothing had been known.")
@click.option("-z", "raw", is_flag=True, help="Print M or D, NUL, the path, NUL, as `git diff --name-status -z` does.")
@color_option()
@click.option("--json", "as_json", is_flag=True, help="Print JSON, as is done without it.")
@click.pass_obj
def command(session: Session, *, since: str | None, cached: bool, whole: bool, raw: bool, as_json: bool) -> None:
    """Print the changed set of the working tree: what is new or different, and what is gone.

    The output is what `git mem update --manifest -` takes: {"changed": [...], "deleted": [...]}, paths relative to
    the top of the worktree. What an ignore rule names is left out, tracked or not, and what a .gitmemignore names.
    """
    if raw and as_json:
        raise UsageError("-z and --json ask for two forms: choose one")
    made = manifest(session.glance(), since=since, cached=cached, whole=whole)
    if raw:
        session.write(name_status(made))
    else:
        session.write_json(manifest_json(made))
