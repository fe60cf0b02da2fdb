"""The log of the set. Whatever a line is about (a session's key, a file, a tool), it stays one line and harmless."""

from typing import TYPE_CHECKING

import loguru

from nanobot_memory_plugins.redaction.script.printable import one_line

if TYPE_CHECKING:
    from loguru import Logger, Record


def _on_one_line(record: "Record") -> None:
    record["message"] = one_line(record["message"])


logger: "Logger" = loguru.logger.patch(_on_one_line)
"""loguru's own, sinks included; only what this set logs is changed."""
