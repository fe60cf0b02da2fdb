"""Language models for tests, behind a real HTTP server on 127.0.0.1: one that follows a script, one that answers junk.

Both can be given to a stock nanobot as ``apiBase``, and to a `MemoryHost` through their ``complete``.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from nanobot_memory_plugins.core.testing.scripted_server import Reply, ReplyRule, Request, ScriptedServer

# What the prompts of the plugins can be told by.
READING_WORDS = ("You read a conversation for the long-term memory", "你为助手的长期记忆阅读一段对话")
SUMMARY_WORDS = ("Summarise this conversation in at most", "简要总结这段对话")


def is_flush(request: Request) -> bool:
    """Recognise the reading of a session, which writes the notes of the flush."""
    return any(word in request.system for word in READING_WORDS)


def is_summary(request: Request) -> bool:
    """Recognise the request for a session's summary."""
    return any(word in request.last_user for word in SUMMARY_WORDS)


def is_background(request: Request) -> bool:
    """Recognise what plugins ask for: no tools are offered with it, and no stock system prompt."""
    return not request.tool_names and "nanobot" not in request.system


_WORDS = (
    "lorem ipsum dolor sit amet consectetur zebra quantum marmalade obelisk teapot flamingo trombone galaxy pickle"
    " 量子 火锅 企鹅 彩虹 望远镜 石榴 %%% ### ]]} {{[ <|im_end|> \u202e \ufffd null NaN 0x00"
)
_REFUSALS = (
    "I'm sorry, but I can't assist with that request.",
    "As an AI language model, I cannot store memories.",
    "抱歉，我无法完成这个请求。",
    "I cannot help with that.",
)
_HALF_JSON = (
    '[{"type": "decision", "tldr": "The zebra marmalade obelisk',
    '{"entries": [{"type": "note", "tldr": ',
    '[{"tldr": 12}, {"tldr": null}, [[[[',
    '```json\n[{"type": "config", "tags": ["flamingo"], "tldr": "teapot galaxy"',
    "[" * 2_000,
    '{"a":' * 500,
)


@dataclass(slots=True)
class Junk:
    """Makes junk answers, the same ones for the same seed. ``delay`` is in seconds, for those that come late."""

    seed: int = 0
    delay: float = 30.0
    kinds: Sequence[str] = ("text", "half_json", "refusal", "empty", "late", "429", "500", "cut", "no_json")
    made: list[str] = field(default_factory=list)
    _random: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    def reply(self, _request: Request) -> Reply:
        """Return the next junk answer."""
        kind = self._random.choice(list(self.kinds))
        self.made.append(kind)
        match kind:
            case "half_json":
                return Reply(self._random.choice(_HALF_JSON))
            case "refusal":
                return Reply(self._random.choice(_REFUSALS))
            case "empty":
                return Reply(self._random.choice(["", " ", "\n\n"]))
            case "late":
                return Reply(self._text(), delay=self.delay)
            case "429" | "500":
                return Reply(status=int(kind))
            case "cut":
                return Reply(cut=True)
            case "no_json":
                return Reply(junk=b"<html>502 Bad Gateway</html>")
            case _:
                return Reply(self._text())

    def _text(self) -> str:
        words = _WORDS.split(" ")
        return " ".join(self._random.choice(words) for _ in range(self._random.randrange(1, 60)))


def junk_server(junk: Junk, *, when: Callable[[Request], bool] = lambda request: True) -> ScriptedServer:
    """Return a server that answers junk to the requests for which ``when`` is true, and sense to the others."""
    return ScriptedServer([ReplyRule(when, junk.reply)])
