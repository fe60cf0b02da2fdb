"""The cost of compaction without the model, compared to a JSON dump and load of the same history.

The histories fill their window, as in real compactions, with questions, answers with code, and tool calls with their
results, in English and in Chinese. The fewer messages, the longer is each. The model answers at once.
"""

import asyncio
import json
import random
import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from benchmarks.measure import median_seconds, quiet, report
from nanobot_memory_plugins.compaction.options import CompactionOptions
from nanobot_memory_plugins.compaction.plugin import CompactionPlugin
from nanobot_memory_plugins.core.clock import SystemClock
from nanobot_memory_plugins.core.redaction import redact_text
from nanobot_memory_plugins.core.testing import plugin_context
from nanobot_memory_plugins.core.text.conversation import message_tokens
from nanobot_memory_plugins.core.values.conversation import messages_from_chat

SIZES = (100, 1_000, 10_000)
LIMIT = 5.0
WINDOW = 200_000

_TOPICS = (
    "the billing service",
    "the search index",
    "the release notes",
    "the staging cluster",
    "the login page",
    "the nightly export",
)
_ENGLISH = (
    "Could you look at {topic}? It has answered with {number} errors since Tuesday.",
    "I think we should go with PostgreSQL {number} for {topic}, the old one is too slow under load.",
    "Don't forget that Anna Berg wants {topic} finished by June {day}.",
    "The configuration is in /etc/app/{word}.toml, port {number}.",
    "It depends on how many people use it at the same time, and on what they do with it afterwards.",
    "That is fine with me, please go on and tell me when it is done.",
)
_CHINESE = (
    "帮我看一下{topic}，从周二开始已经报了{number}次错。",
    "我们决定采用新的方案，端口改成{number}，旧的在高负载下太慢了。",
    "记得周五之前告诉张伟，预算不超过{number}元。",
    "这取决于同时有多少人在用，以及他们之后要做什么。",
)
_CODE = (
    "def load(path: str) -> dict[str, int]:\n    with open(path) as file:\n        return json.load(file)[{number}]\n"
)


def history(count: int, seed: int = 7) -> list[dict[str, Any]]:
    """Return ``count`` chat messages that fill most of 200,000 tokens; 10,000 messages fill 2,000,000."""
    dice = random.Random(seed)
    scale = max(1, 1_000 // count)

    def say(templates: Sequence[str], sentences: int) -> str:
        return " ".join(
            dice.choice(templates).format(
                topic=dice.choice(_TOPICS),
                number=dice.randint(2, 9_999),
                day=dice.randint(1, 28),
                word=f"unit{dice.randint(1, 99)}",
            )
            for _ in range(sentences)
        )

    messages: list[dict[str, Any]] = []
    while len(messages) < count:
        templates = _CHINESE if dice.random() < 0.3 else _ENGLISH
        call = f"call_{len(messages)}"
        messages.append({"role": "user", "content": say(templates, dice.randint(1, 5))})
        messages.append(
            {
                "role": "assistant",
                "content": say(templates, 1),
                "tool_calls": [
                    {
                        "id": call,
                        "type": "function",
                        "function": {"name": "exec", "arguments": '{"command": "make test"}'},
                    }
                ],
            }
        )
        output = "".join(
            f"tests/test_{dice.randint(1, 99)}.py::test_{n} PASSED [{n}%]\n" for n in range(scale * dice.randint(5, 90))
        )
        messages.append({"role": "tool", "tool_call_id": call, "name": "exec", "content": output})
        messages.append(
            {
                "role": "assistant",
                "content": say(templates, scale * dice.randint(3, 10))
                + "\n\n"
                + _CODE.format(number=dice.randint(1, 99)),
            }
        )
    return messages[:count]


async def _notes(messages: Sequence[Any], *, max_tokens: int, purpose: str) -> str:
    return (
        "- Decision: PostgreSQL for the billing service and the search index\n"
        "- TODO: Anna Berg wants the release notes finished by June\n"
        "- Open question: how many people use the login page at the same time\n"
    )


def _unchanged(text: str) -> str:
    return text


def _compaction(model: Any, redact: Callable[[str], str]) -> Callable[[list[dict[str, Any]]], Awaitable[object]]:
    context = plugin_context(
        CompactionOptions(), plugin_name="compaction", clock=SystemClock(), complete=model, redact=redact
    )

    async def run(chat: list[dict[str, Any]]) -> object:
        messages = messages_from_chat(chat)
        return await CompactionPlugin().before_compaction(messages, WINDOW, WINDOW, "token_pressure", context)

    return run


async def _median(call: Callable[[], Awaitable[object]], repetitions: int = 15) -> float:
    """Return the median seconds of a call, after one call as a warm-up."""
    await call()
    taken = []
    for _ in range(repetitions):
        started = time.perf_counter()
        await call()
        taken.append(time.perf_counter() - started)
    return statistics.median(taken)


async def _measure() -> None:
    for count in SIZES:
        chat = history(count)
        bare = median_seconds(lambda chat=chat: json.loads(json.dumps(chat)), repetitions=15)
        report(f"{count} messages: tokens", sum(map(message_tokens, messages_from_chat(chat))), "")
        report(f"{count} messages: JSON dump and load", bare * 1e3, "ms")
        for what, model in (("with a model", _notes), ("by rules", None)):
            hiding, plain = _compaction(model, redact_text), _compaction(model, _unchanged)
            whole = await _median(lambda run=hiding, chat=chat: run(chat))
            own = await _median(lambda run=plain, chat=chat: run(chat))
            report(f"{count} messages, {what}", whole * 1e3, "ms")
            report(f"{count} messages, {what}, without hiding secrets", own * 1e3, "ms")
            report(f"{count} messages, {what}: that to the dump and load", own / bare, "times", limit=LIMIT)


def main() -> None:
    """Measure and print."""
    with quiet():
        asyncio.run(_measure())


if __name__ == "__main__":
    main()
