"""The Chinese rules for orders. Traditional characters are folded before they are compared."""

import re

from nanobot_memory_plugins.consolidation.commands.english import Meant
from nanobot_memory_plugins.consolidation.commands.sentences import Sentence, plain
from nanobot_memory_plugins.consolidation.commands.topics import topic_of
from nanobot_memory_plugins.core.text import fold, questions

_POLITE = (
    r"(?:(?:请|唔该|麻烦|拜托|劳烦)(?:你(?!可以|能(?!不能|否)|要|得))?|帮我|帮忙|给我|替我|可以|能不能|能否|可不可以|能|你可以|你能"
    r"|你要|你得|务必|一定要?|千万|记得)"
)
_LEAD = rf"(?P<lead>(?>{_POLITE}|好的?|那么?|对了|顺便|另外|还有|嗯|哦|喂|以后|先|再|也|要|都|nanobot|[\s,!、])*)"
_REMEMBER = (
    r"(?:牢牢)?(?:记住|记下来|记一下|记下|牢记|记到(?:你的)?记忆(?:里|中)|存到(?:你的)?记忆(?:里|中)"
    r"|记录一下|记录下来|备忘)(?:一下)?"
)
_DONT_FORGET = r"(?:不要|别|千万别|可别|勿|请勿|唔好|咪)忘(?:记|了|掉)?"
_FORGET = r"(?:忘掉|忘记掉|忘了|忘记|不要再记得?|别再记得?)"
_POINTS = (
    r"(?:这个|那个|这点|那点|这一点|那一点|这件事情?|那件事情?|这些|那些|这条|那条|这句话?|那句话?|这事|那事|这段话?|它|以上(?:内容)?"
    r"|这个(?:信息|事|事情|偏好|习惯|日期|地址|要求)|刚才(?:的|说的)?(?:那?个|话|事|内容)?|刚刚说的话?"
    r"|(?:我|咱们)?(?:刚才|刚刚|上面|之前)(?:跟你|和你|对你)?说的(?:话|事|内容|那个|这个|那些)?|我说的(?:话|这个|那个|这些)?)"
)
_ENDS = r"[\s,]*(?:吗|吧|哦|啊|呀|哈|了哦|好吗|好不好|可以吗|行吗|谢谢你?|拜托了?|就好|即可|啦|喔)*\s*"
# Who or what a statement begins with.
_SUBJECT = (
    r"(?:我|咱|本人|他|她|它|你|您|以后|今后|下次|每次|每天|每周|每月|每年|今天|明天|后天|昨天|下周|下个?月|周[一二三四五六日天]|星期|用户"
    r"|公司|项目|团队|家里|老婆|老公|妻子|丈夫|孩子|儿子|女儿|妈妈|爸爸|不要|别|只|从现在|从今|遇到|如果|当|\d)"
)
_STATES = re.compile(
    r"是|系|为|叫|在|有|喜欢|钟意|讨厌|爱|不吃|不喝|不能|不要|住|用|要|会|=|:|过敏|生日|改|换|开会|截止"
)
_BELOW = r"(?:以下|下面|如下)(?:的?这?[几一二两三四五][点条个件])?的?(?:内容|信息|事情|事项|话|几点)?"
_REQUEST = re.compile(rf"{_LEAD}(?:现在|然后|接下来|帮我|请|另外|顺便|你能|你可以|能不能|再|给我|写|查|翻译|总结|解释)")
_ABOUT = re.compile(
    r"(?:(?:我|咱们)?(?:刚才|之前|上次|以前)?(?:跟你|和你|对你)?(?:说|讲|提)(?:过)?的?)?(?:关于|有关)(?P<text>.+?)"
    r"(?:的(?:所有|全部)?(?:记忆|事情|事|内容|信息|话|一切|部分|记录))?"
)

_REMEMBERED = re.compile(rf"{_LEAD}你?{_REMEMBER}(?P<rest>.*)", re.DOTALL)
_KEPT = re.compile(rf"{_LEAD}把(?P<what>.+?)(?:给我|也|都)?{_REMEMBER}(?P<rest>.*)", re.DOTALL)
_NOT_FORGOTTEN = re.compile(rf"{_LEAD}{_DONT_FORGET}(?P<rest>.*)", re.DOTALL)
_HOLD = re.compile(
    r"(?P<lead>(?:[\s,!、]|好的?|对了|另外|还有|顺便)*(?:请|一定要?|务必|要|你要|麻烦)(?:你)?(?:一定要?)?)记得(?P<rest>.*)",
    re.DOTALL,
)
_FORGOTTEN = re.compile(rf"{_LEAD}(?P<verb>{_FORGET})(?P<rest>.*)", re.DOTALL)
_TAKEN = re.compile(
    rf"{_LEAD}把(?P<what>.+?)(?:从(?:你的)?记忆(?:里|中)?)?(?P<verb>忘掉|忘记掉|忘了|忘记|删掉|删除|去掉|清除)(?P<rest>.*)",
    re.DOTALL,
)
_ERASED = re.compile(rf"{_LEAD}(?:从(?:你的)?记忆(?:里|中)?)(?:删掉|删除|去掉|清除|忘掉)(?P<rest>.*)", re.DOTALL)
_DELETED = re.compile(rf"{_LEAD}(?:删掉|删除|清除)(?P<rest>.+?)(?:的|这条|那条)?记忆{_ENDS}", re.DOTALL)


_BEHIND = re.compile(
    rf"(?P<said>.+)[,;]\s*+(?>{_POLITE}|你|要|都|\s)*(?:(?:把{_POINTS})?{_REMEMBER}(?:了)?|{_DONT_FORGET}了?)(?:{_POINTS})?{_ENDS}"
)
_REPORTED = re.compile(r"说|讲|翻译|写|问|叫他|叫她|让他|让她|怎么|如果|要是|^(?:好|嗯|行|对)")


def remembered(sentence: Sentence) -> Meant | None:
    """Return what a sentence asks to remember, or None."""
    folded = sentence.folded
    if (found := _KEPT.fullmatch(folded)) is not None:
        return _kept(sentence, found)
    found = _REMEMBERED.fullmatch(folded)
    if found is not None:
        return _after(sentence, found, polite=bool(re.search(_POLITE, found["lead"])))
    for rule in (_NOT_FORGOTTEN, _HOLD):
        found = rule.fullmatch(folded)
        if found is not None:
            rest = found["rest"]
            if re.fullmatch(rf"\s*{_POINTS}{_ENDS}", rest):
                return Meant("")
            if re.match(rf"\s*[:,]?\s*{_SUBJECT}", rest) and _STATES.search(rest) and not sentence.has_question:
                return Meant(_cut(sentence, found.start("rest")))
            return Meant(_cut(sentence, found.start("rest")), goes_on=True) if re.match(r"\s*:", rest) else None
    return None


def forgotten(sentence: Sentence) -> Meant | None:
    """Return what a sentence asks to forget, or None."""
    folded = sentence.folded
    if (found := _TAKEN.fullmatch(folded)) is not None:
        what, rest = found["what"], found["rest"]
        from_memory = "从" in folded[found.end("what") : found.start("verb")] or found["verb"] in ("忘掉", "忘记掉")
        polite = bool(re.search(_POLITE, found["lead"])) or "吧" in rest
        points = re.fullmatch(_POINTS, what.strip()) is not None
        if (
            not re.fullmatch(_ENDS, rest)
            or sentence.asks
            or not (from_memory or (polite and found["verb"][0] == "忘") or (points and found["verb"][0] == "忘"))
        ):
            return None
        return Meant("") if points else _topic(sentence, found.start("what"), found.end("what"))
    for rule in (_ERASED, _DELETED):
        if (found := rule.fullmatch(folded)) is not None and found["rest"].strip():
            points = re.fullmatch(rf"{_POINTS}{_ENDS}", found["rest"].strip()) is not None
            return Meant("") if points else _topic(sentence, found.start("rest"), found.end("rest"))
    found = _FORGOTTEN.fullmatch(folded)
    if found is None or sentence.has_question:
        return None
    rest = found["rest"]
    if re.fullmatch(rf"\s*{_POINTS}{_ENDS}", rest):
        return Meant("")
    lets_go = re.search(r"吧\s*$", rest) is not None
    if not plain(rest):
        return Meant("") if lets_go or found["verb"] == "忘掉" else None
    polite = re.search(r"请|麻烦|拜托|帮我|给我|可以|能", found["lead"]) is not None
    sure = found["verb"] in ("忘掉", "忘记掉") and not rest.startswith("了")
    if not (
        sure or lets_go or polite or topic_of(rest) or re.match(r"\s*(?:关于|有关|我(?:刚才|之前)?说(?:过)?的)", rest)
    ):
        return None
    if found["verb"].startswith(("不要", "别")) and not re.match(rf"\s*(?:我|关于|{_POINTS})", rest):
        return None
    return _topic(sentence, found.start("rest"), found.end("rest"))


def points_back(sentence: Sentence) -> Meant | None:
    """Return what stands before the comma in "..., remember that", or None."""
    found = _BEHIND.fullmatch(sentence.folded)
    if found is None or sentence.asks or _REPORTED.search(found["said"]) or len(found["said"].strip()) < 4:
        return None
    return Meant(_part(sentence, found.start("said"), found.end("said")))


def is_request(sentence: Sentence) -> bool:
    """Say whether a sentence turns to something else."""
    return _REQUEST.match(sentence.folded) is not None


def _kept(sentence: Sentence, found: "re.Match[str]") -> Meant | None:
    what, rest = found["what"].strip(), found["rest"]
    if sentence.has_question and not re.search(r"能|可以|可不可以", found["lead"]):
        return None
    behind = re.match(r"\s*[:,]\s*", rest)
    if behind is not None and plain(rest):
        text = _cut(sentence, found.start("rest") + behind.end())
        if re.fullmatch(_POINTS, what):
            return Meant(text, goes_on=True)
        return Meant(f"{sentence.text[found.start('what') : found.end('what')]}:{text}", goes_on=True)
    if not re.fullmatch(_ENDS, rest) and not re.fullmatch(r"\s*:", rest):
        return None
    if re.fullmatch(_POINTS, what):
        return Meant("", goes_on=rest.strip() == ":")
    return Meant(_part(sentence, found.start("what"), found.end("what"))) if _STATES.search(what) else None


def _after(sentence: Sentence, found: "re.Match[str]", *, polite: bool) -> Meant | None:
    rest, start = found["rest"], found.start("rest")
    can = re.search(r"能|可以|可不可以", found["lead"]) is not None
    if re.match(r"了|过|没", rest) or (not rest.strip(" ,!:") and not rest.strip().endswith(":")):
        return Meant("") if polite and re.fullmatch(_ENDS, rest) else None
    if re.fullmatch(rf"\s*{_POINTS}{_ENDS}", rest):
        return None if sentence.asks and not (can or polite) else Meant("")
    if sentence.has_question and not (can and not questions.asks_by_a_word(rest)):
        return None
    colon = re.match(rf"(?:哦|啊|喔|哈|呀|了哦)?\s*(?:(?:{_POINTS}|{_BELOW}){_ENDS})?\s*[:,]\s*", rest)
    if colon is not None:
        return Meant(_cut(sentence, start + colon.end()), goes_on=":" in colon[0])
    if re.match(rf"\s*{_SUBJECT}", rest) or (_STATES.search(rest) and polite):
        return Meant(_cut(sentence, start))
    return (
        Meant(_cut(sentence, start))
        if re.search(r"是|为|叫|=", rest) and not re.search(r"的(?:功能|按钮|选项|实现|逻辑)", rest)
        else None
    )


def _topic(sentence: Sentence, start: int, end: int) -> Meant:
    """Return what is to be forgotten, without the words around it."""
    text = _part(sentence, start, end)
    if (topic := topic_of(text)) is not None:
        return Meant(topic.text, everything=True)
    tail = re.search(r"(?:这件事情?|那件事情?|的事情?|这条|那条|的记忆)$", fold(text))
    text = text[: tail.start() if tail else None]
    if (about := _ABOUT.fullmatch(fold(text))) is not None:
        text = text[about.start("text") : about.end("text")]
    return Meant(plain(text))


def _part(sentence: Sentence, start: int, end: int) -> str:
    return plain(sentence.text[start:end])


def _cut(sentence: Sentence, start: int) -> str:
    text = plain(sentence.text[start:])
    return plain(text[:-1]) if questions.CLOSING.search(fold(text)) else text
