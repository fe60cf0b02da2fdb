"""What "this" and "that" mean: the user's last statement, else what the assistant said last."""

from collections.abc import Sequence
from typing import NamedTuple

from nanobot_memory_plugins.consolidation.commands.orders import OrderKind, commands_in
from nanobot_memory_plugins.core import Message, Origin
from nanobot_memory_plugins.core.text import reading_of, text_to_assistant

# Messages that are looked at: what is further back is not meant.
_NEAR = 12
# Characters of an assistant's message that are kept: its beginning says what it is about.
_LONGEST = 600


class Referent(NamedTuple):
    """What "this" refers to: a text, and whose it is."""

    text: str
    origin: Origin


def meant_by_this(text: str, history: Sequence[Message]) -> Referent | None:
    """Return what an order without a text of its own is about; ``text`` is the message with the order.

    Tools' answers are never meant. After a question of the user's the answer is, else the user's statement.
    """
    near = [one for one in history[-_NEAR:] if one.role in ("user", "assistant") and one.text.strip()]
    if near and near[-1].role == "user" and near[-1].text.strip() == text.strip():
        near.pop()  # the host has put the message into its history already
    answer = ""
    for message in reversed(near):
        if message.role == "assistant":
            answer = answer or message.text
            continue
        own = text_to_assistant(message.text)
        orders = commands_in(own)
        if orders:
            kept = next((one.text for one in orders if one.text and one.kind is OrderKind.REMEMBER), "")
            if kept:
                return Referent(kept, Origin.USER)
            continue
        if not reading_of(own).ends_in_question:
            # A message that holds somebody else's text is nobody's word as a whole.
            whole = own.strip() == message.text.strip()
            return Referent(message.text.strip(), Origin.USER if whole else Origin.SUMMARY)
        break
    return Referent(_beginning(answer), Origin.ASSISTANT) if answer else None


def _beginning(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST].rstrip()}…"
