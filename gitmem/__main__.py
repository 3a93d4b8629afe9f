"""`python -m gitmem`, the same as `git-mem`."""

import sys


def main() -> None:
    """Run the command line and exit with its code."""
    from gitmem.cli.main import run  # noqa: PLC0415 - so that importing this module does nothing

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
