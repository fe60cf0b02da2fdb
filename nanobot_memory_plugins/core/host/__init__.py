"""The host at work: `MemoryHost`, its plugins, the turn, what is recorded, and what a prompt is given."""

from typing import TYPE_CHECKING

from nanobot_memory_plugins.redaction.lazy_names import lazy_names

if TYPE_CHECKING:
    from nanobot_memory_plugins.core.host.bootstrap_files import default_overhead, read_text
    from nanobot_memory_plugins.core.host.bounded_store import hits_of, whole_hit
    from nanobot_memory_plugins.core.host.callbacks import guarded
    from nanobot_memory_plugins.core.host.conversations import Conversation, conversations_of_files, in_conversations
    from nanobot_memory_plugins.core.host.idle_clock import IdleClock
    from nanobot_memory_plugins.core.host.live_history import tokens_of
    from nanobot_memory_plugins.core.host.memory_thread import MemoryThread, Use
    from nanobot_memory_plugins.core.host.missed_turns import NO_ANSWER, WITH_START, missed_recalls, note_missed
    from nanobot_memory_plugins.core.host.plugin_set import PluginReport
    from nanobot_memory_plugins.core.host.plugins.plugin_host import PluginState
    from nanobot_memory_plugins.core.host.prompt_filter import without_others_notes
    from nanobot_memory_plugins.core.host.recall_log import injections
    from nanobot_memory_plugins.core.host.remember_tool import told_invalid, told_receipt
    from nanobot_memory_plugins.core.host.requests import FILL, Asked, asked_in
    from nanobot_memory_plugins.core.host.runs import HostRun, Runs
    from nanobot_memory_plugins.core.host.said_before import spoken_text
    from nanobot_memory_plugins.core.host.scrub import scrub_workspace
    from nanobot_memory_plugins.core.host.service_tool import ServiceTool
    from nanobot_memory_plugins.core.host.stored import (
        Recalls,
        Stored,
        line_of,
        place_of,
        recalls_of_records,
        stored_messages,
        stored_notes,
        stored_recalls,
    )
    from nanobot_memory_plugins.core.host.stored_items import StoredItems, is_held_by_server
    from nanobot_memory_plugins.core.host.telling import asked_by, asking_session
    from nanobot_memory_plugins.core.host.turn import Turn
    from nanobot_memory_plugins.core.host.unhelpful import Unhelpful, lowered
    from nanobot_memory_plugins.core.host.withheld_words import WithheldWords

__getattr__ = lazy_names(
    __name__,
    {
        "idle_clock": ("IdleClock",),
        "callbacks": ("guarded",),
        "requests": ("FILL", "Asked", "asked_in"),
        "conversations": ("Conversation", "conversations_of_files", "in_conversations"),
        "stored": (
            "Recalls",
            "Stored",
            "line_of",
            "place_of",
            "recalls_of_records",
            "stored_messages",
            "stored_notes",
            "stored_recalls",
        ),
        "live_history": ("tokens_of",),
        "bootstrap_files": ("default_overhead", "read_text"),
        "bounded_store": ("hits_of", "whole_hit"),
        "memory_thread": ("MemoryThread", "Use"),
        "missed_turns": ("NO_ANSWER", "WITH_START", "missed_recalls", "note_missed"),
        "plugin_set": ("PluginReport",),
        "plugins.plugin_host": ("PluginState",),
        "prompt_filter": ("without_others_notes",),
        "recall_log": ("injections",),
        "remember_tool": ("told_invalid", "told_receipt"),
        "runs": ("HostRun", "Runs"),
        "said_before": ("spoken_text",),
        "scrub": ("scrub_workspace",),
        "service_tool": ("ServiceTool",),
        "stored_items": ("StoredItems", "is_held_by_server"),
        "telling": ("asked_by", "asking_session"),
        "turn": ("Turn",),
        "unhelpful": ("Unhelpful", "lowered"),
        "withheld_words": ("WithheldWords",),
    },
)

__all__ = [
    "FILL",
    "NO_ANSWER",
    "WITH_START",
    "Asked",
    "Conversation",
    "HostRun",
    "IdleClock",
    "MemoryThread",
    "PluginReport",
    "PluginState",
    "Recalls",
    "Runs",
    "ServiceTool",
    "Stored",
    "StoredItems",
    "Turn",
    "Unhelpful",
    "Use",
    "WithheldWords",
    "asked_by",
    "asked_in",
    "asking_session",
    "conversations_of_files",
    "default_overhead",
    "guarded",
    "hits_of",
    "in_conversations",
    "injections",
    "is_held_by_server",
    "line_of",
    "lowered",
    "missed_recalls",
    "note_missed",
    "place_of",
    "read_text",
    "recalls_of_records",
    "scrub_workspace",
    "spoken_text",
    "stored_messages",
    "stored_notes",
    "stored_recalls",
    "tokens_of",
    "told_invalid",
    "told_receipt",
    "whole_hit",
    "without_others_notes",
]
