"""What an English sentence asks to be kept in memory: who is asked, with which word of keeping, and what is kept.

A clause asks for it where nothing but words of asking stands before a word of keeping, whatever their order, and where
whoever is asked is the assistant. What is kept must be said: a clause, what a colon announces, or what "this" means.
"""

import re

from nanobot_memory_plugins.consolidation.commands.english_words import (
    APPRAISES,
    ASKING,
    FILLS,
    MODAL,
    NO_LEAD,
    PERSONS,
    REQUESTING,
    SAYS,
    SUBJECT,
    TALKING,
    TOLD,
    WANTING,
    YOU,
)
from nanobot_memory_plugins.core.text import VERB, Act, LazyPattern, any_of, clauses_of, fold, keeping
from nanobot_memory_plugins.core.text.orders import BY_THE_WAY, OrderSentence, Target, asked_for, part, plain

_KEEPS = LazyPattern(
    rf"(?<![\w'’-])(?:(?P<sure>{any_of(keeping.SURE)})|(?P<loose>{any_of(keeping.LOOSE)}|note)"
    rf"|(?P<know>{any_of(keeping.KNOW)}))"
    r"(?![\w'])(?!-\w)"
)
_LABELLED = LazyPattern(
    rf"(?:(?:{BY_THE_WAY})[\s,:!.-]+)*{any_of(keeping.LABELS)}\s*(?P<mark>:|,|-+|–|—|that\b|(?=(?:i|i'm|im|my|we"
    rf"|our)\b))"
    r"\s*(?P<rest>.*)",
    re.DOTALL,
)
_STORED = LazyPattern(
    rf"(?P<lead>.{{0,80}}?)\b(?:save|store|add|put|keep|write|log|note|record)\s+(?P<rest>(?!(?:this|that|it|these"
    rf"|those)\s*(?:in|into|to|on)\b).+?)"
    rf" (?:in|into|to|on) {keeping.MEMORY}{FILLS}\s*"
)
# Where a clause may begin.
_BORDER = LazyPattern(
    r"[,;:(!?]\s*|\s[-–—]+\s*|[–—]\s*|\s(?=(?:and|but|so|then)\s)"
    r"|(?<=\d)\s(?=(?:(?:please|pls|plz) )?(?:remember|memori[sz]e) (?:it|this|that)(?: (?:please|thanks))?\W*$)"
)
# What asks for keeping is short.
_LONGEST_LEAD, _MOST_UNKNOWN = 160, 3
_WORD = LazyPattern(r"[\w'’]+")
_FILLED = LazyPattern(FILLS)
_VERB = LazyPattern(VERB)
# "Do you remember", "can you still remember", "things you want to keep", "a note".
_NO_ORDER = LazyPattern(
    r"\b(?:do|did|does) (?:you|u)\b(?! (?:mind|think (?:you|u) c))|\b(?:you|u) (?:want|like|love|hope|wish|try)\b"
    r"|\b(?:can|could|do) (?:you|u) (?:still|ever|even|always)\b|\b(?:an?|the|my|your|our|some|any)\s*$"
)
_ASKS_NICELY = LazyPattern(r"\b(?:you|your|u|ya|ye|y'all|you'd|ye'd|please|pls|plz|kindly)\b")
_TAG = LazyPattern(r"\b(?:yeah|yes|ok|okay|right|please|pls|(?:will|would|could|can) (?:you|u))\W*$")
# Why it is to be kept, or that it was said before.
_REASON = LazyPattern(
    r"\b(?:i|i've|i'll|i'm|we)\b.{0,100}\b(?:say|said|tell|told|repeat|repeating|telling|saying|forget|lose|forgetful)\b"
    r"|\b(?:i'?ll|we'?ll|i will|i might|i may) (?:\w+ )?(?:need|want|ask|use) (?:you (?:for )?)?(?:it|this|that|them)\b"
    r"|\bmy (?:\w+ )?memory\b|^(?:just )?(?:so|in case)\b"
)
# A clause about what stands in the sentence before: "Wilfred forgets it without fail, so please write it down".
_ABOUT_IT = LazyPattern(r"\b(?:it|this|these|those|them)\b")
_PASSIVE = LazyPattern(
    r"(?:\w+ed|kept|written|burnt|knew|put down|put on)\b(?!.*\bin (?:mind|your)\b)|kept in mind|had in mind"
)
_GERUND = LazyPattern(r"\w+ing\b")
_POINTS = LazyPattern(rf"\s+(?:of |on |to )?{keeping.POINTER}(?![\w'])")
_POINTED = LazyPattern(rf"(?<=\s){keeping.POINTER}(?=\s|$)")
_BACK = LazyPattern(r"\s*(?:that|those|them|the above|all|the last|last|previous|the previous|what)\b")
_MARK = LazyPattern(r"\s*+(?:the following(?: \w+)?\s*+)?(?::|--?(?=\s)|—|–|,)\s*+")
_PURPOSE = LazyPattern(
    r"\s*(?:for|about|of|from|as|when|in case) [^:,.!?]{1,60}?(?=\s*(?::|—|–|\s-\s))|\s+(?:the fact|it)(?= that\b)"
)
# When what "that" points to will be needed.
_LATER = LazyPattern(r"\s*(?:for|when(?:ever)?|if|because|since|so|next time|before|until)\b[^:]{1,80}$")
_WHEN_ASKED = LazyPattern(
    r"\s*(?:for )?(?:when(?:ever)?|next time|if) (?:i|you|we) (?:ask|want|need|talk|tell|give|suggest|recommend"
    r"|plan|cook|write)\b[^,:]{0,60}$"
)
_OWN = r"(?:i|im|i'm|i've|ive|i'd|i'll|my|mine|me|we|we're|we've|our|ours|us)"
_PERSONAL = LazyPattern(rf"\b{_OWN}\b")
_STATED = LazyPattern(rf"(?:{SUBJECT}\b|[\w'&.-]+(?: (?!{_OWN}\b)[\w'&.-]+){{0,4}}?(?:'s| {SAYS})\b)")
_STATES = LazyPattern(rf"\b{SAYS}\b|\w'(?:s|m|re|ve|ll|d)\b|=|:")
# What has not been told yet: "Could you remember it if I told you?"
_UNTOLD = LazyPattern(r"\bif i (?:told|gave|showed|sent|said)\b|\bif i (?:were|was) to\b")
_PLEASE = LazyPattern(r"\b(?:pls|plz|please)$")
_NOTE = LazyPattern(r"(?:note|register)(?: that)?")
_STORY = LazyPattern(
    r"(?:when|how|who|whom|what|where|why|which|whether|if|me(?! as\b)|us|him)\b"
    r"|(?:the |that |those |this |our |my )?(?:old |good |first |last |one |other )*(?:times?|days?|night|evening"
    r"|moment"
    r"|summer|winter|trip|party|song|movie|film|scene|guy|girl|story|episode|joke|feeling|game|holiday|vacation)\b"
    r"(?! (?:is|are|was|starts?|ends?)\b)"
)
_LASTING = LazyPattern(
    r"\b(?:always|never|from now on|in (?:the )?future|every time|each time|whenever|next time|when(?:ever)? i)\b"
)
_OPINION = LazyPattern(
    r"(?:you|that's|that is|it's|it is|this is|i (?:think|guess|mean|was|would|wonder|asked|meant|don't (?:think"
    r"|care|know)))\b"
)
_VALUE = LazyPattern(
    r"(?:my|our) [\w' -]{2,60}?(?: is| are|:| =|,| to| its| it's) \S|(?:i|im|i'm|ive|i've|we|we're|we've) \w"
)
_CODE = LazyPattern(r"[{}<>;]|\(\)|==|:=|\bdef |\breturn\b|^\S+$")
# "A note in the spreadsheet", which is work.
_ELSEWHERE = LazyPattern(r"\s+(?:in|into|on|to|at|under|onto) (?!(?:your|the back|mind|memory|case|order)\b)\w")
_PLACE = LazyPattern(r"\s+(?:in|into|to|on|onto|as|at|under|with|from|before|after|of)\b")
_CONDITION = LazyPattern(r"(?:\w+ )?(?:when(?:ever)?|next time|if|every time|each time|any time|anytime|while|for)\b")
_FORBIDS = LazyPattern(r"(?:no|not|only|never|always) (?!one\b|way\b|body\b|to\b|longer\b|mind\b)\w")
# Who shall not forget it is the user: what stands behind is theirs, be it only a thing that they have to do.
_FOR_ME = LazyPattern(r"\blet (?:me|us)\b")
_OF_IT = LazyPattern(r"\s*(?:(?:to|about|that)\s+)?")
_THAT = LazyPattern(r"\s+(?:that|tht|dat)\s+")
_ASKED_BEHIND = LazyPattern(r", (?:who|what|where|why|how)\b")
_WH = LazyPattern(r"(?:who|what|where|why|how|which|whether|if|when)\b")


def remembered(sentence: OrderSentence, *, is_said: bool = False) -> Target | None:
    """Return what a sentence asks to remember, or None; ``is_said``: something was stated above it."""
    folded = sentence.folded
    stored = _STORED.fullmatch(folded)
    if stored is not None and _asks_you(stored["lead"]):
        text = re.sub(r"^(?:that|the fact that)\s+", "", sentence.text[stored.start("rest") : stored.end("rest")])
        return Target(plain(text))
    label = _LABELLED.fullmatch(folded)
    if label is not None and (meant := _labelled(sentence, label)) is not None:
        return meant
    words = asked_for(folded, _KEEPS, _BORDER, _asks_you)
    found = (_kept(sentence, word, start, is_said=is_said) for word, start in words)
    return next(filter(None, found), None)


def _asks_you(lead: str, word: "re.Match[str] | None" = None) -> bool:
    """Return whether the words before a word of keeping ask the assistant, and nothing else."""
    if len(lead) > _LONGEST_LEAD:
        return False
    lead = REQUESTING.sub(" please ", TALKING.sub(" ", lead))
    words = [one[0].replace("’", "'") for one in _WORD.finditer(lead)]
    unknown = [one for one in words if one not in ASKING]
    if len(unknown) > _MOST_UNKNOWN or not NO_LEAD.isdisjoint(words) or any(_VERB.fullmatch(one) for one in unknown):
        return False
    appraised, asked = not APPRAISES.isdisjoint(words), not MODAL.isdisjoint(words)
    if ("if" in words and not appraised) or _NO_ORDER.search(lead):
        return False
    verb = word[0] if word is not None else ""
    is_passive, is_gerund = _PASSIVE.match(verb) is not None, _GERUND.match(verb) is not None
    whom = next((one for one in reversed(words) if one in PERSONS), "")
    if is_gerund:
        return "mind" in words
    if whom in YOU:
        if word is not None and word["know"] and "let" in words:
            return False
        return (asked and not is_passive) or appraised or verb.startswith("be ")
    if whom in ("it", "this", "that"):
        stays = verb.startswith(("go ", "stay ", "live "))
        return (is_passive or stays) and not unknown and (asked or appraised or "let" in words)
    if whom:
        return is_passive and not WANTING.isdisjoint(words) and _POINTED.search(f"{lead} {verb}") is not None
    if word is not None and word["know"]:
        return verb.startswith(("be ", "take ", "understand")) and asked
    return not unknown and (not is_passive or asked or (not words and verb.startswith("put ")))


def _kept(sentence: OrderSentence, word: "re.Match[str]", start: int, *, is_said: bool) -> Target | None:
    folded, is_sure = sentence.folded, word["sure"] is not None
    before = folded[:start].rstrip(" ,;:-–—(")
    if _REASON.search(before):
        before = ""
    lead = folded[start : word.start()]
    is_strong = _ASKS_NICELY.search(f"{lead} {word[0]}") is not None or _TAG.search(folded, word.end()) is not None
    at = _skipped(folded, word.end())
    pointer = _POINTED.search(word[0]) or _POINTED.search(lead)
    if is_said and pointer is not None and _ABOUT_IT.search(before):
        before = ""
    if pointer is None and (points := _POINTS.match(folded, word.end())) is not None:
        after = _skipped(folded, points.end())
        if not folded[after:].strip(" ,") or _MARK.match(folded, after) or _PURPOSE.match(folded, after):
            pointer, at = points, after
        elif is_said and _WHEN_ASKED.match(folded, points.end()):
            pointer, at = points, len(folded)
    purpose = _PURPOSE.match(folded, at) or (_LATER.match(folded, at) if pointer is not None else None)
    at = purpose.end() if purpose is not None else at
    left = folded[at:]
    mark = _MARK.match(left)
    is_back = pointer is not None and (
        _BACK.match(pointer[0]) is not None or (is_said and re.match(r"\W*(?:it|they)\b", left) is not None)
    )
    stated = _is_stated_before(before)
    is_aside = mark is not None and mark[0].strip() == "," and pointer is not None and (stated or is_said)
    asks = sentence.asks and not (sentence.mark != "?" and word[0].startswith("don't you"))
    if asks and not is_strong and not is_aside:
        return None
    if not plain(left) or (is_aside and (stated or is_back)):
        if left.strip() == ":":
            return Target("", goes_on=True)
        if word["know"]:
            return Target("", here=True) if pointer is not None and not left.strip() else None
        asks_back = sentence.asks and "please" not in folded and _TAG.search(folded, word.end()) is None
        if asks_back and is_back and is_sure and not stated and not left.strip():
            return None
        if stated and (pointer is not None or is_sure):
            return Target(part(sentence, 0, len(before)))
        if pointer is None:
            notes = is_said and not word[0].startswith("rem")
            is_told = is_sure and (_PLEASE.search(folded) or (sentence.mark != "?" and not sentence.asks))
            return Target("", here=True, ahead=True) if is_told or notes else None
        here = not is_sure and not word[0].endswith((" down", " away"))
        return Target("", ahead=not is_back, here=here and at == word.end())
    if TOLD.search(before) or (":" in before and len(before.split()) > _MOST_UNKNOWN):
        return None
    if not is_sure and _PLACE.match(left):
        return None
    if word[0].endswith(("note", "record", "memo")) and _ELSEWHERE.match(left):
        return None
    if pointer is not None and pointer[0] == "that" and mark is None and not word[0].startswith(("keep", "h")):
        at = word.end() - len(" that") if pointer.re is _POINTED.compiled and word[0].endswith(" that") else at
        left = folded[at:]
    inside = len(before.split()) >= _MOST_UNKNOWN and not _asks_you(before)
    if mark is not None:
        meant = _behind_mark(sentence, at + mark.end(), mark[0], word, pointer=pointer is not None)
    elif pointer is not None and not _THAT.match(left):
        meant = None
    else:
        meant = _clause(sentence, at, word, is_strong=is_strong)
    if meant is None or not inside or is_strong or (pointer is not None and mark is not None):
        return meant
    content = fold(meant.text)
    if re.match(rf"{_OWN}\b", content) and _STATES.search(content):
        return meant
    if _CONDITION.match(before) and _FORBIDS.match(content):
        return Target(f"{part(sentence, 0, len(before))}, {meant.text}")
    return None


def _behind_mark(sentence: OrderSentence, at: int, mark: str, word: "re.Match[str]", *, pointer: bool) -> Target | None:
    text = part(sentence, at)
    folded = fold(text)
    is_colon = ":" in mark or "-" in mark or "—" in mark or "–" in mark
    if sentence.asks and _WH.match(folded):
        return None
    if word["know"] or _NOTE.fullmatch(word[0]):
        said = _PERSONAL.search(folded) is not None and _STATES.search(folded) is not None
    elif is_colon or pointer:
        said = not _WH.match(folded) and (word["sure"] is not None or not _CODE.search(folded))
        said = said and (is_colon or not _OPINION.match(folded))
    else:
        said = _is_clause(folded) or bool(_FORBIDS.match(folded))
    return Target(text, goes_on=is_colon) if said else None


def _clause(sentence: OrderSentence, at: int, word: "re.Match[str]", *, is_strong: bool) -> Target | None:
    """Return the clause behind "remember", with its "that" or without, where it says something."""
    that = _THAT.match(sentence.folded, at)
    start = that.end() if that else len(sentence.folded) - len(sentence.folded[at:].lstrip())
    clause, text = sentence.folded[start:], part(sentence, start)
    if _FOR_ME.search(word[0]):
        of_it = _OF_IT.match(sentence.folded, word.end())
        meant = part(sentence, of_it.end() if of_it is not None else word.end())
        return Target(meant) if len(meant.split()) > 1 and not _WH.match(fold(meant)) else None
    if re.match(r"to\b", clause):
        return Target(part(sentence, start + 2)) if _LASTING.search(clause) and word["sure"] else None
    if len(clause.split()) < 2 or (
        _STORY.match(clause) and not (that and re.match(rf"if|when|{_OWN}\b", clause) and _STATES.search(clause))
    ):
        return None
    if word["know"]:
        return Target(text) if re.match(rf"{_OWN}\b", clause) or (that and _PERSONAL.search(clause)) else None
    if word["loose"]:
        if not that:
            return Target(text) if _VALUE.match(clause) and (is_strong or not sentence.asks) else None
        return (
            Target(text)
            if _PERSONAL.search(clause) or (not _NOTE.fullmatch(word[0]) and _STATES.search(clause))
            else None
        )
    if _FORBIDS.match(clause) and len(clause.split()) <= 8:
        return Target(text) if not sentence.asks else None
    if that:
        stated = (
            sentence.text[start].isupper() or _STATES.search(clause) is not None or _STATED.match(clause) is not None
        )
        return Target(text) if stated else None
    asks = (sentence.asks and not is_strong) or _ASKED_BEHIND.search(clause) or _UNTOLD.search(clause)
    return Target(text) if _is_clause(clause) and not asks else None


def _is_clause(folded: str) -> bool:
    return _STATED.match(folded) is not None and _STATES.search(folded) is not None and not _WH.match(folded)


def _is_stated_before(before: str) -> bool:
    """Return whether what stands before the clause in its sentence says something that may be kept."""
    folded = before.strip()
    if len(folded.split()) < 3 or NO_STATEMENT.match(folded) or _asks_you(folded):
        return False
    return clauses_of(before)[-1].act is Act.STATES and not re.search(r"\b(?:if|when|how|that|to)$", folded)


def _labelled(sentence: OrderSentence, found: "re.Match[str]") -> Target | None:
    rest = found["rest"]
    if sentence.asks:
        return None
    if not plain(rest):
        return Target("", goes_on=True) if found["mark"] == ":" else None
    for_me = "self" in found[0] or _PERSONAL.search(rest)
    if found["mark"] in (",", "that", "") and not (for_me and _STATES.search(rest) and not _OPINION.match(rest)):
        return None
    return Target(part(sentence, found.start("rest")), goes_on=found["mark"] == ":")


def _skipped(folded: str, at: int) -> int:
    """Return where "for me", "please" and the like end."""
    found = _FILLED.match(folded, at)
    return found.end() if found is not None else at


NO_STATEMENT = re.compile(
    r"(?:if|when|whenever|translate|write|say|tell|she said|he said|they said|who|what|how|why|never mind|ok|okay"
    r"|yes|no|sure|i'll|i will|don't worry|please (?:write|translate|say|tell)|before i|whatever)\b"
    r"|(?:and |so )*(?:that|this)\b.*\b(?:worth|important|useful|handy|matters)\b"
)


def is_request(sentence: OrderSentence) -> bool:
    """Return whether a sentence turns to something else."""
    return _REQUEST.match(sentence.folded) is not None


_REQUEST = LazyPattern(
    rf"(?:(?:{BY_THE_WAY})[\s,:!.-]+)*+(?:(?:can|could|would|will|do|does|did|are|is) you\b|what|how|why|where|when"
    rf"|who|which"
    r"|write|help|tell|give|show|let's|let us|now|then|also|next|make|create|find|explain|translate|summari[sz]e|please"
    r"|by the way|btw|anyway)\b"
)
