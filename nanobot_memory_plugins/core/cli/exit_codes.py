"""The exit statuses of the command line: what a script sees of how a command ended."""

from nanobot_memory_plugins.core.errors import (
    ConfigurationError,
    NanobotMemoryError,
    NotInstalledError,
    WrongUseError,
)

DONE, FAILED, WRONG_USE, INTERRUPTED = 0, 1, 2, 130


def exit_status(error: NanobotMemoryError) -> int:
    """Return the status of a command that ended with an error.

    It is that of wrong use where the command line or the configuration is what has to be corrected.
    """
    is_wrong_use = isinstance(error, ConfigurationError | NotInstalledError | WrongUseError)
    return WRONG_USE if is_wrong_use else FAILED
