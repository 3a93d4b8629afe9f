"""`python -m gitmem`, the same as `git-mem`."""

import gc
import os
import sys


def main() -> None:
    """Run the command line and exit with its code."""
    if sys.getfilesystemencoding() != "utf-8":
        # Names and arguments are UTF-8 to git, whatever the locale says; Python decides that once, at its start.
        os.execv(sys.executable, [sys.executable, "-X", "utf8", "-m", "gitmem", *sys.argv[1:]])  # noqa: S606 - itself
    if sys.argv[1:2] == ["work"] and "--detached" in sys.argv[2:]:
        from gitmem.cli.detached import let_go  # noqa: PLC0415 - before anything else: somebody waits for the pipes

        let_go()
    if sys.argv[1:3] == ["hooks", "run"]:
        from gitmem.cli.hook import main as run_hook  # noqa: PLC0415 - a commit waits for it

        sys.exit(run_hook(sys.argv[3:]))
    try:
        from gitmem.cli.main import run  # noqa: PLC0415 - so that importing this module does nothing

        # A command ends in a moment and needs to its end nearly all that it makes: looking for garbage finds none.
        gc.disable()
    except KeyboardInterrupt:
        sys.exit(130)
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
