"""Orders in what a user writes: remember this, forget that. Plain rules; what is not plain is no order.

A sentence is an order when it begins with the verb, after words of politeness at most. Questions ("do you remember"),
stories ("I forgot my keys") and tasks ("don't forget to add tests") are none.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from itertools import takewhile

from nanobot_memory_plugins.consolidation.commands import chinese, english
from nanobot_memory_plugins.core.text import LazyPattern, fold, languages_of, takes_back, text_to_assistant
from nanobot_memory_plugins.core.text.orders import (
    Line,
    OrderSentence,
    Target,
    forgotten,
    forgotten_first,
    forgotten_in,
    is_about_work,
    lines_of,
    plain,
    remembered_in,
    turns_to_another_task,
)

# Orders that are taken from one message.
_MOST = 3
# More characters below a heading are a text, and no list.
_LONGEST_LIST = 600
# Words, or Chinese characters, from which a sentence may be a statement and no greeting.
_WORDS, _CHARACTERS = 3, 4

# What is no single thing: emptying a memory takes more than a sentence.
_TOO_MUCH = (
    "我",
    "我的一切",
    "一切",
    "所有",
    "所有的",
    "全部",
    "me",
    "everything",
    "everything about me",
    "all",
    "you",
)


# Beside a request this is about the work: "Write a parser. Remember that the input may be empty."
_CONSTRAINT = LazyPattern(
    r"^(?!.*\b(?:i|i'm|im|i've|my|we|we're|our|me|us)\b).*\b(?:may|might|must|should|can|cannot|can't|could"
    r"|shouldn't|mustn't|needs? to|has to|have to"
    r"|returns?|required?|optional|null|none|empty|sorted|zero-indexed|immutable|deprecated)\b"
)


# What only says that a list follows.
_HEADING = LazyPattern(
    r"\b(?:this|these|those|the|the following|following)(?: (?:following|next|few|two|three|four|five|six|\d+))*"
    r" (?:lists?|things|points|rules|items|facts|notes|details|preferences|instructions|entries|bullets|lines)\b"
    r"|(?P<zh>(?:(?:这|以下|下面|下列|如下)的?)?[几两一二三四五六七八九十\d]*[个点件条份张项些]?(?:的)?"
    r"(?:(?<=[点条项])|事情?|清单|列表|名单|规则|事项|内容|要点|信息|东西|规矩|注意事项))",
    re.IGNORECASE,
)


# The verb, as a word of keeping: "pin this", and neither "my PIN" nor "put a pin in it".
_PINS = LazyPattern(r"(?<!\ba )(?<!\bmy )(?<!\bthe )(?<!\bthis )(?<!\bthat )(?<!\byour )\bpin\b(?! (?:number|code)\b)")


class OrderKind(StrEnum):
    """What is asked for."""

    REMEMBER = "remember"
    FORGET = "forget"


@dataclass(frozen=True, slots=True)
class Command:
    """One order. An empty ``text`` means what was said before; ``everything``, that all that names it is meant.

    ``pinned``: it is to be kept where it is always seen. ``else_``: what is meant where nothing is of all of it.
    """

    kind: OrderKind
    text: str = ""
    everything: bool = False
    pinned: bool = False
    else_: "Command | None" = None


def commands_in(message: str) -> list[Command]:
    """Return the orders in a message, each once, in their order.

    Code, quotations and the middle of long texts are passed over: they are not said to the assistant.
    """
    found: dict[Command, None] = {}
    said: list[str] = []
    lines = list(lines_of(message))
    for number, line in enumerate(lines):
        below = lines[number + 1].sentences if number + 1 < len(lines) else []
        for order in _orders_of(line, said, below):
            found.setdefault(order)
    orders = [one for one in found if not (one.kind is OrderKind.REMEMBER and _is_constraint(one.text))]
    if len(orders) < len(found) and not any(_turns_to_work(one) for line in lines for one in line.sentences):
        orders = list(found)
    if not found and takes_back(message):
        return [Command(OrderKind.FORGET)]
    return orders[:_MOST]


@lru_cache(maxsize=128)
def users_orders(text: str) -> tuple[Command, ...]:
    """Return the orders in a user's message, without those inside somebody else's text ("Here is the page:")."""
    return tuple(commands_in(text_to_assistant(text)))


def _is_constraint(text: str) -> bool:
    return _CONSTRAINT.search(fold(text)) is not None or is_about_work(text)


def _orders_of(line: Line, said: list[str], below: Sequence[OrderSentence]) -> Iterator[Command]:
    """Yield the orders of a line.

    ``said`` are the statements above, which "this" may mean; those of the line are added. ``below`` is the next line.
    """
    sentences, number = line.sentences, 0
    while number < len(sentences):
        sentence = sentences[number]
        number += 1
        found = _read(sentence, is_said=bool(said))
        is_listed = number == len(sentences) and 0 < len(line.below) <= _LONGEST_LIST
        if is_listed and (listed := _with_list(sentence, found, line.below)) is not None:
            yield listed
            continue
        if found is None:
            if not sentence.asks and not _turns_away(sentence) and _is_statement(sentence.text):
                said.append(f"{sentence.text}{sentence.mark}")
            continue
        order, meant = found
        if meant.goes_on:
            # What stands behind a colon may be several sentences: up to a question or another request.
            parts = [f"{order.text}{sentence.mark}"] if order.text else []
            while number < len(sentences) and not _turns_away(sentences[number]):
                parts.append(f"{sentences[number].text}{sentences[number].mark}")
                number += 1
            order = replace(order, text=plain(" ".join(parts)) or plain(line.below))
        elif meant.ahead and not said:
            order = replace(order, text=_what_follows(sentences[number:] or below))
        if order.text or said or not meant.here:
            yield order if order.text else replace(order, text=plain(" ".join(said[-_MOST:])))


def _with_list(sentence: OrderSentence, found: tuple[Command, Target] | None, below: str) -> Command | None:
    """Return the order to remember the list below a sentence: "remember my sizes:", 记住以下几点：."""
    if found is None:
        text = _HEADING.compiled.sub(lambda one: "这个" if one["zh"] else "this", sentence.text, count=1)
        found = None if text == sentence.text else _read(replace(sentence, text=text, folded=fold(text), orders={}))
        return Command(OrderKind.REMEMBER, plain(below)) if found and found[0].kind is OrderKind.REMEMBER else None
    order, _ = found
    if order.kind is not OrderKind.REMEMBER or not order.text:
        return replace(order, text=plain(below)) if order.kind is OrderKind.REMEMBER else None
    if _HEADING.fullmatch(order.text):
        return replace(order, text=plain(below))
    if not sentence.folded.rstrip().endswith(":"):
        return None
    return replace(order, text=f"{order.text}{'：' if chinese.is_chinese(order.text) else ': '}{plain(below)}")


def _turns_to_work(sentence: OrderSentence) -> bool:
    return _read(sentence) is None and (sentence.asks or _turns_away(sentence) or sentence.requests)


def _what_follows(sentences: Sequence[OrderSentence]) -> str:
    """Return the statements with which sentences begin: those behind "Write this down, would you?"."""
    parts = list(takewhile(lambda one: not _turns_away(one) and _is_statement(one.text), sentences))
    return plain(" ".join(f"{one.text}{one.mark}" for one in parts[:_MOST]))


def _read(sentence: OrderSentence, *, is_said: bool = False) -> tuple[Command, Target] | None:
    if is_said not in sentence.orders:
        sentence.orders[is_said] = _order_in(sentence, is_said=is_said)
    found: tuple[Command, Target] | None = sentence.orders[is_said]
    return found


def _order_in(sentence: OrderSentence, *, is_said: bool) -> tuple[Command, Target] | None:
    meant = chinese.remembered(sentence, is_said=is_said) or english.remembered(sentence, is_said=is_said)
    if meant is not None:
        before = sentence.folded.partition(fold(meant.text))[0] if meant.text else sentence.folded
        return Command(OrderKind.REMEMBER, meant.text, pinned=_PINS.search(before) is not None), meant
    if meant is None and (spoken := languages_of(sentence.folded)):
        if (told := remembered_in(sentence, spoken)) is not None:
            return Command(OrderKind.REMEMBER, told.text), told
        if (told := forgotten_in(sentence, spoken)) is not None:
            return Command(OrderKind.FORGET, told.text), told
    meant = forgotten(sentence)
    if meant is None or meant.text.casefold() in _TOO_MUCH:
        return None
    first = forgotten_first(sentence)
    other = Command(OrderKind.FORGET, first.text, first.everything) if first and first.text != meant.text else None
    return Command(OrderKind.FORGET, meant.text, meant.everything, else_=other), meant


def _turns_away(sentence: OrderSentence) -> bool:
    if sentence.asks or chinese.is_request(sentence) or english.is_request(sentence):
        return True
    return _read(sentence) is not None or turns_to_another_task(sentence)


def _is_statement(text: str) -> bool:
    """Return whether a text says anything: a greeting or a yes does not."""
    return (
        len(text.split()) >= _WORDS
        or re.match(r"i'?m \w", fold(text)) is not None
        or len(text) - sum(map(str.isascii, text)) >= _CHARACTERS
    )
