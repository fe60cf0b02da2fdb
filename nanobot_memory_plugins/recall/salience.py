"""Salience: whether a hit is a memory by itself.

Acknowledgements, answers that know nothing, bare questions, empty templates and texts that somebody asked the assistant
to invent stay in their files, and are not recalled.
"""

import re
from collections.abc import Iterable, Sequence

from nanobot_memory_plugins.core import Hit, Origin, Sentence
from nanobot_memory_plugins.core.text import Act, Word, Words, fold, is_acknowledgement, reading_of
from nanobot_memory_plugins.recall.options import RecallOptions
from nanobot_memory_plugins.recall.routing import is_small_talk, is_unsure
from nanobot_memory_plugins.recall.trace import Reason, RecallTrace

# An answer that knows nothing is short; a longer one goes on to say something.
_LONGEST_NON_ANSWER = 240
# What of a text is read.
_LOOKED_THROUGH = 600
_LONGEST_ACKNOWLEDGEMENT = 120

INVENTIONS = Words(
    (
        Word(
            r"\b(?:write(?! down| up)|compose|invent|make up|tell me|give me|create|draft|continue)\b[^.!?]{0,60}"
            r"\b(?:story|stories|poem|haiku|limerick|novel|tale|fairy ?tale|song|lyrics|sonnet|screenplay|fan ?fiction"
            r"|scene|dialogue|monologue|role-?play|sample data|dummy data|test data|fictional|made-up|joke)\b",
            "write the beginning of a story",
            "write down the story of my knee injury date",
        ),
        Word(
            "(?:写|编|作|来|讲|创作|续写)[^,。!?]{0,24}(?:故事|诗|小说|剧本|童话|歌词|对联|段子|笑话|台词|相声|独白|示例数据|测试数据|假数据)",
            "写一首关于秋天的诗",
            "我喜欢看小说",
        ),
    )
)
"""A request to invent something: what stands in it, and in its answer, is nobody's life."""
_PLACEHOLDER_LINE = re.compile(r"\s*(?:#{1,6}\s.*|\([^()]*\)|（[^（）]*）|-{3,}|\*[^*]+\*|_[^_]+_|<!--.*-->)?\s*")


def salient(hits: Sequence[Hit], options: RecallOptions, watch: RecallTrace | None = None) -> list[Hit]:
    """Return the hits that are memories by themselves."""
    invented = {(hit.path, hit.line) for hit in hits if hit.origin is Origin.USER and _asks_to_invent(hit.text)}
    kept = []
    for hit in hits:
        why = _emptiness(hit, invented, options)
        if not why:
            kept.append(hit)
        elif watch is not None:
            watch.cut([hit], Reason.SAYS_NOTHING, why)
    return kept


def _emptiness(hit: Hit, invented: Iterable[tuple[str, int]], options: RecallOptions) -> str:
    """Return why a hit is no memory, or nothing."""
    text = hit.text
    if hit.source == "long_term":
        return Sentence("an empty template") if _is_template(text) else ""
    if hit.source != "transcript":
        return ""
    if (hit.path, hit.line) in invented or (hit.path, hit.line - 1) in invented:
        return Sentence("an invention that was asked for")
    if len(text) <= _LONGEST_ACKNOWLEDGEMENT and (
        is_small_talk(text, options) or (hit.origin is Origin.ASSISTANT and is_acknowledgement(text))
    ):
        return Sentence("an acknowledgement")
    if hit.origin is Origin.ASSISTANT and len(text) <= _LONGEST_NON_ANSWER and is_unsure(text, options):
        return Sentence("an answer that knows nothing")
    if hit.origin in (Origin.USER, Origin.ASSISTANT) and _only_asks(text):
        return Sentence("a question and nothing else")
    return ""


def _is_template(text: str) -> bool:
    """Say whether a part of a file holds headings, rules and placeholders in brackets alone."""
    return all(_PLACEHOLDER_LINE.fullmatch(line) for line in text.splitlines())


def _asks_to_invent(text: str) -> bool:
    return INVENTIONS.search(fold(text[:_LOOKED_THROUGH])) is not None


def _only_asks(text: str) -> bool:
    """Say whether a text asks or supposes, and tells nothing."""
    if len(text) > _LOOKED_THROUGH:
        return False
    acts = {clause.act for clause in reading_of(text).clauses}
    return Act.ASKS in acts and acts <= {Act.ASKS, Act.SUPPOSES}
