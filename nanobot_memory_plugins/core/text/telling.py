"""Texts that ask for something and tell nothing."""

from nanobot_memory_plugins.core.text.acts import Act
from nanobot_memory_plugins.core.text.reading import reading_of
from nanobot_memory_plugins.core.text.wishes import holds_wish

# What of a text is read.
_LOOKED_THROUGH = 600


def only_requests(text: str) -> bool:
    """Say whether a text asks for something and tells nothing; what holds for later answers tells enough."""
    acts = {clause.act for clause in reading_of(text[:_LOOKED_THROUGH]).clauses}
    return bool(acts) and acts <= {Act.ASKS, Act.SUPPOSES, Act.REQUESTS} and not holds_wish(text)
