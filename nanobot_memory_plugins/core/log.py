"""The logger of all plugins. Whatever a message contains (a session key, a file name), it stays one printable line."""

from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from nanobot_memory_plugins.redaction.script.printable import one_line

if TYPE_CHECKING:
    from loguru import Logger, Record


def _on_one_line(record: "Record") -> None:
    record["message"] = one_line(record["message"])


class _LazyLogger:
    """loguru's logger, imported on first use: importing it also imports asyncio, and many commands log nothing."""

    @cached_property
    def logger(self) -> "Logger":
        """The patched loguru logger."""
        import loguru

        return loguru.logger.patch(_on_one_line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.logger, name)


_lazy = _LazyLogger()
logger = cast("Logger", _lazy)
"""loguru's logger with its own sinks. Only the messages of these plugins are patched."""


def import_log() -> None:
    """Import loguru now: a process that drops the permission to read its files could not import it later."""
    _lazy.logger  # noqa: B018
