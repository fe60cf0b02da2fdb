"""The language model of an installed host, for commands that run without that host."""

from collections.abc import Callable

from nanobot_memory_plugins.core.entry_points import MODEL_GROUP, installed_entry_points
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.protocols import Complete
from nanobot_memory_plugins.redaction.script.messages import Sentence

_UNUSABLE = "The language model of {name} cannot be used: {kind}. Look at its provider, model and key."


def offered_model(warn: Callable[[str], None] = logger.warning) -> Complete | None:
    """Return the first model that an entry point of ``nanobot_memory_models`` offers, or None.

    Each names a function without arguments that returns ``complete`` as hosts wire it, or None where the host is not
    configured. It may block. One that fails is skipped, and ``warn`` is called with the reason.
    """
    for point in installed_entry_points(MODEL_GROUP):
        try:
            offer: Callable[[], Complete | None] = point.load()
            complete = offer()
        except Exception as error:  # it is somebody else's code, and another one may offer a model
            warn(Sentence(_UNUSABLE, name=point.distribution, kind=type(error).__name__))
            continue
        if callable(complete):
            return complete
    return None
