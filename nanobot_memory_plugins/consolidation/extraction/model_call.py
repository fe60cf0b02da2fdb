"""Asking the model for candidates: once, and for a long conversation once before, to make it short."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date

from nanobot_memory_plugins.consolidation.extraction.answer import Answer, AnswerOutcome, read_answer
from nanobot_memory_plugins.consolidation.extraction.prompt import (
    MOST_TOKENS,
    size_of,
    written_out,
)
from nanobot_memory_plugins.consolidation.extraction.statements import statements
from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.consolidation.templates import EXTRACTION_SHORTENING
from nanobot_memory_plugins.core import (
    Complete,
    Language,
    LanguageModelError,
    Message,
    Prompts,
    logger,
    run_in_daemon_thread,
    truncate_to_tokens,
)
from nanobot_memory_plugins.core.text import Evidence, dominant_language, is_refusal, without_thoughts

PURPOSE = "extraction"
# Some sixteen entries; a small model repeats itself to the end of whatever it is given.
_ANSWER_TOKENS = 800
# Tokens that the model is shown of a long conversation when it makes it short, of its answer, and of the newest
# messages that go beside that answer.
_SHOWN_TOKENS, _SHORT_TOKENS, _NEWEST_TOKENS = 12_000, 1_500, 2_000
# Of the assistant's messages, in a long conversation.
_ANSWER_EXCERPT = 200  # characters
# The share of a shortened conversation's terms that must stand in the long one.
_GROUNDED_SHARE = 0.3
_LINES = re.compile(r"\n+")


# What is asked to see that the model is there.
_READY, _READY_TOKENS = "Answer with one word: ready", 20


class UnansweredError(LanguageModelError):
    """The model refused, told a story, thought until its tokens were used up, or was cut off."""


@dataclass(frozen=True, slots=True)
class Question:
    """What the model is asked about: messages without secrets, entries that it may name, the day of the last one.

    ``checked`` are the entries that the messages speak of: it shall say what is true of them now. ``asked`` says how
    often it was asked about some of the messages in vain, ``last`` that it will not be again.
    """

    messages: Sequence[Message]
    entries: Sequence[Entry]
    day: date
    background: bool = False
    checked: Sequence[Entry] = ()
    asked: int = 0
    last: bool = False


Prompt = Callable[[Prompts, Question, str, Language], list[dict[str, str]]]
"""Makes the chat messages of a question, given the conversation as it is shown."""


async def ask(
    question: Question,
    complete: Complete,
    prompts: Prompts,
    prompt: Prompt,
    *,
    tokens: int = _ANSWER_TOKENS,
    by_day: bool = False,
) -> Answer:
    """Return what the model holds worth remembering; ``by_day`` shows it on which day each message was said.

    Whoever was asked in vain has as many ``tokens`` more each time. Raises `UnansweredError` for what is no answer, and
    for one that is cut off unless it is the last; or another `LanguageModelError`.
    """
    language = dominant_language(question.messages)
    conversation = await _conversation(question, language, complete, prompts, by_day=by_day)
    messages = await run_in_daemon_thread(lambda: prompt(prompts, question, conversation, language))
    text = await complete(messages, max_tokens=tokens * (1 + question.asked), purpose=PURPOSE)
    answer = await run_in_daemon_thread(lambda: read_answer(text))
    if answer.kind is AnswerOutcome.NONE or (answer.kind is AnswerOutcome.CUT and not question.last):
        raise UnansweredError("The model has not answered the question.")
    return answer


async def is_model_answering(complete: Complete) -> bool:
    """Return whether the model answers a short question now."""
    try:
        await complete([{"role": "user", "content": _READY}], max_tokens=_READY_TOKENS, purpose=f"{PURPOSE}:ready")
    except LanguageModelError:
        return False
    return True


async def _conversation(
    question: Question, language: Language, complete: Complete, prompts: Prompts, *, by_day: bool
) -> str:
    """Return the conversation, written out within its tokens.

    One that is too long is first reduced to what its speakers state, with the beginnings of the answers; where that is
    still too long, the model writes down what was stated, and the newest messages follow.
    """
    messages = question.messages
    today = question.day if by_day else None

    def write(messages: Sequence[Message], tokens: int = MOST_TOKENS) -> str:
        return written_out(messages, language, today, tokens=tokens)

    if size_of(messages) <= MOST_TOKENS:
        return await run_in_daemon_thread(lambda: write(messages))
    reduced = await run_in_daemon_thread(lambda: _reduced(messages))
    if size_of(reduced) <= MOST_TOKENS:
        return await run_in_daemon_thread(lambda: write(reduced))
    shown = await run_in_daemon_thread(lambda: write(reduced, _SHOWN_TOKENS))
    shortening = await run_in_daemon_thread(
        lambda: prompts.rendered(EXTRACTION_SHORTENING, language, {"conversation": shown})
    )
    try:
        answer = await complete(shortening, max_tokens=_SHORT_TOKENS, purpose=f"{PURPOSE}:shortening")
    except LanguageModelError as error:
        logger.debug("a long conversation is cut, not made short: {}", type(error).__name__)
        return await run_in_daemon_thread(lambda: write(reduced))

    def joined() -> str:
        short = truncate_to_tokens(_LINES.sub("\n", without_thoughts(answer)).strip(), _SHORT_TOKENS)
        if is_refusal(short) or Evidence(message.text for message in reduced).share(short) < _GROUNDED_SHARE:
            return write(reduced)
        first = written_out([Message(role="user", text=short)], language)
        return f"{first}\n{write(reduced, _NEWEST_TOKENS)}"

    return await run_in_daemon_thread(joined)


def _reduced(messages: Sequence[Message]) -> list[Message]:
    """Return what users state, and the beginnings of the assistant's answers."""
    stated: dict[int, list[str]] = {}
    for one in statements(messages):
        stated.setdefault(one.turn, []).append(one.text)
    reduced = []
    for turn, message in enumerate(messages):
        if message.role == "user":
            if turn in stated:
                reduced.append(replace(message, text=" ".join(stated[turn])))
        elif message.text.strip():
            reduced.append(replace(message, text=message.text[:_ANSWER_EXCERPT]))
    return reduced
