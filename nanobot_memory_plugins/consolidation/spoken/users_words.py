"""What the users of the live sessions said themselves, with this plugin's reading of what denies something."""

from collections.abc import Iterable

from nanobot_memory_plugins.consolidation.wording import wording
from nanobot_memory_plugins.core import users_words


class UsersWords(users_words.UsersWords):
    """The last texts of each session's user."""

    def __init__(self) -> None:
        super().__init__(_negates)


def bears_out(said: Iterable[str], text: str) -> bool:
    """Say whether one of some texts says what ``text`` says, its numbers and its negation included."""
    return users_words.bears_out(said, text, negates=_negates)


def _negates(text: str) -> bool:
    return wording(text).negated
