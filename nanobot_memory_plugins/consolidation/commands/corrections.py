"""Corrections in plain messages: "No, the anniversary is 4 June", 会议改到周四了. Which entry they change, to what.

A message corrects an entry when it says so ("no", "actually", "not X but Y", 其实, 改成) and speaks of the same slot:
what it names beside the new value stands in the entry, and what the entry has beside it is the old value. Or it names
the old value as left behind, and goes on with what there is now. What asks, reports, supposes, tells of others, adds
something or holds for once only corrects nothing.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from nanobot_memory_plugins.consolidation.commands.correction_words import (
    CHANGES,
    COPULA,
    CUES,
    ENDS,
    HOME,
    LEAD,
    NOT_OLD,
    NOT_SO,
    NOW,
    ONE_AT_A_TIME,
    PAIRS,
    QUIET,
    QUIET_ZH,
    VERBS,
)
from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.consolidation.model.normalised import wording
from nanobot_memory_plugins.core.text import (
    ANOTHER_IN,
    RELATION_ZH,
    Act,
    LazyPattern,
    Reading,
    ReadSentence,
    fold,
    phrases_of,
)

# A longer message is a text that somebody works on; and the longest sentence that corrects something.
_LONGEST, _LONGEST_SENTENCE = 600, 200
# The weight of words that may be new beside a value: a predicate; of a value in words; beside a value that has changed.
_CHATTER, _VALUE = 0.35, 3.0
_MOST_TOLD = 4.0
_LEAST_SLOT = 0.9
# The share of an entry's words, without its numbers, that gives it another number.
_LEAST_SHARE = 0.5

_TEMPORAL = re.compile(r"^(?:wday|month)")
_OF_I = LazyPattern(r"\b(?:i|i'm|i've|my|mine|we|our|us|me)\b|我|咱")
# Holds the letters of a verb, and is none.
_NOWADAYS = LazyPattern("现在")
_THIRD = LazyPattern(r"\b(?:he|she|his|her|him|their)\b|[他她]")
_PRONOUN = LazyPattern(r"\b(?:he|she|his|her|they|their|it|its|that|this)\b|[他她它这那]")
# Whose a thing is: "Ana's anniversary", "No, Ana's is 4 June", 安娜的生日.
_OWNED = LazyPattern(
    r"\b(?!(?:it|that|this|he|she|there|here|what|who|where|let)\b)(\w+)'s (\w+)"
    r"|([\u3400-\u9fff]{1,2}[^我们咱俺家在新前这那\W])的([\u3400-\u9fff]{2})"
)
# Whom and what one speaks of as one's own: who leaves a firm need not name it.
_ONES_OWN = frozenset(
    "team manager car flat house company doctor teacher landlord boss dog cat pet 老板 狗 猫".split()  # noqa: SIM905
)
# "We can spend 2,500 pounds, not 1,800": one number, and the one that it replaces.
_NUMBER_ZH = r"(?:\d(?:[\d.,]*\d)?[百千万亿]?|[一二三四五六七八九十百千万亿两点]+)"
_NUMBERS = (
    LazyPattern(
        r"(?<![\w.,])(?P<new>\d(?:[\d.,:]*\d)?)(?: [a-z]+){0,5},? "
        r"(?:and not|not|instead of|rather than) (?P<old>\d(?:[\d.,:]*\d)?)(?![\w%])(?: [a-z]+)?"
    ),
    LazyPattern(rf"(?P<new>{_NUMBER_ZH})[^,.;。\d]{{0,5}}[,、 ]*而?不是(?P<old>{_NUMBER_ZH})[^\W\d]?"),
)
# What stands around a new value and is no part of it: "spelled Ana", "John with an h", "on Thursday with Bob".
_BESIDE_A_NAME = re.compile(r"^(?:(?:spel(?:led|t)|written|pronounced|as|on|at|in|to) )+| with [\w' ]+$", re.IGNORECASE)
_EDGES = " ,，.。!！;；"
_ENDINGS = " 了的呢啊哦"


@dataclass(frozen=True, slots=True)
class Correction:
    """An entry that holds no more, and what holds in its place, in the user's words."""

    entry: Entry
    content: str


def may_correct(reading: Reading) -> bool:
    """Return whether a message has a word with which something is corrected: cheap, where the entries are not."""
    folded = fold(reading.authored)
    return len(reading.text) <= _LONGEST and (_announces(folded) or ENDS.search(folded) is not None)


def corrections_in(reading: Reading, entries: Iterable[Entry]) -> list[Correction]:
    """Return what a message corrects: one entry a sentence at most, and none where several may be meant."""
    if not may_correct(reading):
        return []
    known = [one for one in entries if not one.superseded_by]
    found: dict[str, Correction] = {}
    announced = False
    for sentence in reading.sentences:
        folded = fold(sentence.text)
        has_cue = _announces(folded)
        if (has_cue or announced) and _may_correct(sentence, folded):
            same = [one for one in known if _same_people(sentence.text, one.content)]
            told = (_corrected(text, same) for text in dict.fromkeys((sentence.text, *phrases_of(sentence.text))))
            correction = next((one for one in told if one is not None), None)
            if correction is not None:
                found.setdefault(correction.entry.id, correction)
        announced = has_cue
    if not found and (ended := _left_behind(reading, known)) is not None:
        found[ended.entry.id] = ended
    return list(found.values())


def says_all_of(text: str, content: str) -> bool:
    """Return whether an entry says all that a text states, but for the value that the text denies."""
    own, held = wording(_stated(text)), wording(content)
    return sum(w for term, w in own.terms.items() if term not in held.terms and not _is_quiet(term)) <= _CHATTER


def _announces(folded: str) -> bool:
    return CUES.search(folded) is not None or CHANGES.search(folded) is not None


def _left_behind(reading: Reading, known: list[Entry]) -> Correction | None:
    """Read "we ditched Jira, everything is in Linear now": the old value is left, and then comes what there is now."""
    sentences = reading.sentences
    if not sentences or not all(_may_correct(one, fold(one.text)) for one in sentences):
        return None
    clauses = [part for one in sentences for part in phrases_of(one.text)]
    meant = []
    for entry in known:
        if not _same_people(reading.own_word, entry.content) or wording(entry.content).past:
            continue
        value = _value_terms(entry.content)
        for number, clause in enumerate(clauses[:-1]):
            touched = sum(weight for term, weight in wording(clause).terms.items() if term.lstrip("~<") in value)
            later = " ".join(clauses[number + 1 :])
            if touched >= _LEAST_SLOT and ENDS.search(fold(clause)) and NOW.search(fold(later)):
                meant.append(entry)
                break
    return Correction(meant[0], " ".join(one.text.strip() for one in sentences)) if len(meant) == 1 else None


def _value_terms(held: str) -> frozenset[str]:
    """Return the terms behind the verb of an entry: what it says of its slot."""
    verb = VERBS.search(fold(held))
    return frozenset(wording(held[verb.end() :] if verb is not None else held).terms)


def _may_correct(sentence: ReadSentence, folded: str) -> bool:
    if len(sentence.text) > _LONGEST_SENTENCE or sentence.text.rstrip().endswith(("?", "？")):
        return False
    acts = {clause.act for clause in sentence.clauses}
    return acts <= {Act.STATES, Act.REQUESTS} and Act.STATES in acts and not NOT_SO.search(folded)


def _corrected(text: str, known: list[Entry]) -> Correction | None:
    rated = sorted(
        ((rate, entry, content) for entry in known for rate, content in _readings(text, entry)),
        key=lambda one: -one[0],
    )
    if not rated:
        return None
    best, entry, content = rated[0]
    rivals = [rate for rate, other, _ in rated if other.id != entry.id]
    return Correction(entry, content) if not rivals or best > rivals[0] + 0.01 else None


def _readings(text: str, entry: Entry) -> Iterator[tuple[float, str]]:
    """Yield how well a text fits as a correction of an entry, with what it says then."""
    yield from _by_pair(text, entry)
    yield from _by_number(text, entry)
    yield from _by_slot(text, entry)


def _by_pair(text: str, entry: Entry) -> Iterator[tuple[float, str]]:
    """Read "not X but Y": X is what the entry says, and all other words of the text stand in it."""
    folded, held = fold(text).strip(" .!。"), fold(entry.content)
    verb = VERBS.search(held)
    value = verb.end() if verb is not None else 0
    for pattern in PAIRS:
        for found in pattern.finditer(folded):
            old, new = found["old"].strip(_ENDINGS), found["new"].strip(_ENDINGS)
            place = _place_of(old, held)
            if place is None or place[0] < value or not new or _place_of(new, held) is not None or CUES.fullmatch(new):
                continue
            rest = f"{text[: found.start()]} {text[found.end() :]}"
            if _unknown(rest, entry) > _CHATTER:
                continue
            start, end = place
            fresh = _BESIDE_A_NAME.sub("", text[found.start("new") : found.end("new")].strip(_ENDINGS))
            fresh = _without_what_follows(fresh, held[end:])
            yield 2.0 + _slot(rest, entry), f"{entry.content[:start]}{fresh}{entry.content[end:]}"


def _without_what_follows(value: str, behind: str) -> str:
    """Return a new value without the words at its end that stand behind the old one already: "920 euros now"."""
    words, known = value.split(), behind.split()
    while len(words) > 1 and (fold(words[-1]) in known or _is_quiet(fold(words[-1]))):
        words.pop()
    return " ".join(words) if len(words) < len(value.split()) else value


def _by_number(text: str, entry: Entry) -> Iterator[tuple[float, str]]:
    """Read "about Iceland, we can spend 2,500, not 1,800": the entry has the old number, and names what it is about."""
    folded, held = fold(text), fold(entry.content)
    for pattern in _NUMBERS:
        for found in pattern.finditer(folded):
            place = _place_of(found["old"], held)
            slot = _slot(f"{text[: found.start()]} {text[found.end() :]}", entry)
            if place is None or held.count(found["old"]) > 1 or found["new"] in held or slot < _LEAST_SLOT:
                continue
            new = text[found.start("new") : found.end("new")]
            yield slot, f"{entry.content[: place[0]]}{new}{entry.content[place[1] :]}"


def _by_slot(text: str, entry: Entry) -> Iterator[tuple[float, str]]:
    """Read "the anniversary is 4 June": the same words before the value, and another value of the same kind."""
    stated = _stated(text)
    own, held = wording(stated), wording(entry.content)
    if own.negated or own.past or held.negated != own.negated or own.key == held.key:
        return
    fresh = {term: weight for term, weight in own.terms.items() if term not in held.terms and not _is_quiet(term)}
    gone = {term: weight for term, weight in held.terms.items() if term not in own.terms and not _is_quiet(term)}
    slot = sum(weight for term, weight in own.terms.items() if term in held.terms and term not in own.numbers)
    if slot < _LEAST_SLOT and not _tells_a_home(stated, entry.content):
        return
    values, old_values = own.numbers - held.numbers, held.numbers - own.numbers
    if values and old_values and _kinds(values) & _kinds(old_values):
        words = sum(weight for term, weight in fresh.items() if term not in own.numbers)
        tells_a_change = CHANGES.search(fold(text)) is not None and len(_kinds(own.numbers)) <= len(
            _kinds(held.numbers)
        )
        whole = sum(weight for term, weight in held.terms.items() if term not in held.numbers and not _is_quiet(term))
        if slot < _LEAST_SHARE * whole or _is_of_another_thing(text, entry.content):
            return
        subject = fresh.keys() & _before_the_verb(stated)[1]
        if subject and _OF_I.search(fold(entry.content)) and not _OF_I.search(fold(text)):
            return  # "I have two beehives", and the vicar has three
        if words <= _CHATTER or (tells_a_change and words <= _MOST_TOLD):
            yield 1.0 + slot - 0.1 * sum(gone.values()), stated
        return
    if values or old_values or not fresh or not gone:
        return
    if sum(fresh.values()) > _VALUE or sum(gone.values()) > _VALUE + 1:
        return
    if not _tells_a_home(stated, entry.content) and not _same_slot(stated, entry.content):
        return
    if fresh.keys() & _before_the_verb(stated)[1] or gone.keys() & _before_the_verb(entry.content)[1]:
        return
    yield slot - 0.1 * sum(gone.values()), stated


def _stated(text: str) -> str:
    """Return what a correction states, without "no, sorry" before it and "not on Tuesday" behind it."""
    folded = fold(text)
    lead, tail = LEAD.match(folded), NOT_OLD.search(folded)
    return text[lead.end() if lead else 0 : tail.start() if tail else None].strip(_EDGES)


def _tells_a_home(text: str, held: str) -> bool:
    """Return whether both tell where somebody lives."""
    return HOME.search(fold(text)) is not None and HOME.search(fold(held)) is not None


def _same_slot(one: str, other: str) -> bool:
    """Whether two texts say something of the same: before the same verb stand the same words, and there are any."""
    verb, slot = _before_the_verb(one)
    other_verb, other_slot = _before_the_verb(other)
    if verb != other_verb or not verb or slot != other_slot:
        return False
    return bool(slot) or (ONE_AT_A_TIME.fullmatch(verb) is not None and all(map(_OF_I.search, map(fold, (one, other)))))


def _before_the_verb(text: str) -> tuple[str, frozenset[str]]:
    """Return the verb of a text, one for those that only say what something is, and the terms before it."""
    text = _NOWADAYS.sub("", fold(text))
    verb = VERBS.search(fold(text))
    if verb is None:
        return "", frozenset(wording(text).terms)
    before = frozenset(term for term in wording(text[: verb.start()]).terms if not _is_quiet(term))
    return "is" if COPULA.fullmatch(verb[0]) else verb[0], before


def _kinds(found_numbers: Iterable[str]) -> set[str]:
    # A day of the week and a month stand there by their numbers as well.
    found_numbers = frozenset(found_numbers)
    numbers = found_numbers - {_TEMPORAL.sub("", one) for one in found_numbers if _TEMPORAL.match(one)}
    return {found[0] if (found := _TEMPORAL.match(one)) else "time" if ":" in one else "number" for one in numbers}


def _unknown(rest: str, entry: Entry) -> float:
    """Return the weight of the words that an entry does not have."""
    held = wording(entry.content)
    own = wording(_stated(rest))
    return sum(w for term, w in own.terms.items() if term.lstrip("~<") not in held.terms and not _is_quiet(term))


def _slot(rest: str, entry: Entry) -> float:
    held = wording(entry.content)
    return sum(weight for term, weight in wording(rest).terms.items() if term in held.terms)


def _is_quiet(term: str) -> bool:
    plain = term.lstrip("~<=")
    return plain in QUIET or plain in QUIET_ZH


def _place_of(value: str, held: str) -> tuple[int, int] | None:
    """Return where a value stands in a folded text, as a whole word."""
    if len(value) < 2 and not value.isdigit() and value.isascii():
        return None
    bounded = rf"(?<![a-z0-9]){re.escape(value)}(?![a-z0-9])" if value.isascii() else re.escape(value)
    found = re.search(bounded, held)
    return (found.start(), found.end()) if found else None


def _same_people(text: str, held: str) -> bool:
    """Return whether two texts speak of the same people, as far as relations tell."""
    own, other = _relations(text), _relations(held)
    if _is_of_someone_else(fold(text), fold(held)) or not own <= other or (not other and _THIRD.search(fold(text))):
        return False
    left = other - own - _ONES_OWN
    return not left or (_PRONOUN.search(fold(text)) is not None and not _OF_I.search(fold(text)))


def _is_of_someone_else(text: str, held: str) -> bool:
    """Return whether a folded text tells of the same thing of another owner, whom the other text does not name."""
    for found in _OWNED.finditer(text):
        owner, thing = filter(None, found.groups())
        if owner[-2:] not in held and owner not in held and (thing in held or thing in ("is", "was")):
            return True
    return False


def _is_of_another_thing(text: str, held: str) -> bool:
    """Return whether a text tells of a thing of somebody's that the other text, which names them, does not name."""
    folded = fold(held)
    for found in _OWNED.finditer(fold(text)):
        owner, thing = filter(None, found.groups())
        if (owner in folded or owner[-2:] in folded) and thing not in folded:
            return True
    return False


def _relations(text: str) -> frozenset[str]:
    folded = fold(text).replace("user's", "").replace("用户", "")
    return frozenset((*(one.rstrip("s") for one in ANOTHER_IN.findall(folded)), *RELATION_ZH.findall(folded)))
