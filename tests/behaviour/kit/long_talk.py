"""Histories that are long, of tools, or about something, and what a compaction leaves of them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.core import estimate_tokens
from tests.behaviour.kit.model import ReadingModel


def chat(*texts: str) -> list[dict[str, Any]]:
    """Return a conversation, the user first."""
    return [{"role": "assistant" if n % 2 else "user", "content": text} for n, text in enumerate(texts)]


def talk(turns: int, words: int = 40, topic: str = "topic") -> list[dict[str, Any]]:
    """Return a conversation: each turn a question and an answer of about so many words."""
    filler = " ".join(f"word{n}" for n in range(words))
    turn = (
        (f"Turn {n}: tell me about {topic} {n}. {filler}", f"The {topic} {n} is settled. {filler}")
        for n in range(turns)
    )
    return chat(*(text for both in turn for text in both))


def tool_turn(number: int, result: str = "done") -> list[dict[str, Any]]:
    """Return a turn in which two tools are called at once."""
    calls = [
        {"id": f"c{number}_{n}", "type": "function", "function": {"name": "exec", "arguments": '{"command": "ls"}'}}
        for n in range(2)
    ]
    return [
        {"role": "user", "content": f"run it, number {number}"},
        {"role": "assistant", "content": None, "tool_calls": calls},
        *({"role": "tool", "tool_call_id": call["id"], "name": "exec", "content": result} for call in calls),
        {"role": "assistant", "content": f"It ran, number {number}."},
    ]


def parted(history: Sequence[dict[str, Any]], keep_from: int) -> list[str]:
    """Return the ids of tool calls that stand on one side of a cut, and their results on the other."""
    called = {call["id"]: n for n, one in enumerate(history) for call in one.get("tool_calls") or ()}
    results = [(str(one["tool_call_id"]), n) for n, one in enumerate(history) if one["role"] == "tool"]
    return [id_ for id_, n in results if called[id_] < keep_from <= n]


def largest_request(model: ReadingModel, purpose: str) -> int:
    """Return the tokens of the largest prompt of a purpose."""
    sizes = (sum(estimate_tokens(str(one["content"])) for one in asked.messages) for asked in model.asked(purpose))
    return max(sizes, default=0)


def day_notes(memory: Path) -> str:
    """Return the text of all day notes."""
    return "\n".join(file.read_text(encoding="utf-8") for file in sorted(memory.glob("????-??-??.md")))
