"""What a user's message brought."""

from dataclasses import dataclass

from nanobot_memory_plugins.core.values import Receipt


@dataclass(frozen=True, slots=True)
class MessageContext:
    """What a user's message brought: the fenced text to inject beside it, or None, and where it was kept."""

    block: str | None
    receipt: Receipt
    hit_ids: tuple[str, ...] = ()
