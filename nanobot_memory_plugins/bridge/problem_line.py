"""What is wrong with the configuration, said once where the user looks: nanobot's own log is off in a terminal."""

from collections.abc import Sequence

from nanobot_memory_plugins.core import logger
from nanobot_memory_plugins.core.cli.plain import say
from nanobot_memory_plugins.core.config.models import ConfigProblem
from nanobot_memory_plugins.redaction.script.messages import tr

_LONGEST = 300


def say_problems(problems: Sequence[ConfigProblem]) -> bool:
    """Write to standard error, as one line, the first problem and how many there are; return whether it did.

    Where our log is on it has said all of them, and nothing is written.
    """
    if not problems or not _log_is_off():
        return False
    told = tr(problems[0].message)
    told = told if len(told) <= _LONGEST else f"{told[: _LONGEST - 1]}…"
    line = tr(
        "nanobot-memory: {told} (`nanobot-memory doctor` says what helps)"
        if len(problems) == 1
        else "nanobot-memory: {told} (the first of {count} problems; `nanobot-memory doctor` says what helps)",
        told=told,
        count=len(problems),
    )
    say(line, err=True)
    return True


def _log_is_off() -> bool:
    """Return whether what this set logs is dropped. loguru does not tell, so this reads its list."""
    rules = getattr(getattr(logger, "_core", None), "activation_list", ())
    return ("nanobot_memory_plugins.", False) in rules
