"""The Chinese rules for orders. Traditional characters are folded before they are compared."""

import re
from itertools import islice

from nanobot_memory_plugins.consolidation.commands.chinese_words import (
    ASK_FORM,
    BELOW,
    DONT_FORGET,
    ENDS,
    FORGET,
    LEAD,
    LOOSE,
    POINTS,
    POLITE,
    REMEMBER,
    STATES,
    SUBJECT,
)
from nanobot_memory_plugins.consolidation.commands.english import Meant
from nanobot_memory_plugins.consolidation.commands.sentences import Sentence, plain
from nanobot_memory_plugins.consolidation.commands.topics import topic_of
from nanobot_memory_plugins.core.text import CLOSING, asks_by_a_word, fold

_REQUEST = re.compile(rf"{LEAD}(?:现在|然后|接下来|帮我|请|另外|顺便|你能|你可以|能不能|再|给我|写|查|翻译|总结|解释)")
_ABOUT = re.compile(
    r"(?:(?:我|咱们)?(?:刚才|之前|上次|以前)?(?:跟你|和你|对你)?(?:说|讲|提)(?:过)?的?)?(?:关于|有关)(?P<text>.+?)"
    r"(?:的(?:所有|全部)?(?:记忆|事情|事|内容|信息|话|一切|部分|记录))?"
)

_REMEMBERED = re.compile(rf"{LEAD}你?{REMEMBER}(?P<rest>.*)", re.DOTALL)
_NOTED = re.compile(
    rf"{LEAD}你?(?:(?:将|把)?(?:以下|下面|这)(?:的?(?:内容|信息|事情|事项|话|几点|个|条|点|事))?)?(?:请|予以|给我|帮我|先|也)*{LOOSE}(?P<rest>.*)",
    re.DOTALL,
)
_KEPT = re.compile(rf"{LEAD}把(?P<what>.+?)(?:给我|也|都)?{REMEMBER}(?P<rest>.*)", re.DOTALL)
_NOT_FORGOTTEN = re.compile(rf"{LEAD}{DONT_FORGET}(?P<rest>.*)", re.DOTALL)
_HOLD = re.compile(
    rf"(?P<lead>(?>{POLITE}|你|您|好的?|对了|另外|还有|顺便|以后|今后|下次|现在|都|也|还|就|[\s,!、])*)记得(?P<mark>(?:哦|啊|喔|呀|哈|噢|呢|哟|嗷|着"
    rf"|一下|以下|了)*[\s,:~]*)(?P<rest>.*)",
    re.DOTALL,
)
# What holds of the user, and is no story of how it was.
_HOLDS = re.compile(
    r"(?:我们?(?:家|公司|团队)?|咱们?家?|本人|我(?:的|家)?(?:老婆|老公|妻子|丈夫|孩子|儿子|女儿|妈|爸|奶奶|爷爷|猫|狗|生日|名字|左|右)[^,]{0,6}?)(?:现在|平时|都"
    r"|也|一直|从来|其实|已经|的)?"
    r"(?:是|不|对|怕|叫|姓|属|住|喜欢|讨厌|只|最?爱|恨|吃[素辣斋]|养|有|在|用|改|换|搬|要|每|周|星期|今年|下|明|\d|左|右|听|看不|没(?:有)?[^过]{1,6}$)"
)
_STORY = re.compile(
    "那[年天次时晚个]|当[时年初]|第一次|小时候|以前|上次|去年|昨[天晚]|曾经|[过的]吗|的时候|刚认识|会儿"
)
# What the user wants kept, behind a word for it: "有件事要你记住：".
_ANNOUNCED = re.compile(
    rf"(?>[\s,!、~]|好的?|对了|顺便|另外|还有|嗯|哦|喂|哎)*(?:(?:我跟你说|我和你说|跟你说|告诉你)?(?:我)?(?:有|还有)?(?:个|件|一件|一个|几件|几个|一点|两件|条"
    rf"|一条)(?:重要的?|小)?(?:事情?|事儿|信息|东西|点)(?:得|要|想|需要|希望)?|(?:我)?(?:想|要|得|需要|希望))"
    rf"(?:让|请|麻烦|拜托|叫)?(?:你|您)?(?>{POLITE}|你|都)*(?:{REMEMBER}|{LOOSE})(?P<mark>{ENDS}[,:]?\s*)(?P<rest>.*)",
    re.DOTALL,
)
# "这个你得记牢了：...".
_THIS_FIRST = re.compile(
    rf"(?>[\s,!、~]|好的?|对了|顺便|另外|还有|嗯|哦|喂|哎)*{POINTS},?(?>{POLITE}|你|您|都|也|以后|可)*(?:(?P<sure>{REMEMBER}"
    rf"|{DONT_FORGET})|{LOOSE})(?P<mark>{ENDS}[,:]?\s*)(?P<rest>.*)",
    re.DOTALL,
)
_LABELLED = re.compile(
    r"(?>[\s,!、~]|对了|顺便|另外|还有)*(?:备注|备忘|备忘录|小?记事|记|记录|提醒自己|给自己的?(?:备忘|备注|提醒)|(?:供|给|留)?(?:以后|日后|今后|下次|将来)(?:参考"
    r"|备用|用得上|用)|留底|存档|个人(?:信息|备忘|情况)|长期记忆|记忆(?:更新)?"
    r"|(?:关于我|我)的?(?:一|几)?[个件点条]?(?:小)?(?:事情?|信息|事实|情况)(?:你)?(?:要|需要|得|应该)?(?:记住|知道|记一下)?|(?:有)?(?:一"
    r"|几)?[个件点条](?:事情?|信息)?(?:关于我)?(?:要|需要|得)(?:记住|记一下|注意))(?:一下)?\s*:\s*(?P<rest>.*)",
    re.DOTALL,
)
# Where an order may begin behind another request: 帮我订个餐厅，记得我不吃辣.
_HELD = re.compile(
    rf"(?>{POLITE}|你|您|也|都|但是?|还有|同时|并且?|而且|千万|\s)*(?:{REMEMBER}|{DONT_FORGET}|记得|记着)(?:了|哦|啊|,|:|\s)*"
)
_JOINS = re.compile(r"(?:哦|嗯|啊|欸|诶|对了|还有|另外|然后|那|\s)*")
_WITHIN = re.compile(r"[,;、!~]|时候?,?")
_MOST_PLACES = 8
_FORGOTTEN = re.compile(rf"{LEAD}(?P<verb>{FORGET})(?P<rest>.*)", re.DOTALL)
_TAKEN = re.compile(
    rf"{LEAD}把(?P<what>.+?)(?:从(?:你的)?记忆(?:里|中)?)?(?P<verb>忘掉|忘记掉|忘了|忘记|删掉|删除|去掉|清除)(?P<rest>.*)",
    re.DOTALL,
)
_ERASED = re.compile(rf"{LEAD}(?:从(?:你的)?记忆(?:里|中)?)(?:删掉|删除|去掉|清除|忘掉)(?P<rest>.*)", re.DOTALL)
_DELETED = re.compile(rf"{LEAD}(?:删掉|删除|清除)(?P<rest>.+?)(?:的|这条|那条)?记忆{ENDS}", re.DOTALL)


_BEHIND = re.compile(
    rf"(?P<said>.+)[,;!~]\s*+(?>{POLITE}|你|您|要|都|以后|今后|下次|这(?:个|点|事|条|件事)也?|也|就|\s)*"
    rf"(?:(?:把)?(?:{POINTS})?,?(?>{POLITE}|你|您|都|也|\s)*(?:{REMEMBER}|{LOOSE})(?:了)?|{DONT_FORGET}了?|(?:记得"
    rf"|记着|记住)(?:哦|啊|喔|了|呀|哈|一下)?)(?:{POINTS})?{ENDS}"
)
_REPORTED = re.compile(r"(?<![小传])说(?!明书)|讲|翻译|写|问|叫他|叫她|让他|让她|怎么|如果|要是|^(?:好|嗯|行|对)")
# How one begins to tell something.
_TELLS = re.compile(
    r"(?:[\s,!、~]|好的?|对了|顺便|另外|哎|诶)*(?:(?:我)?(?:[跟和给对]你|同你)(?:说|讲|交代)(?:一下|一声|个事儿?|件事|下)?|告诉你(?:一下|一声|个事儿?|件事)?"
    r"|提醒(?:你)?(?:一下|下)?|(?:我)?(?:说|讲)(?:一下|下|个事儿?|件事)|报备(?:一下)?|更新一下|你?(?:心里)?(?:得|要)?有个?数(?:啊|哦|吧)?"
    r"|你?听[好着])[\s,:!~]+"
)


def remembered(sentence: Sentence) -> Meant | None:
    """Return what a sentence asks to remember, or None."""
    folded = sentence.folded
    if (found := _KEPT.fullmatch(folded)) is not None:
        return _kept(sentence, found)
    for rule in (_THIS_FIRST, _ANNOUNCED):
        if (found := rule.fullmatch(folded)) is not None:
            return _announced(sentence, found)
    if (found := _LABELLED.fullmatch(folded)) is not None:
        rest = found["rest"]
        if sentence.has_question or (plain(rest) and not (STATES.search(rest) or re.match(SUBJECT, rest))):
            return None
        return Meant(_cut(sentence, found.start("rest")), goes_on=True)
    found = _REMEMBERED.fullmatch(folded)
    if found is not None:
        return _after(sentence, found, polite=bool(re.search(POLITE, found["lead"])))
    if (found := _NOTED.fullmatch(folded)) is not None:
        return _noted(sentence, found)
    for rule in (_NOT_FORGOTTEN, _HOLD):
        found = rule.fullmatch(folded)
        if found is not None:
            return _held(sentence, found, is_hold=rule is _HOLD)
    places = islice(_WITHIN.finditer(folded), _MOST_PLACES)
    return next(filter(None, (_inside(sentence, place.end()) for place in places)), None)


def _held(sentence: Sentence, found: "re.Match[str]", *, is_hold: bool) -> Meant | None:
    """Return what "don't forget" and 记得 want kept: a statement, and no task."""
    rest = found["rest"]
    if re.fullmatch(rf"\s*{POINTS}{ENDS}", rest):
        return Meant("") if not is_hold or re.search(POLITE, found["lead"]) else None
    points = re.match(rf"\s*{POINTS}{ENDS}\s*[:,—–-]+\s*", rest)
    if sentence.has_question:
        return None
    if points is not None:
        return Meant(_cut(sentence, found.start("rest") + points.end()), goes_on=True)
    if is_hold and not re.search(r"请|一定|务必|要|麻烦|你|以后|下次|得", found["lead"]):
        if not _HOLDS.match(rest) or _STORY.search(rest):
            return None
        return Meant(_cut(sentence, found.start("rest")))
    if not plain(rest):
        return Meant("", here=True)
    if re.match(rf"\s*[:,]?\s*{SUBJECT}", rest) and STATES.search(rest):
        return Meant(_cut(sentence, found.start("rest")))
    return Meant(_cut(sentence, found.start("rest")), goes_on=True) if re.match(r"\s*:", rest) else None


def _announced(sentence: Sentence, found: "re.Match[str]") -> Meant | None:
    """Return what stands behind "这个你要记住" and "有件事要你记住", or what follows it."""
    rest = found["rest"]
    if not plain(rest):
        return (
            None
            if sentence.asks and not ASK_FORM.search(found[0])
            else Meant("", goes_on=":" in found["mark"], ahead=True)
        )
    if sentence.has_question or not re.search(r"[,:\s]", found["mark"]):
        return None
    if not (STATES.search(rest) or re.match(SUBJECT, rest)):
        return None
    return Meant(_cut(sentence, found.start("rest")), goes_on=":" in found["mark"])


def _noted(sentence: Sentence, found: "re.Match[str]") -> Meant | None:
    """Return what is to be noted, of what is told to write down as well: what says something of the user."""
    rest, start = found["rest"], found.start("rest")
    can = ASK_FORM.search(found["lead"]) is not None
    if sentence.has_question and not (can and not asks_by_a_word(rest)):
        return None
    if re.fullmatch(rf"\s*(?:{POINTS})?{ENDS}", rest):
        return Meant("", here=True)
    colon = re.match(rf"(?:哦|啊|喔|哈|呀|了)?\s*(?:(?:{POINTS}|{BELOW}){ENDS})?\s*[:,]\s*", rest)
    said = rest[colon.end() :] if colon is not None else rest
    own = re.match(
        r"\s*(?:(?:今[天早晚年]|昨[天晚]|刚才|早上|中午|晚上)(?=.*\d)|我|俺|咱|本人|家里|老婆|老公|孩子|(?:i|my|we|our)\b)",
        said,
    )
    if colon is None and not own:
        return None
    if not STATES.search(said) or re.match(r"我们?的?(?:代码|文件|文档|数据|配置|修改|进度|日志)", said):
        return None
    return Meant(_cut(sentence, start + (colon.end() if colon else 0)), goes_on=colon is not None and ":" in colon[0])


def _inside(sentence: Sentence, start: int) -> Meant | None:
    """Return what an order behind another request keeps: the user's word on the user, or what it plainly names."""
    before = _TELLS.sub("", sentence.folded[:start])
    if (
        _REPORTED.search(before)
        or ":" in before
        or sentence.asks
        or re.match("我?(?:还|总)?(?:记得|知道|觉得)", before)
    ):
        return None
    joins = _JOINS.match(sentence.folded, start)
    start = joins.end() if joins is not None else start
    rest = Sentence(sentence.text[start:], sentence.folded[start:], sentence.mark)
    held = _HELD.match(rest.folded)
    if held is not None and _HOLDS.match(rest.folded, held.end()) and not _STORY.search(rest.folded):
        return Meant(_cut(rest, held.end()))
    found = (
        _REMEMBERED.fullmatch(rest.folded)
        or _NOTED.fullmatch(rest.folded)
        or _THIS_FIRST.fullmatch(rest.folded)
        or _ANNOUNCED.fullmatch(rest.folded)
    )
    if (
        found is None
        or not re.search(r"[帮替给]我|请|麻烦|劳驾|拜托|你|这|有|顺[手便]", rest.folded[: found.start("rest")])
        or not plain(found["rest"])
    ):
        return None
    meant = remembered(rest)
    return meant if meant is not None and meant.text else None


def forgotten(sentence: Sentence) -> Meant | None:
    """Return what a sentence asks to forget, or None."""
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
        return Meant("") if points else _topic(sentence, found.start("what"), found.end("what"))
    for rule in (_ERASED, _DELETED):
        if (found := rule.fullmatch(folded)) is not None and found["rest"].strip():
            points = re.fullmatch(rf"{POINTS}{ENDS}", found["rest"].strip()) is not None
            return Meant("") if points else _topic(sentence, found.start("rest"), found.end("rest"))
    found = _FORGOTTEN.fullmatch(folded)
    if found is None or sentence.has_question:
        return None
    rest = found["rest"]
    if re.fullmatch(rf"\s*{POINTS}{ENDS}", rest):
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
    if found["verb"].startswith(("不要", "别")) and not re.match(rf"\s*(?:我|关于|{POINTS})", rest):
        return None
    return _topic(sentence, found.start("rest"), found.end("rest"))


def points_back(sentence: Sentence) -> Meant | None:
    """Return what stands before the comma in "..., remember that", or None."""
    found = _BEHIND.fullmatch(sentence.folded)
    if found is None or (sentence.asks and not ASK_FORM.search(sentence.folded[found.end("said") :])):
        return None
    tells = _TELLS.match(found["said"])
    start = tells.end() if tells is not None else 0
    said = found["said"][start:]
    if (
        _REPORTED.search(said)
        or len(said.strip()) < 4
        or asks_by_a_word(said)
        or re.match(r"\s*(?:[你他她它]|谁)", said)
    ):
        return None
    return Meant(_part(sentence, start, found.end("said")))


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
        if re.fullmatch(POINTS, what):
            return Meant(text, goes_on=True)
        return Meant(f"{sentence.text[found.start('what') : found.end('what')]}:{text}", goes_on=True)
    if not re.fullmatch(ENDS, rest) and not re.fullmatch(r"\s*:", rest):
        return None
    if re.fullmatch(POINTS, what):
        return Meant("", goes_on=rest.strip() == ":", ahead=True)
    return Meant(_part(sentence, found.start("what"), found.end("what"))) if STATES.search(what) else None


def _after(sentence: Sentence, found: "re.Match[str]", *, polite: bool) -> Meant | None:
    rest, start = found["rest"], found.start("rest")
    can = ASK_FORM.search(found["lead"]) is not None
    if polite and re.fullmatch(rf"{ENDS}", rest):
        return Meant("", ahead=True)
    if re.match(r"了(?!,|:|\s|哦|啊|哈)|过(?!敏|期|年)|没", rest) or (
        not rest.strip(" ,!:") and not rest.strip().endswith(":")
    ):
        return None
    if re.fullmatch(rf"\s*{POINTS}{ENDS}", rest):
        return None if sentence.asks and not (can or polite) else Meant("", ahead=True)
    if sentence.has_question and not (can and not asks_by_a_word(rest)):
        return None
    colon = re.match(rf"(?:哦|啊|喔|哈|呀|了哦?)?\s*(?:(?:{POINTS}|{BELOW}){ENDS})?\s*[:,]\s*", rest)
    if colon is not None:
        return Meant(_cut(sentence, start + colon.end()), goes_on=":" in colon[0])
    if re.match(rf"\s*{SUBJECT}", rest) or (STATES.search(rest) and polite):
        says = not can or (STATES.search(rest) and not re.match(r"\s*用户", rest))
        return Meant(_cut(sentence, start)) if says else None
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
    return plain(text[:-1]) if CLOSING.search(fold(text)) else text
