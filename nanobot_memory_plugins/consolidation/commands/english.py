"""The English rules for orders."""

import re
from itertools import islice
from typing import NamedTuple

from nanobot_memory_plugins.consolidation.commands.sentences import Sentence, plain
from nanobot_memory_plugins.consolidation.commands.topics import topic_of
from nanobot_memory_plugins.core.text import LazyPattern, any_of, fold, keeping


class Meant(NamedTuple):
    """What an order is about; the empty text refers to what was said before. ``goes_on``: behind a colon.

    ``everything`` says that all that names it is meant, ``ahead`` that the empty text may be what is said next, and
    ``here`` that it is something in the same message.
    """

    text: str
    goes_on: bool = False
    everything: bool = False
    ahead: bool = False
    here: bool = False


_LEAD = (
    r"(?>(?:please|pls|plz|hey|hi|hello|ok|okay|oh|so|and|but|also|now|just|kindly|btw|by the way|well|alright"
    r"|right|yes|no|yeah"
    r"|(?:one more thing|quick (?:thing|one)|one thing)(?=\s*[,:.!-])|fyi|actually|important|thanks|thank you"
    r"|thx|great|cool|perfect|sorry|um+|hmm+|anyways?|whatever (?:happens|you do)|yo|dude|mate|quickly"
    r"|nanobot|bot|assistant|claude|chatgpt|请|麻烦|帮我|对了|顺便)[\s,:!.-]+)*+"
)
_ASKED = (
    r"(?P<asked>(?:(?:can|could|would|will) you|i (?:want|need|would like) you to|i'd like you to|you (?:should|must)"
    r"|(?:please )?make sure (?:to|you)|be sure to|please do)\s+(?:please |kindly |also |just |always )*)?"
)
_WISH = rf"(?P<asked>(?>(?:{any_of(keeping.ASKED)}[\s,:]+(?:{keeping.FILLED}[\s,]+)*+)*+))"
_VERB = rf"(?:(?P<sure>{any_of(keeping.SURE)})|(?P<loose>{any_of(keeping.LOOSE)}|note))(?![\w']|-\w)"
_FORGET = r"(?:forget|stop remembering|don't remember|do not remember|unlearn)"
_BEFORE = (
    r"(?:this|that|it|these|those|them|the above|all (?:of )?(?:this|that)|(?:the )?(?:last"
    r"|previous) (?:message|part|thing)"
    r"|(?:this|that) (?:one|fact|info|information|preference|detail|message|thing|part|for (?:me|later|next time))"
    r"|what i(?:'ve| have)?(?: just)? (?:said|told you|wrote|mentioned|shared)(?: (?:before|earlier|above"
    r"|just now))?)"
)
_FOR = (
    r"(?:[\s,]*\b(?:please|pls|plz|for (?:me|later|us|next time|the future|future reference|future"
    r"|when i need it|good)|forever|always|too"
    r"|as well|ok|okay|alright|now|somewhere(?: safe)?|(?:in|for) (?:the )?(?:future|long run)|thanks?(?: (?:you"
    r"|u|a lot|so much))?|thx|will (?:you|u)|would (?:you|u)"
    r"|could (?:you|u)|can (?:you|u)|would (?:you|u) mind|if (?:you|u) (?:can|could|would|don't mind)|about me"
    r"|when you get a (?:sec|chance))\b|\s*[哈啊哦吧呀嘛])*+"
)
_ONLY = (
    r"(?:[\s,]*(?:please|for (?:me|later|next time|the future|future reference)|forever|always|too"
    r"|as well|ok|okay|now|in (?:the )?future|thanks?(?: you)?|will you|would you))*\s*$"
)
_STORAGE = r"(?:in|into|to|from|out of) (?:your |the )?(?:long[- ]term )?(?:memory|memories)"

# Who or what a statement begins with; a bare noun does not tell a statement from a story.
_SUBJECT = (
    r"(?:i|i'm|i've|i'll|i'd|im|my|mine|we|we're|we've|our|the|a|an|he|she|they|it|it's|you|your|his|her|their"
    r"|its|there"
    r"|this|these|all|every|everyone|no|nobody|never|always|when|whenever|if|on|in|at|for|today|tomorrow|next|from"
    r"|ive|id|were|weve|[\w.-]*\d[\w.-]*)"
)
_SAYS = (
    r"(?:is|are|was|were|am|isn't|aren't|has|have|had|will|won't|can|can't|cannot|should|must|likes?|loves?"
    r"|hates?|prefers?"
    r"|uses?|lives?|works?|needs?|wants?|means?|starts?|ends?|goes|runs?|costs?|don't|doesn't|do not"
    r"|does not|never|always|i'm|im|ive|dont|doesnt|cant|wont|isnt|arent|got|gets?|takes?|drinks?|eats?|drives?"
    r"|sleeps?|owns?|wears?|speaks?"
    r"|studies|study|moved|changed|switched|bought|quit|sold|born|belongs?|expires?|closes?|opens?|leaves?"
    r"|arrives?|parks?|parked|stays?|keeps?"
    r"|read|reads|write|play|plays|teach|teaches|pay|pays|call|calls|go|do|does|did|may|might|would|could)"
)
_STATES = re.compile(rf"\b(?:{_SAYS})\b|\w'(?:s|m|re|ve|ll|d)\b|=|:")
_STORY = re.compile(
    r"(?:when|how|who|whom|what|where|why|which|whether|if|me|us|him)\b"
    r"|(?:the |that |those |this |our |my )?(?:old |good |first |last |one |other )*(?:times?|days?"
    r"|night|evening|moment"
    r"|summer|winter|trip|party|song|movie|film|scene|guy|girl|story|episode|joke|feeling|game|holiday|vacation)\b"
)
_WH = re.compile(r"(?:who|what|where|why|how|which|whether)\b")
_LASTING = re.compile(
    r"\b(?:always|never|from now on|in (?:the )?future|every time|each time|whenever|next time|when(?:ever)? i)\b"
)
_REQUEST = re.compile(
    rf"{_LEAD}(?:(?:can|could|would|will|do|does|did|are|is) you\b|what|how|why|where|when|who|which"
    rf"|write|help|tell|give"
    r"|show|let's|let us|now|then|also|next|make|create|find|explain|translate|summari[sz]e|please"
    r"|by the way|btw|anyway)\b"
)
_ORDER = LazyPattern(rf"{_LEAD}{_WISH}{_VERB}(?P<rest>.*)", re.DOTALL)
_SKIPPED = LazyPattern(_FOR)
_POINTS = LazyPattern(rf"\s+{keeping.POINTER}(?![\w'])")
_POINTED = LazyPattern(rf"(?<=\s){keeping.POINTER}(?=\s|$)")
_BACK = LazyPattern(r"\s*(?:that|those|them|the above|all|the last|last|previous|the previous|what)\b")
_MARK = LazyPattern(r"(?<!\s)\s*+(?:the following(?: \w+)?\s*+)?(?::|--?|—|–|,)\s*+")
# A label, and what is to be kept behind it.
_LABELLED = LazyPattern(
    rf"{_LEAD}{any_of(keeping.LABELS)}\s*(?P<mark>:|,|-+|–|—|that\b|(?=i\b|i'm\b|my\b|we\b|our\b))\s*(?P<rest>.*)",
    re.DOTALL,
)
_PERSONAL = LazyPattern(r"\b(?:i|im|i'm|i've|ive|i'd|i'll|my|mine|me|we|we're|we've|our|ours|us)\b")
# What follows says something of the user: "my locker is 88", "our gate: B12".
_OWN_VALUE = LazyPattern(
    r"(?:my|our) [\w' -]{2,60}?(?: is| are|:| =|,| to) \S|(?:i|im|i'm|ive|i've|we|we're"
    r"|we've) \w"
)
_OPINION = LazyPattern(
    r"(?:you|that's|that is|it's|it is|this is|i (?:think|guess|mean|was|would|wonder|asked|meant|don't (?:think"
    r"|care|know)))\b"
)
_CODE = LazyPattern(r"[{}<>;]|\(\)|==|:=|\bdef |\breturn\b|^\S+$")
_PLACE = LazyPattern(r"\s+(?:in|into|to|on|onto|as|at|under|with|from|before|after|of)\b")
# Where an order may begin behind another request: "Book a table, and remember that I don't eat meat".
_WITHIN = LazyPattern(
    r"(?:[,;]\s*+|\s[-–—]+\s*+|\s(?=(?:and|but|so)\s))(?:(?:and|but|so|also|then|oh|anyways?|please|pls"
    r"|just)[\s,]+)*+"
)
_MOST_PLACES = 8
_TOLD = LazyPattern(
    r"\b(?:said|says?|tells?|told|wrote|writes?|texts?|texted|asked|asks|translate|sings?|lyrics|quotes?|sign"
    r"|titled?|called|named|reads|posted"
    r"|slogan|motto|e-?mail (?:him|her|them|that)|reply|respond|message|remind (?:him|her|them)|story|poem|song"
    r"|script|speech|post|letter|always (?:forgets?|remembers?))\b|[\"“]"
)
_CONDITION = LazyPattern(r"(?:\w+ )?(?:when(?:ever)?|next time|if|every time|each time|any time|anytime|while|for)\b")
_FORGOTTEN = re.compile(rf"{_LEAD}{_ASKED}(?P<verb>{_FORGET})\b(?P<rest>.*)", re.DOTALL)
_DELETED = re.compile(rf"{_LEAD}{_ASKED}(?:delete|remove|erase|wipe|clear|drop)\s+(?P<rest>.+?)\s+{_STORAGE}{_ONLY}")
_STORED = re.compile(rf"{_LEAD}{_ASKED}(?:save|store|add|put|keep|write)\s+(?P<rest>.+?)\s+{_STORAGE}{_ONLY}")
_ABOUT = re.compile(
    r"\s*(?:all |everything )?(?:(?:that )?(?:what|everything|anything|all) )?(?:that )?(?:i|you"
    r"|we)(?:'ve| have)?(?: ever| just)? "
    r"(?:said|told you|wrote|mentioned|know|learned|remember|stored|shared)(?: to you)? (?:about"
    r"|regarding|on)\s+(?P<text>.+)"
    r"|\s*(?:the fact that|all about|everything about)\s+(?P<other>.+)"
)
_IDIOM = re.compile(
    r"\s*(?:(?:about )?it|about (?:it|that|this)|me|you|yourself|all|to|how|when|where|why|who"
    r"|(?:all )?(?:of )?(?:the |your |my |any )?(?:above|previous|prior|earlier"
    r"|system)? ?(?:instructions?|prompts?|rules|directions)\b.*)?"
    rf"{_ONLY}"
)


_BEHIND = LazyPattern(
    rf"(?P<said>.+)(?:[,;:]|\s[-–—]+|\s(?=(?:so|and)\s))\s*(?:(?:so|and|please|pls|plz|just|kindly|but"
    rf"|also)[\s,]+)*+{_WISH}{_VERB}(?P<rest>.*)",
    re.DOTALL,
)
_REPORTED = re.compile(
    r"(?:if|when|whenever|translate|write|say|tell|she|he|they|who|what|how|why|never mind|ok|okay"
    r"|yes|no|sure|i'll|i will"
    r"|don't worry|please (?:write|translate|say|tell))\b"
)


def remembered(sentence: Sentence) -> Meant | None:
    """Return what a sentence asks to remember, or None."""
    stored = _STORED.fullmatch(sentence.folded)
    if stored is not None:
        return Meant(_object(sentence, stored))
    label = _LABELLED.fullmatch(sentence.folded)
    if label is not None:
        return _labelled(sentence, label)
    found = _ORDER.fullmatch(sentence.folded)
    if found is not None:
        return _ordered(sentence, found)
    places = islice(_WITHIN.finditer(sentence.folded), _MOST_PLACES)
    return next(filter(None, (_inside(sentence, place.start(), place.end()) for place in places)), None)


def _ordered(sentence: Sentence, found: "re.Match[str]") -> Meant | None:
    asked, verb, is_sure = bool(found["asked"]), found["sure"] or found["loose"], found["sure"] is not None
    if (sentence.asks or re.match(r"(?:\w+(?:ed|ing)|kept|written)\b", verb)) and not asked:
        return None
    start, rest = found.start("rest"), found["rest"]
    polite = asked or "please" in found[0][: found.start("rest")]
    pointer = _POINTED.search(verb)
    at = _skipped(rest, 0)
    if pointer is None and (points := _POINTS.match(rest)) is not None:
        after = _skipped(rest, points.end())
        if not rest[after:].strip(" ,") or _MARK.match(rest, after):
            pointer, at = points, after
    left = rest[at:]
    if not left.strip(" ,"):
        return _pointing(sentence, pointer, polite=polite, is_sure=is_sure, verb=verb, after=rest)
    if not plain(left):
        return Meant("", goes_on=True) if left.strip() == ":" else None
    if not is_sure and _PLACE.match(left):
        return None
    mark = _MARK.match(left)
    if mark is not None:
        text = _cut(sentence, start + at + mark.end())
        folded = fold(text)
        plainly = (
            ":" in mark[0]
            or (pointer is not None and mark[0].strip() != ",")
            or _skipped(rest, 0)
            or pointer is not None
        )
        said = (
            _is_stated(folded, personal=verb == "note")
            if not plainly or verb == "note"
            else is_sure or not _CODE.search(folded)
        )
        if not said or (sentence.asks and _WH.match(folded)):
            return None
        return Meant(text, goes_on=":" in mark[0] or "-" in mark[0])
    if pointer is not None and at:
        return None
    return _clause(sentence, start + at, left, polite=polite, loose=verb if not is_sure else "")


def _pointing(
    sentence: Sentence, pointer: "re.Match[str] | None", *, polite: bool, is_sure: bool, verb: str, after: str
) -> Meant | None:
    """Return what "remember this" means; without a "this" it is something said in the same message."""
    if pointer is None:
        return Meant("", here=True, ahead=True) if is_sure and not sentence.asks and sentence.mark != "?" else None
    back = _BACK.match(pointer[0]) is not None
    if sentence.asks and back and "please" not in sentence.folded and is_sure and not after.strip():
        return None
    if not is_sure and not verb.endswith((" down", " away")) and not _skipped(after, 0):
        return Meant("", here=True)
    return Meant("", ahead=not back)


def _clause(sentence: Sentence, start: int, rest: str, *, polite: bool, loose: str) -> Meant | None:
    """Return the clause behind "remember", with its "that" or without, where it says something."""
    that = re.match(r"\s+that\s+", rest)
    clause = rest[that.end() :] if that else rest.lstrip()
    begin = start + len(rest) - len(clause)
    if loose and not that:
        return Meant(_cut(sentence, begin)) if _OWN_VALUE.match(clause) and not sentence.asks else None
    if loose and not (_PERSONAL.search(clause) or (loose != "note" and _STATES.search(clause))):
        return None
    if re.match(r"to\b", clause):
        return Meant(_cut(sentence, begin + 2)) if _LASTING.search(clause) else None
    if _STORY.match(clause) and not (that and re.match(r"(?:if|when|my|our)\b", clause) and _STATES.search(clause)):
        return None
    if len(clause.split()) < 2:
        return None
    if re.match(r"(?:no|not|only|never) (?!one\b|way\b|body\b|to\b|longer\b)[\w-]+(?: [\w-]+){0,5}\W*$", clause):
        return Meant(_cut(sentence, begin)) if not sentence.asks else None
    if not (re.match(rf"{_SUBJECT}\b", clause) or (that and sentence.text[begin].isupper())):
        stated = re.match(rf"[\w'-]+ {_SAYS}\b", clause) or (polite and _STATES.search(clause))
        return Meant(_cut(sentence, begin)) if stated and not sentence.asks else None
    return Meant(_cut(sentence, begin)) if that or _STATES.search(clause) else None


def _labelled(sentence: Sentence, found: "re.Match[str]") -> Meant | None:
    rest = found["rest"]
    if sentence.asks:
        return None
    if not plain(rest):
        return Meant("", goes_on=True) if found["mark"] == ":" else None
    for_me = "self" in found[0] or _PERSONAL.search(rest)
    if found["mark"] in (",", "that", "") and not (for_me and _STATES.search(rest) and not _OPINION.match(rest)):
        return None
    return Meant(_cut(sentence, found.start("rest")), goes_on=found["mark"] == ":")


def _inside(sentence: Sentence, end: int, start: int) -> Meant | None:
    """Return what an order behind another request keeps: the user's word on the user, or what it points at."""
    before = sentence.folded[:end]
    found = _ORDER.match(sentence.folded, start)
    if found is None or sentence.asks or len(before) < 3 or ":" in before or _TOLD.search(before):
        return None
    rest = found["rest"]
    points = _POINTS.match(rest)
    named = points is not None and _MARK.match(rest, _skipped(rest, points.end())) is not None
    if named or _POINTED.search(found["sure"] or found["loose"]) or found["asked"]:
        return meant if (meant := _ordered(sentence, found)) is not None and meant.text else None
    that = re.match(r"(?:\s+that|\s*[,:])?\s+", rest)
    if that is None or found["sure"] is None or re.search(r"(?:ed|ing)$", found["sure"]):
        return None
    clause, begin = rest[that.end() :], found.start("rest") + that.end()
    if re.match(r"(?:i|i'm|im|i've|ive|i'd|i'll|my|we|we're|we've|our)\b", clause) and _STATES.search(clause):
        return Meant(_cut(sentence, begin))
    if _CONDITION.match(before) and re.match(r"(?:no|not|only|never|always) (?!one\b|way\b|to\b)\w", clause):
        return Meant(f"{plain(sentence.text[:end])}, {_cut(sentence, begin)}")
    return None


def _is_stated(clause: str, *, personal: bool) -> bool:
    """Say whether a clause says something, and is no data; ``personal``: of the user."""
    if _PERSONAL.search(clause) is None and (personal or not re.match(rf"{_SUBJECT}\b|[\w'-]+ {_SAYS}\b", clause)):
        return False
    return re.search(rf"\b(?:{_SAYS})\b|\w'(?:s|m|re|ve|ll|d)\b|:", clause) is not None


def _skipped(rest: str, start: int) -> int:
    """Return where "for me", "please" and the like end."""
    found = _SKIPPED.match(rest, start)
    return found.end() if found is not None else start


def forgotten(sentence: Sentence) -> Meant | None:
    """Return what a sentence asks to forget, or None."""
    deleted = _DELETED.fullmatch(sentence.folded)
    if deleted is not None:
        topic = topic_of(sentence.text[deleted.start("rest") : deleted.end("rest")])
        return Meant(topic.text, everything=True) if topic else Meant(_object(sentence, deleted))
    found = _FORGOTTEN.fullmatch(sentence.folded)
    if found is None or (sentence.asks and not found["asked"]):
        return None
    start, rest = found.start("rest"), found["rest"]
    if re.fullmatch(rf"\s+{_BEFORE}{_ONLY}", rest) and not re.match(r"\s+it\b", rest):
        return Meant("")
    if _IDIOM.fullmatch(rest):
        return None
    if (topic := topic_of(sentence.text[start:])) is not None:
        return Meant(topic.text, everything=True)
    about = _ABOUT.fullmatch(rest)
    if about is not None:
        name = "text" if about["text"] is not None else "other"
        return Meant(_cut(sentence, start + about.start(name)))
    clause = re.match(r"\s+(?:that|about|:)?\s*", rest)
    begin = start + (clause.end() if clause else 0)
    words = sentence.folded[begin:]
    plainly = re.match(r"(?:i|i'm|my|mine|we|our|the (?:entry|memory|note|fact|todo|reminder|preference))\b", words)
    if not plainly or _WH.match(words) or len(words.split()) < 2:
        return None
    return Meant(_cut(sentence, begin))


def points_back(sentence: Sentence) -> Meant | None:
    """Return what stands before the comma in "..., please remember that", or None."""
    found = _BEHIND.fullmatch(sentence.folded)
    if found is None or (sentence.asks and not found["asked"]):
        return None
    said, rest = found["said"], found["rest"]
    if re.match(r"(?:and |so )*(?:that|this)\b.*\b(?:worth|important|useful|handy|matters)\b", said):
        return Meant("", here=True)
    if _REPORTED.match(said) or len(said.split()) < 3 or re.search(r"\b(?:if|when|how|that|to)$", said):
        return None
    points = _POINTS.match(rest)
    pointed = points is not None or _POINTED.search(found["sure"] or found["loose"]) is not None
    if rest[_skipped(rest, points.end() if points is not None else 0) :].strip(" ,"):
        return None
    if not pointed and not (found["sure"] is not None and _PERSONAL.search(said) and _STATES.search(said)):
        return None
    return Meant(_cut(Sentence(sentence.text[: found.end("said")], "", ""), 0))


def is_request(sentence: Sentence) -> bool:
    """Say whether a sentence turns to something else."""
    return _REQUEST.match(sentence.folded) is not None


def _object(sentence: Sentence, found: "re.Match[str]") -> str:
    if re.fullmatch(_BEFORE, found["rest"]):
        return ""
    text = sentence.text[found.start("rest") : found.end("rest")]
    return plain(
        re.sub(r"^(?:that|the fact that|this:|everything about|what i said about)\s+", "", text, flags=re.IGNORECASE)
    )


def _cut(sentence: Sentence, start: int) -> str:
    return plain(sentence.text[start:])
