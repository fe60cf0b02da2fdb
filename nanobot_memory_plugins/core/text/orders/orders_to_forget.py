"""What a user's message says beside its orders to forget: what such an order names is no memory of it."""

from itertools import islice

from nanobot_memory_plugins.core.text.acts import Act, clauses_of
from nanobot_memory_plugins.core.text.authored import text_to_assistant
from nanobot_memory_plugins.core.text.clauses import fold
from nanobot_memory_plugins.core.text.languages import languages_of
from nanobot_memory_plugins.core.text.off_record import takes_back
from nanobot_memory_plugins.core.text.orders.forgetting import forgotten
from nanobot_memory_plugins.core.text.orders.further import forgotten_in
from nanobot_memory_plugins.core.text.orders.sentences import (
    OrderSentence,
    lines_of,
    lines_without_code,
    sentences_of,
    spoken_lines,
)
from nanobot_memory_plugins.core.text.sentences import sentence_spans
from nanobot_memory_plugins.core.text.words import LazyPattern

# Without one of these nothing is asked to be forgotten in English or Chinese: the rules themselves are not tried.
_CALLS = LazyPattern(
    r"\bforget\b|\bunlearn\b|\b(?:stop|don't|do not) remember|\bmemor(?:y|ies)\b|忘|[不别](?:要)?再?记|记忆"
)
_MOST_LINES = 400


def orders_forgetting(text: str) -> bool:
    """Return whether a user's message asks the assistant to forget something; what others say in it does not count."""
    if not _may_order(text):
        return False
    return any(_asks_to_forget(one) for line in lines_of(text_to_assistant(text)) for one in line.sentences)


def without_orders_to_forget(text: str) -> str:
    """Return a user's message without the sentences that only ask to forget something.

    A sentence that tells something besides ("Forget my old address, I live in Bonn now") stays.
    """
    if takes_back(text):
        return ""
    if not orders_forgetting(text):
        return text
    lines = text.split("\n", _MOST_LINES)
    for number in spoken_lines(text, lines_without_code(lines)):
        line = lines[number]
        for start, end in reversed(list(sentence_spans(line))):
            if _only_forgets(line[start:end]):
                line = f"{line[:start].rstrip()} {line[end:].lstrip()}".strip()
        lines[number] = line if any(map(str.isalnum, line)) else ""
    return "\n".join(lines).strip()


def _may_order(text: str) -> bool:
    folded = fold(text)
    return _CALLS.search(folded) is not None or bool(languages_of(folded))


def _only_forgets(text: str) -> bool:
    sentences = sentences_of(text)
    return bool(sentences) and all(
        _asks_to_forget(one) and not any(clause.act is Act.STATES for clause in islice(clauses_of(text), 1, None))
        for one in sentences
    )


def _asks_to_forget(sentence: OrderSentence) -> bool:
    return forgotten(sentence) is not None or (forgotten_in(sentence, languages_of(sentence.folded)) is not None)
