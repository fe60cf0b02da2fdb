"""The English rules for orders."""

import re
from typing import NamedTuple

from nanobot_memory_plugins.consolidation.commands.sentences import Sentence, plain
from nanobot_memory_plugins.consolidation.commands.topics import topic_of


class Meant(NamedTuple):
    """What an order is about; the empty text refers to what was said before. ``goes_on``: behind a colon.

    ``everything`` says that all that names it is meant.
    """

    text: str
    goes_on: bool = False
    everything: bool = False


_LEAD = (
    r"(?:(?:please|pls|hey|hi|hello|ok|okay|oh|so|and|also|now|just|kindly|btw|by the way|well|alright|right|yes|no"
    r"|one more thing|fyi|actually|important|nanobot|bot|assistant)[\s,:!.-]+)*"
)
_ASKED = (
    r"(?P<asked>(?:(?:can|could|would|will) you|i (?:want|need|would like) you to|i'd like you to|you (?:should|must)"
    r"|(?:please )?make sure (?:to|you)|be sure to|please do)\s+(?:please |kindly |also |just |always )*)?"
)
_REMEMBER = (
    r"(?:remember|memori[sz]e|keep in mind|bear in mind|(?:don't|do not|dont|never) (?:you )?(?:ever )?forget"
    r"|(?:make|take) a (?:mental )?note(?: of)?|take note(?: of)?|note(?: down)?|commit (?:it |this |that )?to memory)"
)
_FORGET = r"(?:forget|stop remembering|don't remember|do not remember|unlearn)"
_BEFORE = (
    r"(?:this|that|it|these|those|them|the above|all (?:of )?(?:this|that)|(?:the )?(?:last"
    r"|previous) (?:message|part|thing)"
    r"|(?:this|that) (?:one|fact|info|information|preference|detail|message|thing|part|for (?:me|later|next time))"
    r"|what i(?:'ve| have)?(?: just)? (?:said|told you|wrote|mentioned|shared)(?: (?:before|earlier|above|just now))?)"
)
_ONLY = (
    r"(?:[\s,]*(?:please|for (?:me|later|next time|the future|future reference)|forever|always|too"
    r"|as well|ok|okay|now|in (?:the )?future|thanks?(?: you)?|will you|would you))*\s*$"
)
_STORAGE = r"(?:in|into|to|from|out of) (?:your |the )?(?:long[- ]term )?(?:memory|memories)"

# Who or what a statement begins with; a bare noun does not tell a statement from a story.
_SUBJECT = (
    r"(?:i|i'm|i've|i'll|i'd|im|my|mine|we|we're|we've|our|the|a|an|he|she|they|it|it's|you|your|his|her|their|its|there"
    r"|this|these|all|every|everyone|no|nobody|never|always|when|whenever|if|on|in|at|for|today|tomorrow|next|from"
    r"|[\w.-]*\d[\w.-]*)"
)
_SAYS = (
    r"(?:is|are|was|were|am|isn't|aren't|has|have|had|will|won't|can|can't|cannot|should|must|likes?|loves?|hates?|prefers?"
    r"|uses?|lives?|works?|needs?|wants?|means?|starts?|ends?|goes|runs?|costs?|don't|doesn't|do not"
    r"|does not|never|always)"
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
_REMEMBERED = re.compile(rf"{_LEAD}{_ASKED}{_REMEMBER}\b(?P<rest>.*)", re.DOTALL)
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


_BEHIND = re.compile(
    rf"(?P<said>.+)(?:[,;]|\s-+)\s*(?:(?:so|and|please|just|kindly|can you"
    rf"|could you)\s+)*{_REMEMBER}\s+{_BEFORE}{_ONLY}"
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
    found = _REMEMBERED.fullmatch(sentence.folded)
    if found is None or (sentence.asks and not found["asked"]):
        return None
    start, rest = found.start("rest"), found["rest"]
    polite = found["asked"] is not None or "please" in found[0][: found.start("rest")]
    refers = re.fullmatch(rf"\s*{_BEFORE}{_ONLY}", rest)
    if refers is not None:
        return (
            None if sentence.asks and re.match(r"\s*(?:that|those)\b", rest) and "please" not in found[0] else Meant("")
        )
    if not rest.strip() or not plain(rest):
        return Meant("", goes_on=True) if rest.strip() == ":" else None
    colon = re.match(
        rf"(?:\s+(?:{_BEFORE}|the following(?: \w+)?)(?:\s+(?:please|for me|for later))?)?\s*(?::|--?|—|–"
        rf"|,(?=\s*(?:i|my|we|our)\b))\s*",
        rest,
    )
    if colon is not None:
        return Meant(_cut(sentence, start + colon.end()), goes_on=":" in colon[0] or "-" in colon[0])
    that = re.match(r"\s+that\s+", rest)
    clause = rest[that.end() :] if that else rest.lstrip()
    begin = start + len(rest) - len(clause)
    if re.match(r"to\b", clause):
        return Meant(_cut(sentence, begin + 2)) if _LASTING.search(clause) else None
    if _STORY.match(clause) and not (that and re.match(r"(?:if|when|my|our)\b", clause) and _STATES.search(clause)):
        return None
    if len(clause.split()) < 2:
        return None
    if not (re.match(rf"{_SUBJECT}\b", clause) or (that and sentence.text[begin].isupper())):
        stated = re.match(rf"[\w'-]+ {_SAYS}\b", clause) or (polite and _STATES.search(clause))
        return Meant(_cut(sentence, begin)) if stated and not sentence.asks else None
    return Meant(_cut(sentence, begin)) if that or _STATES.search(clause) else None


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
    if found is None or sentence.asks or _REPORTED.match(found["said"]) or len(found["said"].split()) < 3:
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
