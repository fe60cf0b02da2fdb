"""The log of the set. Whatever a line is about (a session's key, a file, a tool), it stays one line and harmless."""

from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from nanobot_memory_plugins.redaction.script.printable import one_line

if TYPE_CHECKING:
    from loguru import Logger, Record


def _on_one_line(record: "Record") -> None:
    record["message"] = one_line(record["message"])


class _LazyLogger:
    """loguru's own, imported when something is logged: asyncio comes with it, and who lists entries logs nothing."""

    @cached_property
    def logger(self) -> "Logger":
        """The one that logs."""
        import loguru

        return loguru.logger.patch(_on_one_line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.logger, name)


_lazy = _LazyLogger()
logger = cast("Logger", _lazy)
"""loguru's own, sinks included; only what this set logs is changed."""


def import_log() -> None:
    """Import loguru now: who gives up the right to read it could not log later."""
    _lazy.logger  # noqa: B018
