"""What prompts to the model are made of: known entries, and conversations written out."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from math import log

from nanobot_memory_plugins.consolidation.model.entry import Entry, Section
from nanobot_memory_plugins.consolidation.model.normalised import wording
from nanobot_memory_plugins.core import Language, Message, estimate_tokens, neutralise, truncate_to_tokens
from nanobot_memory_plugins.core.text import render

# Known entries that are shown, and tokens of one.
MOST_KNOWN = 50
_KNOWN_TOKENS = 60
# Characters of the conversation that are compared with them, and in one piece.
_LOOKED_AT, _PIECE = 100_000, 2_000
# Tokens of the conversation that are shown; a longer one is shortened first.
MOST_TOKENS = 8_000

_NAMES: dict[Language, dict[str, str]] = {
    "en": {"user": "user", "assistant": "assistant"},
    "zh": {"user": "用户", "assistant": "助手"},
}
KNOWN: dict[Language, str] = {
    "en": "Known already, as [id] text:\n{entries}\n\n",
    "zh": "已知信息（[id] 内容）：\n{entries}\n\n",
}
"""The heading of the known entries."""


def known_entries(entries: Iterable[Entry], conversation: str, *, most: int = MOST_KNOWN) -> list[Entry]:
    """Return the active entries that are shown, best first: of too many those that the conversation touches."""
    current = [entry for entry in entries if entry.section is Section.ACTIVE and not entry.superseded_by]
    if len(current) > most:
        touched = _touched(current, conversation)
        current.sort(key=lambda entry: (-touched[entry.id], -entry.score, entry.id))
    return sorted(current[:most], key=lambda entry: (-entry.score, entry.id))


def _touched(entries: Sequence[Entry], conversation: str) -> dict[str, float]:
    """Return for each entry the share of it that the conversation speaks of; what few entries say counts more."""
    said: set[str] = set()
    for start in range(0, min(len(conversation), _LOOKED_AT), _PIECE):
        said |= wording(conversation[start : start + _PIECE]).terms.keys()
    terms = {entry.id: wording(entry.content).terms for entry in entries}
    holders = Counter(term for own in terms.values() for term in own)

    def weight(own: Mapping[str, float], chosen: Iterable[str]) -> float:
        return sum(own[term] * log(1 + len(entries) / holders[term]) for term in chosen)

    return {id_: weight(own, own.keys() & said) / (weight(own, own) or 1.0) for id_, own in terms.items()}


def listed(heading: str, entries: Iterable[Entry]) -> str:
    """Return entries under their heading, a line each, or nothing when there are none."""
    lines = [f"[{entry.id}] {truncate_to_tokens(' '.join(entry.content.split()), _KNOWN_TOKENS)}" for entry in entries]
    return heading.replace("{entries}", neutralise("\n".join(lines))) if lines else ""


def written_out(
    messages: Sequence[Message], language: Language, today: date | None = None, *, tokens: int = MOST_TOKENS
) -> str:
    """Return a conversation a line a message, within ``tokens``: long messages are cut, then the oldest left out.

    With ``today`` the day stands above the messages of each where there are several; what has no time was said then.
    """
    days = language if today else None
    return neutralise(render(messages, tokens=tokens, names=_NAMES[language], days=days, today=today))


def size_of(messages: Iterable[Message]) -> int:
    """Return the estimated tokens of a conversation, written out."""
    return sum(estimate_tokens(message.text) + 3 for message in messages)
