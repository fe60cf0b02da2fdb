"""Orders that a user gives to a memory: their sentences, what they aim at, and what is asked to be forgotten."""

from typing import TYPE_CHECKING

from nanobot_memory_plugins.redaction.lazy_names import lazy_names

if TYPE_CHECKING:
    from nanobot_memory_plugins.core.text.orders.forgetting import forgotten, forgotten_first
    from nanobot_memory_plugins.core.text.orders.further import (
        forgotten_in,
        is_about_work,
        remembered_in,
        turns_to_another_task,
    )
    from nanobot_memory_plugins.core.text.orders.orders_to_forget import orders_forgetting, without_orders_to_forget
    from nanobot_memory_plugins.core.text.orders.sentences import Line, OrderSentence, lines_of, plain
    from nanobot_memory_plugins.core.text.orders.target import Target, asked_for, part
    from nanobot_memory_plugins.core.text.orders.topics import names_in
    from nanobot_memory_plugins.core.text.orders.words import BY_THE_WAY, ENDS, LEAD, POINTS

__getattr__ = lazy_names(
    __name__,
    {
        "forgetting": ("forgotten", "forgotten_first"),
        "further": ("forgotten_in", "is_about_work", "remembered_in", "turns_to_another_task"),
        "orders_to_forget": ("orders_forgetting", "without_orders_to_forget"),
        "sentences": ("Line", "OrderSentence", "lines_of", "plain"),
        "target": ("Target", "asked_for", "part"),
        "topics": ("names_in",),
        "words": ("BY_THE_WAY", "ENDS", "LEAD", "POINTS"),
    },
)

__all__ = [
    "BY_THE_WAY",
    "ENDS",
    "LEAD",
    "POINTS",
    "Line",
    "OrderSentence",
    "Target",
    "asked_for",
    "forgotten",
    "forgotten_first",
    "forgotten_in",
    "is_about_work",
    "lines_of",
    "names_in",
    "orders_forgetting",
    "part",
    "plain",
    "remembered_in",
    "turns_to_another_task",
    "without_orders_to_forget",
]
