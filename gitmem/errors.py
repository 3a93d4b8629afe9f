"""The root of all errors that a person sees, and the exit codes of the contract."""

from enum import IntEnum


class ExitCode(IntEnum):
    """How a command ended, as CONTRACT section 2 fixes it."""

    DONE = 0
    NO = 1
    UNMEASURED = 2
    FATAL = 128
    USAGE = 129
    INTERRUPTED = 130


class GitMemError(Exception):
    """Something that could not be done, told in one line: what is wrong, then what to do.

    Concrete errors stand beside the code that raises them. The message never holds a line break, so that
    the adapters can print it behind `fatal: ` as it is.
    """

    exit_code: ExitCode = ExitCode.FATAL
    label: str = "fatal"

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))

    @property
    def message(self) -> str:
        """The one line, without its label."""
        return str(self.args[0])


class UsageError(GitMemError):
    """The command was called wrongly: an unknown value, a missing argument. Exit code 129."""

    exit_code = ExitCode.USAGE
    label = "error"
