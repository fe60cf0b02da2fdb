"""The text that is injected: memories grouped by file, inside a budget, full text first and snippets after."""

import re
import unicodedata
from collections.abc import Iterable, Sequence

from nanobot_memory_plugins.core.tokens import estimate_tokens
from nanobot_memory_plugins.core.values import ContextBlock, Hit, Message
from nanobot_memory_plugins.recall.options import RecallOptions

_SPACES = re.compile(r"\s+")
# Room for the fence that core puts around the block: its two markers, their nonces and line ends.
FENCE_CHARS = 150
FENCE_TOKENS = 60
# Texts shorter than this say too little to be recognised inside another text ("yes", "好的").
_SHORTEST_REPEAT = 8


def build_block(hits: Sequence[Hit], options: RecallOptions) -> ContextBlock | None:
    """Return the block for the hits, best first, or None when there is none or nothing fits.

    The best ``max_full_docs`` stand whole, the next ``max_snippets`` by snippet; one that does not fit is left out and
    the next is tried. Lines are grouped by source file, the file of the best hit first.
    """
    chars = options.inject_budget_chars - FENCE_CHARS
    tokens = options.max_context_tokens - FENCE_TOKENS
    groups: dict[str, list[str]] = {}
    used: list[str] = []
    for rank, hit in enumerate(hits[: options.max_full_docs + options.max_snippets]):
        line = render(hit, whole=rank < options.max_full_docs, options=options)
        if rank < options.max_full_docs and (len(line) > chars or estimate_tokens(line) > tokens):
            line = render(hit, whole=False, options=options)
        heading = "" if hit.path in groups else f"{hit.path}\n"
        cost_chars = len(line) + len(heading) + 1
        cost_tokens = estimate_tokens(line) + estimate_tokens(heading) + 1
        if cost_chars > chars or cost_tokens > tokens:
            continue
        chars -= cost_chars
        tokens -= cost_tokens
        groups.setdefault(hit.path, []).append(line)
        used.append(hit.id)
    if not used:
        return None
    text = "\n".join("\n".join([path, *lines]) for path, lines in groups.items())
    return ContextBlock(text=text, hit_ids=tuple(used))


def render(hit: Hit, *, whole: bool, options: RecallOptions) -> str:
    """Return one memory as a line: its date, who said it, its text or snippet, and its line in the file."""
    text = hit.text if whole else (hit.snippet or hit.text)[: options.heavy_max_snippet_chars]
    date = f"[{hit.time:%Y-%m-%d}] " if hit.time else ""
    who = hit.speaker or hit.origin.value
    return f"- {date}{who}: {_one_line(text)} (line {hit.line})"


def without_live(hits: Iterable[Hit], text: str, history: Sequence[Message]) -> list[Hit]:
    """Leave out what stands in the live context already, and what repeats another hit."""
    live = {_folded(text), *(_folded(message.text) for message in history)}
    live.discard("")
    longer = [folded for folded in live if len(folded) >= _SHORTEST_REPEAT]
    kept: list[Hit] = []
    seen: set[str] = set()
    for hit in hits:
        folded = _folded(hit.text)
        if not folded or folded in seen or folded in live:
            continue
        if len(folded) >= _SHORTEST_REPEAT and any(folded in context for context in longer):
            continue
        seen.add(folded)
        kept.append(hit)
    return kept


def _one_line(text: str) -> str:
    return _SPACES.sub(" ", text).strip()


def _folded(text: str) -> str:
    return _one_line(unicodedata.normalize("NFKC", text)).casefold()
