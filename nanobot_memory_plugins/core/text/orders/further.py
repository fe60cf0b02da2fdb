"""What a sentence of a further language asks to keep or to forget, by the rules of its file (`core.text.languages`)."""

from collections.abc import Iterable, Sequence

from nanobot_memory_plugins.core.text.clauses import fold
from nanobot_memory_plugins.core.text.languages import LanguageRules, OrderRule, languages_of
from nanobot_memory_plugins.core.text.orders.sentences import OrderSentence, plain
from nanobot_memory_plugins.core.text.orders.target import Target, part

# A longer sentence is data.
_LONGEST = 1_000


def remembered_in(sentence: OrderSentence, languages: Sequence[LanguageRules]) -> Target | None:
    """Return what a sentence asks to remember in one of some languages, or None."""
    return _first(sentence, ((one, one.remember) for one in languages))


def forgotten_in(sentence: OrderSentence, languages: Sequence[LanguageRules]) -> Target | None:
    """Return what a sentence asks to forget in one of some languages, or None."""
    return _first(sentence, ((one, one.forget) for one in languages))


def turns_to_another_task(sentence: OrderSentence) -> bool:
    """Return whether a sentence turns to something else."""
    return any(one.begins_something_else.match(sentence.folded) for one in languages_of(sentence.folded))


def is_about_work(text: str) -> bool:
    """Return whether what is to be remembered is, beside a request, about the work that is asked for."""
    folded = fold(text)
    return any(one.is_about_work.fullmatch(folded) for one in languages_of(folded))


def _first(sentence: OrderSentence, rules: Iterable[tuple[LanguageRules, Sequence[OrderRule]]]) -> Target | None:
    if len(sentence.folded) > _LONGEST:
        return None
    has_mark = "?" in sentence.mark or "？" in sentence.mark
    for language, orders in rules:
        for order in orders:
            found = None if has_mark and not order.may_ask else order.pattern.fullmatch(sentence.folded)
            if found is None:
                continue
            groups = found.groupdict()
            goes_on = groups.get("colon") is not None
            if not plain(groups.get("what") or ""):
                return Target("", goes_on=goes_on)
            start, end = found.span("what")
            if language.is_no_order.fullmatch(sentence.folded[start:end].strip()):
                return None
            return Target(part(sentence, start, end), goes_on=goes_on)
    return None
