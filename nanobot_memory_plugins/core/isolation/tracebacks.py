"""Full tracebacks of the plugins that their authors name: ``NANOBOT_MEMORY_DEBUG_PLUGINS=coffee,tea``.

Without it only the type and the place of an error are told, since its text and the source can carry anything. Secrets
that redaction knows are hidden here as well: logs travel.
"""

import os
import traceback
from typing import Final

from nanobot_memory_plugins.core.log import logger

DEBUG_VARIABLE: Final = "NANOBOT_MEMORY_DEBUG_PLUGINS"
# An exception may quote whatever it met: only the end of a longer traceback is shown.
_CHARACTERS: Final = 50_000


def log_traceback(plugin: str, error: BaseException) -> None:
    """Log the traceback of an error, a line of it a line of the log, when its plugin is named by the variable."""
    names = os.environ.get(DEBUG_VARIABLE)
    if not names or plugin not in {name.strip() for name in names.split(",")}:
        return
    from nanobot_memory_plugins.redaction.engine.redactor import Redactor

    redact = Redactor().redact  # without the rules of third parties, which are run as plugins are
    text = "".join(traceback.format_exception(error))
    if len(text) > _CHARACTERS:
        text = text[-_CHARACTERS:].partition("\n")[2]
    for line in redact(text).splitlines():
        logger.warning("plugin {}: {}", plugin, line)
