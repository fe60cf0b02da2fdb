"""What a sentence asks to forget, in English and Chinese. Traditional characters are folded before."""

import re
from dataclasses import replace

from nanobot_memory_plugins.core.text.acts import Act, clauses_of
from nanobot_memory_plugins.core.text.clauses import fold
from nanobot_memory_plugins.core.text.orders.sentences import OrderSentence, plain
from nanobot_memory_plugins.core.text.orders.target import Target, part
from nanobot_memory_plugins.core.text.orders.topics import topic_of
from nanobot_memory_plugins.core.text.orders.words import BY_THE_WAY, ENDS, FORGET, LEAD, POINTS, POLITE
from nanobot_memory_plugins.core.text.words import LazyPattern

_LEAD = rf"(?>(?:{BY_THE_WAY})[\s,:!.-]+)*+"
_ASKED = (
    r"(?P<asked>(?:(?:can|could|would|will) you|i (?:want|need|would like) you to|i'd like you to|you (?:should|must)"
    r"|(?:please )?make sure (?:to|you)|be sure to|please do)\s+(?:please |kindly |also |just |always )*)?"
)
_FORGET = r"(?:forget|stop remembering|don't remember|do not remember|unlearn)"
_BEFORE = (
    r"(?:this|that|it|these|those|them|the above|all (?:of )?(?:this|that)|(?:the )?(?:last"
    r"|previous) (?:message|part|thing)"
    r"|(?:this|that) (?:one|fact|info|information|preference|detail|message|thing|part|for (?:me|later|next time))"
    r"|what i(?:'ve| have)?(?: just)? (?:said|told you|wrote|mentioned|shared)(?: (?:before|earlier|above"
    r"|just now))?)"
)
_ONLY = (
    r"(?:[\s,]*(?:please|for (?:me|later|next time|the future|future reference)|forever|always|too"
    r"|as well|ok|okay|now|in (?:the )?future|thanks?(?: you)?|will you|would you))*\s*$"
)
_STORAGE = r"(?:in|into|to|from|out of) (?:your |the )?(?:long[- ]term )?(?:memory|memories)"

# Without one of these no clause asks for it.
_CALLS = LazyPattern(r"forget|unlearn|remember|memor|忘|记")
_WH = LazyPattern(r"(?:who|what|where|why|how|which|whether)\b")
_FORGOTTEN = LazyPattern(rf"{_LEAD}{_ASKED}(?P<verb>{_FORGET})\b(?P<rest>.*)", re.DOTALL)
_DELETED = LazyPattern(rf"{_LEAD}{_ASKED}(?:delete|remove|erase|wipe|clear|drop)\s+(?P<rest>.+?)\s+{_STORAGE}{_ONLY}")
_ABOUT = LazyPattern(
    r"\s*(?:all |everything )?(?:(?:that )?(?:what|everything|anything|all) )?(?:that )?(?:i|you"
    r"|we)(?:'ve| have)?(?: ever| just)? "
    r"(?:said|told you|wrote|mentioned|know|learned|remember|stored|shared)(?: to you)? (?:about"
    r"|regarding|on)\s+(?P<text>.+)"
    r"|\s*(?:the fact that|all about|everything about)\s+(?P<other>.+)"
)
_IDIOM = LazyPattern(
    r"\s*(?:(?:about )?it|about (?:it|that|this)|me|you|yourself|all|to|how|when|where|why|who"
    r"|(?:all )?(?:of )?(?:the |your |my |any )?(?:above|previous|prior|earlier"
    r"|system)? ?(?:instructions?|prompts?|rules|directions)\b.*)?"
    rf"{_ONLY}"
)
_ABOUT_ZH = LazyPattern(
    r"(?:(?:我|咱们)?(?:刚才|之前|上次|以前)?(?:跟你|和你|对你)?(?:说|讲|提)(?:过)?的?)?(?:关于|有关)(?P<text>.+?)"
    r"(?:的(?:所有|全部)?(?:记忆|事情|事|内容|信息|话|一切|部分|记录))?"
)


_FORGOTTEN_ZH = LazyPattern(rf"{LEAD}(?P<verb>{FORGET})(?P<rest>.*)", re.DOTALL)
_TAKEN = LazyPattern(
    rf"{LEAD}把(?P<what>.+?)(?:从(?:你的)?记忆(?:里|中)?)?(?P<verb>忘掉|忘记掉|忘了|忘记|删掉|删除|去掉"
    rf"|清除)(?P<rest>.*)",
    re.DOTALL,
)
_ERASED = LazyPattern(rf"{LEAD}(?:从(?:你的)?记忆(?:里|中)?)(?:删掉|删除|去掉|清除|忘掉)(?P<rest>.*)", re.DOTALL)
_DELETED_ZH = LazyPattern(rf"{LEAD}(?:删掉|删除|清除)(?P<rest>.+?)(?:的|这条|那条)?记忆{ENDS}", re.DOTALL)


def forgotten(sentence: OrderSentence) -> Target | None:
    """Return what a sentence asks to forget, or None.

    Its first clause is enough where the others only say why: "forget that I like tea, I am off it".
    """
    return _forgotten(sentence) or forgotten_first(sentence)


def forgotten_first(sentence: OrderSentence) -> Target | None:
    """Return what the first clause of a sentence names that is to be forgotten, where the others tell something."""
    if not _CALLS.search(sentence.folded):
        return None
    first, *others = clauses_of(sentence.text)
    if not others or any(one.act is not Act.STATES for one in others):
        return None
    end = sentence.text.find(others[0].text, len(first.text))
    alone = sentence.text[: max(end, 0)].rstrip(" ,，;；")
    found = _forgotten(replace(sentence, text=alone, folded=fold(alone), mark="", orders={})) if alone else None
    return found if found is not None and found.text else None


def _forgotten(sentence: OrderSentence) -> Target | None:
    return _forgotten_in_chinese(sentence) or _forgotten_in_english(sentence)


def _forgotten_in_english(sentence: OrderSentence) -> Target | None:
    deleted = _DELETED.fullmatch(sentence.folded)
    if deleted is not None:
        topic = topic_of(sentence.text[deleted.start("rest") : deleted.end("rest")])
        return Target(topic.text, everything=True) if topic else Target(_object(sentence, deleted))
    found = _FORGOTTEN.fullmatch(sentence.folded)
    if found is None or (sentence.asks and not found["asked"]):
        return None
    start, rest = found.start("rest"), found["rest"]
    if re.fullmatch(rf"\s+{_BEFORE}{_ONLY}", rest) and not re.match(r"\s+it\b", rest):
        return Target("")
    if _IDIOM.fullmatch(rest):
        return None
    if (topic := topic_of(sentence.text[start:])) is not None:
        return Target(topic.text, everything=True)
    about = _ABOUT.fullmatch(rest)
    if about is not None:
        name = "text" if about["text"] is not None else "other"
        return Target(part(sentence, start + about.start(name)))
    clause = re.match(r"\s+(?:that|about|:)?\s*", rest)
    begin = start + (clause.end() if clause else 0)
    words = sentence.folded[begin:]
    plainly = re.match(r"(?:i|i'm|my|mine|we|our|the (?:entry|memory|note|fact|todo|reminder|preference))\b", words)
    if not plainly or _WH.match(words) or len(words.split()) < 2:
        return None
    return Target(part(sentence, begin))


def _forgotten_in_chinese(sentence: OrderSentence) -> Target | None:
    folded = sentence.folded
    if (found := _TAKEN.fullmatch(folded)) is not None:
        what, rest = found["what"], found["rest"]
        from_memory = "从" in folded[found.end("what") : found.start("verb")] or found["verb"] in ("忘掉", "忘记掉")
        polite = bool(re.search(POLITE, found["lead"])) or "吧" in rest
        points = re.fullmatch(POINTS, what.strip()) is not None
        if (
            not re.fullmatch(ENDS, rest)
            or sentence.asks
            or not (from_memory or (polite and found["verb"][0] == "忘") or (points and found["verb"][0] == "忘"))
        ):
            return None
        return Target("") if points else _topic(sentence, found.start("what"), found.end("what"))
    found = _ERASED.fullmatch(folded) or _DELETED_ZH.fullmatch(folded)
    if found is not None and found["rest"].strip():
        points = re.fullmatch(rf"{POINTS}{ENDS}", found["rest"].strip()) is not None
        return Target("") if points else _topic(sentence, found.start("rest"), found.end("rest"))
    found = _FORGOTTEN_ZH.fullmatch(folded)
    if found is None or sentence.has_question:
        return None
    rest = found["rest"]
    if re.fullmatch(rf"\s*{POINTS}{ENDS}", rest):
        return Target("")
    lets_go = re.search(rf"吧{ENDS}$", rest) is not None
    if not plain(rest):
        return Target("") if lets_go or found["verb"] == "忘掉" else None
    polite = re.search(r"请|麻烦|拜托|帮我|给我|可以|能", found["lead"]) is not None
    sure = found["verb"] in ("忘掉", "忘记掉") and not rest.startswith("了")
    if not (
        sure or lets_go or polite or topic_of(rest) or re.match(r"\s*(?:关于|有关|我(?:刚才|之前)?说(?:过)?的)", rest)
    ):
        return None
    if found["verb"].startswith(("不要", "别")) and not re.match(rf"\s*(?:我|关于|{POINTS})", rest):
        return None
    return _topic(sentence, found.start("rest"), found.end("rest"))


def _object(sentence: OrderSentence, found: "re.Match[str]") -> str:
    if re.fullmatch(_BEFORE, found["rest"]):
        return ""
    text = sentence.text[found.start("rest") : found.end("rest")]
    return plain(
        re.sub(r"^(?:that|the fact that|this:|everything about|what i said about)\s+", "", text, flags=re.IGNORECASE)
    )


def _topic(sentence: OrderSentence, start: int, end: int) -> Target:
    """Return what is to be forgotten, without the words around it."""
    text = part(sentence, start, end)
    if (topic := topic_of(text)) is not None:
        return Target(topic.text, everything=True)
    tail = re.search(r"(?:这件事情?|那件事情?|的事情?|这条|那条|的记忆)$", fold(text))
    text = text[: tail.start() if tail else None]
    if (about := _ABOUT_ZH.fullmatch(fold(text))) is not None:
        text = text[about.start("text") : about.end("text")]
    return Target(plain(text))
