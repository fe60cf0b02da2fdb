"""What nanobot's own record of a session holds of what was said, for a memory that may not have heard all of it."""

from collections.abc import Sequence
from typing import Any

from nanobot_memory_plugins.bridge.reply_capture import is_answer
from nanobot_memory_plugins.bridge.sessions import is_background, is_continuation, public_messages


def earlier_messages(recorded: Sequence[object]) -> list[dict[str, Any]]:
    """Return the messages of people's turns, as they are kept when they are heard.

    What nanobot put in the place of an answer, what others sent there, and the turns of its timers are left out.
    """
    people: list[object] = []
    timers = False
    for message in recorded:
        if isinstance(message, dict) and message.get("role") == "user" and not is_continuation(message):
            timers = is_background("", message)
        if not timers:
            people.append(message)
    return [one for one in public_messages(people, at_most=None) if is_answer(one)]
