"""Clauses: the parts of a sentence that can each do something of their own, and the spelling in which rules see them.

A comma or an "and" is the border of a clause where a clause begins behind it: "flour, sugar, and eggs" is one. What
stands before the first clause ("In May, ...", "Hi Ann, ...") is its lead.
"""

from dataclasses import dataclass

from nanobot_memory_plugins.core.text import questions, requests
from nanobot_memory_plugins.core.text.cantonese import written
from nanobot_memory_plugins.core.text.words import LazyPattern
from nanobot_memory_plugins.redaction.script.chinese_script import SIMPLIFIED_OF

_FOLD = SIMPLIFIED_OF | str.maketrans("：，；？！（）　’‘ʼ＇", ":,;?!() ''''")

_BORDERS = (
    r"[,:](?!\d)(?!//)\s*|(?<!\s)\s++[-–—]++\s+|——"
    r"|(?<!\s)\s++(?=(?:and|but|so|because|since|though|although|given|now that)\s)"
    r"|(?<!\s)\s*+\((?=\w)"
    rf"|(?<!\s)\s++(?=(?:what|how|which|where|when|who|why) (?:\w+ )?{questions.AUXILIARY} {questions.PERSON}\b)"
    # Chinese that is typed without punctuation has blanks in its place.
    r"|(?<=\w[\u4e00-\u9fff])[ \u3000]++(?=[\u4e00-\u9fff]\w)"
    r"|(?<=[啦啊呀喔哦耶咧吗呢吧嘛])[ \u3000]++(?=\w)|(?<=[\u4e00-\u9fff]{2})嗯++(?=[\u4e00-\u9fff]{2})"
    # "My baby is seven months old may she eat eggs", typed in one breath.
    r"|(?<=[\u4e00-\u9fff]{3}了)(?=(?:能|可以|还能|该|应该|咋|怎[么样]|要不要|会不会|是不是|有没有|有什么|有啥|为什么|为啥)[\u4e00-\u9fff])"
    r"|(?=但是?(?!愿)|(?<!只)不过(?!敏)|所以|(?<!是)因为|可是|然而|而且)"
)
_BORDER = LazyPattern(_BORDERS)
_PHRASE_BORDER = LazyPattern(
    rf"{_BORDERS}|[、。！？!?]|[.;](?=\s)|(?<=[\u4e00-\u9fff]{{3}}了)(?=[没不](?!\W|$|有\W|有$))"
)
# "It's Tuesday not Monday", 是周二不是周一: what stands before "not" is affirmed, unless it is what is denied.
_CONTRAST = LazyPattern(
    r"\b(?!(?:is|am|are|was|were|be|been|do|does|did|have|has|had|can|could|will|would|shall|should|may|might|must"
    r"|ought|need|dare|im|its|it|hes|shes|thats|theyre|youre|i|we|you|he|she|they|that|why|if|or|and|but|so|then"
    r"|also|still|now|just|maybe|perhaps|better|rather|course|though|because|(?!july|family)\w+ly|\w+'\w+)\b)[\w%]+"
    r"(?=\s+(?:now )?not (?!(?:to|only|just|even|sure|yet|really|so)\b)[^\s,.;!?]+(?: [^\s,.;!?]+){0,2}"
    r"\s*(?:$|[,.;!?]))"
    "|([是姓叫在去用要喝吃住养学坐])[^,，。；;、不]{1,8}?(?=不\\1)"
)
_JOINING = LazyPattern(
    r"(?:(?:and|but|so|or|because|since|given|now that|although|though|also|now|then|yet|however|plus|well|ok"
    r"|okay|oh|hey|hi|hello|hmm?|wait"
    r"|actually|really|by the way|btw|anyway|today|just|question|quick question|yes|no)\b[ ,:.!-]*)+"
    r"|(?:[ ,:]|但是?|不过|所以|因为|由于|既然|可是|然而|而且|那么?(?=[我你他她它])"
    # 那个啥, 那什么: where one looks for words, and goes on with "I" or "you".
    "|那个?(?:啥|什么|谁)(?=[ ,]*[我咱俺你您](?!要|想|会|都|[吃喝用去]))"
    "|(?:也许|可能|大概|或许)吧(?=,)|对了|另外|还有|然后|嗯|哦|喂|诶|欸|哎|呃|你好|您好)+"
)
_PRONOUN = LazyPattern(
    r"(?:i|we|you|he|she|it|they|there|this|that|everyone|nobody|someone|mine|ours)'(?:m|s|re|ve|ll|d)\b"
    r"|(?:im|ive|its|hes|shes|thats|theres|theyre|youre|weve|theyve|youve) \w"
    r"|(?:i|we|you|he|she|it|they|there|this|that|these|everyone|nobody|someone|mine|ours) (?!and\b|or\b|but\b)\w"
)
_FINITE = (
    r"(?:is|are|was|were|isn't|aren't|wasn't|weren't|has|have|had|hasn't|haven't|will|won't|can|can't|cannot"
    r"|could|should|would|must"
    r"|may|might|do|does|did|doesn't|don't|didn't|likes?|loves?|hates?|lives?|works?|comes?|came|says?|said"
    r"|takes?|took|wants?|needs?|makes?|made"
    r"|goes|went|costs?|starts?|ends?|runs?|ran|lasts?|broke|moved|died|keeps?|kept|gets?|got|uses?|fails?"
    r"|leaves?|left|means?|seems?|told"
    r"|wrote|sends?|sent|prefers?|drinks?|eats?|speaks?|asks?|asked|called|arrives?|opens?|closes?|knows?|knew"
    r"|became|gave|has|'s)"
)
_SUBJECT_AND_VERB = LazyPattern(rf"(?:[\w'.+#-]+ ){{1,5}}?{_FINITE}\b")
_OBJECT = r"(?:me|it|him|her|them|us|this|that|these|those|the|my|our|your|a|an|all|only|always|in|to)\b"
_IMPERATIVE = LazyPattern(rf"{requests.VERB} {_OBJECT}")
_CONDITION = LazyPattern(
    r"(?:if|when|whenever|unless|in case|once|while|suppose|supposing|imagine|assuming|hypothetically)\b"
)
_ASKED_FOR = ("please ", "pls ", "don't ", "dont ", "do not ", "never ", "always ", "let's ", "can you ", "could you ")
# Behind a comma these go on: "my cat, who is 12, is deaf".
_RELATIVE = LazyPattern(r"(?:which|who|whose|whom|where|when|that) ")
_GOES_ON = LazyPattern(rf"{questions.AUXILIARY}\b|{_FINITE}\b")
_OWN = LazyPattern(r"\b(?:i|we|he|she|they|it|you) (?!and\b|or\b)\w")
_FRAGMENT = LazyPattern(r"(?:[\w'-]+ ){1,3}(?:ok|okay|fine|safe|possible|allowed|good|bad|advisable|any good)\W*$")
_QUOTED = LazyPattern('(?<=.)(?:"[^"]{1,300}"|“[^”]{1,300}”|「[^」]{1,300}」|『[^』]{1,300}』|《[^》]{1,100}》)')
_CHINESE = LazyPattern("[\u3400-\u9fff]")
_CHINESE_CLAUSE = LazyPattern("[\u3400-\u9fff].*[\u3400-\u9fff]")
# "I almost bought it but went with another one" says in its second part what is so.
_INSTEAD = LazyPattern(
    r"but (?:then |instead |in the end |eventually |finally |we |i )*\w+(?:ed|ent|ook|ought|ot|ose|ept|ayed)\b"
)
# A sentence with more pieces is data.
_MOST = 40


def fold(text: str) -> str:
    """Return a text in the spelling in which rules compare: lower case, simple characters, narrow punctuation.

    A few words of Cantonese stand in it as written Chinese has them. Every character keeps its place.
    """
    folded = text.translate(_FOLD)
    if folded.isascii():
        return folded.lower()
    lower = written(folded).lower()
    if len(lower) == len(folded):
        return lower
    return "".join(one if len(low := one.lower()) != 1 else low for one in written(folded))


def without_quoted(folded: str) -> str:
    """Return a folded text with dashes in the place of what it quotes, unless that is all of it."""
    return _QUOTED.sub(lambda found: f"{found[0][0]}{'-' * (len(found[0]) - 2)}{found[0][-1]}", folded)


@dataclass(frozen=True, slots=True)
class Piece:
    """Where a clause stands in its sentence. ``core`` is where it begins behind its lead and what joins it."""

    start: int
    core: int
    end: int


def clauses_in(folded: str, *, asks: bool = False) -> list[Piece]:
    """Return the clauses of a folded sentence, all of it, in their order. ``asks``: it has a question mark."""
    starts = [0]
    for found in _BORDER.finditer(folded):
        if found.end() > starts[-1] and found.end() < len(folded):
            starts.append(found.end())
        if len(starts) == _MOST:
            break
    pieces: list[Piece] = []
    is_relative = False
    held: int | None = None
    for start, end in zip(starts, [*starts[1:], len(folded)], strict=True):
        core = core_of(folded, start)
        start, held = held if held is not None else start, None
        if core >= end and end < len(folded):  # an "and" or "so" alone belongs to what follows
            held = start
            continue
        goes_on = start > 0 and (
            (is_relative and _GOES_ON.match(folded, core)) or (not asks and _RELATIVE.match(folded, core))
        )
        is_relative = bool(goes_on) and not is_relative
        if not goes_on and (begins_a_clause(folded, core, end) or _INSTEAD.match(folded, start)):
            pieces.append(Piece(start if pieces else 0, core, end))
        elif pieces:
            last = pieces[-1]
            pieces[-1] = Piece(last.start, last.core, end)
    return pieces or [Piece(0, core_of(folded, 0), len(folded))]


def phrases_of(text: str) -> list[str]:
    """Return the parts of a text, each of which may affirm or deny by itself: "two cats and no time" has two.

    Finer than clauses: a part need not have a verb.
    """
    folded = fold(text)
    borders = [found.span() for found in _PHRASE_BORDER.finditer(folded)]
    borders += [(found.end(), found.end()) for found in _CONTRAST.finditer(folded)]
    parts: list[str] = []
    start = 0
    for border, after in sorted(borders):
        parts.append(text[start:border])
        start = max(start, after)
    return [part.strip() for part in (*parts, text[start:]) if part.strip()]


def core_of(folded: str, start: int) -> int:
    """Return where a clause begins behind "and", "so", "hi" and the like."""
    found = _JOINING.match(folded, start)
    return found.end() if found is not None else start


def begins_a_clause(folded: str, start: int, end: int) -> bool:
    """Return whether a clause stands between two places of a folded text."""
    if _CHINESE.search(folded, start, end):
        return _CHINESE_CLAUSE.search(folded, start, end) is not None
    part = folded[start:end]
    return (
        _PRONOUN.match(part) is not None
        or _CONDITION.match(part) is not None
        or questions.OPENING.match(part) is not None
        or _SUBJECT_AND_VERB.match(part) is not None
        or _IMPERATIVE.match(part) is not None
        or part.startswith(_ASKED_FOR)
        or _FRAGMENT.match(part) is not None
        or _OWN.search(part) is not None
    )
