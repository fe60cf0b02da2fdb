"""What a Chinese sentence asks to be kept in memory. Traditional characters are folded before they are compared.

As in English: words of asking alone before a word of keeping, and something that is said.
"""

import re
from dataclasses import replace

from nanobot_memory_plugins.consolidation.commands.chinese_words import (
    ASK_FORM,
    ASKING,
    BELOW,
    NO_LEAD,
    SOMEBODY,
    STATES,
    STRONG,
    SUBJECT,
)
from nanobot_memory_plugins.core.text import (
    CHINESE_WEEK,
    CHINESE_WEEKDAY,
    CLOSING,
    Act,
    LazyPattern,
    any_of,
    asks_by_a_word,
    clauses_of,
    fold,
    keeping,
)
from nanobot_memory_plugins.core.text.orders import ENDS, LEAD, POINTS, OrderSentence, Target, asked_for, part, plain

_CHINESE = LazyPattern("[\u3400-\u9fff]")
_KEEPS = LazyPattern(
    rf"(?P<hold>{any_of(keeping.NOT_FORGOTTEN)})|(?P<sure>{any_of(keeping.CHINESE)})"
    rf"|(?P<know>{any_of(keeping.KNOW_CHINESE)})"
    rf"|(?P<loose>{any_of(keeping.LOOSE_CHINESE)})"
)
_BORDER = LazyPattern(
    r"[,;:、!?~\u2600-\u27bf\U0001f300-\U0001faff]\s*+|(?<!\s)\s++(?=[\u3400-\u9fff])|(?<=[\u3400-\u9fff])\s++|[—–-]++\s*+|(?<=的时候)"
)
_LONGEST_LEAD, _MOST_UNKNOWN = 60, 3
# Where speech that is typed without punctuation turns to the assistant at its end: ...肿了|你帮我记着. What stands
# before takes no clause, as "have", "let" and "like" do.
_TAKES_A_CLAUSE = "让叫使令要得有是像如谢能会以由靠被把将跟和同与对向的等当比为给帮替想请说问求找怕"
_BREATH = LazyPattern(
    rf"(?<=[\u3400-\u9fff\w]{{3}})(?<![{_TAKES_A_CLAUSE},\s])(?=(?:{POINTS})?(?:你|您|请|麻烦|拜托|劳[烦驾])(?!的)"
    rf"(?:{ASKING}){{0,6}}+(?:{any_of(keeping.CHINESE)})[点一下子儿啊哦喔噢哈呀哟咯吧呗嘛了住好着牢来]{{0,5}}$)"
)
_ASKED = LazyPattern(rf"(?:{ASKING})*+")
_LABELLED = LazyPattern(
    r"(?>[\s,!、~]|对了|顺便|另外|还有)*(?:备注(?:信息)?|备忘|备忘录|小?记事|记|记录|提醒自己|给自己的?(?:备忘"
    r"|备注|提醒)|(?:供|给|留)?(?:以后|日后|今后|下次|将来)(?:参考"
    r"|备用|用得上|要?用的?)|留底|存档|个人(?:信息|备忘|情况)|长期记忆|记忆(?:更新|添加|新增)?|记账"
    r"|(?:关于我|我)的?(?:一|几)?[个件点条]?(?:小)?(?:事情?|信息|事实|情况)(?:你)?(?:要|需要|得|应该)?(?:记住|知道"
    r"|记一下)?)(?:一下)?\s*:\s*(?P<rest>.*)",
    re.DOTALL,
)
_PARTICLES = LazyPattern(
    rf"(?:了|喽|咯|哟|哇|咧|啦|嘞|噻|㗎|捏|嗷|哦|啊|喔|哈|呀|噢|呢|嘛|呗|吧|住|着|上|下|一下|一条|点儿?|囖|啰"
    rf"|好)*(?:(?:{POINTS}|{BELOW}"
    rf"|一点|一件事|个事)(?![,:]?\s*(?:是|要|得)))?"
    rf"(?:(?:,\s*)?(?:以后|日后|今后|回头|下次|将来)(?:会|要|可能|还|都)*用(?:得)?[到上着])?(?=[\s,:!~—–-]|[吗么]?$|可以吗|好吗|好不好|行吗)"
)
# "A bit", between the word of keeping and what is kept: 记住一下|我们家...
_ONCE = LazyPattern(rf"(?:着点|一?下)[儿子]?(?={SUBJECT})")
_MARK = LazyPattern(r"\s*(?:[,:~]|—+|–|--?|\s)\s*")
# What holds of the user, and is no story of how it was.
_OWN = (
    r"(?:我们?(?:家|公司|团队|组)?|俺们?|咱们?家?|本人|家[里中]|(?:我|俺|咱)(?:的|家)?[\u3400-\u9fff]{1,6}?"
    r"|老[婆公妈爸]|孩子|女儿|儿子)"
)
_HOLDS = LazyPattern(
    rf"{_OWN}(?:现在|平时|都|也|一直|从来|其实|已经|的|下个?(?:月|{CHINESE_WEEK})|明年)*(?:是|系|不|对|怕|叫|姓|属|住|喜欢|钟意"
    rf"|讨厌|只|最?爱|恨|[吃食][素辣斋]|养|有|在|用|改|换|搬|要|每|{CHINESE_WEEK}|今年|下|明|\d|左|右|听|看不"
    rf"|没(?:有)?[^过]{{1,6}}$|从不|无|戴|穿)"
    rf"|(?:今|明|后|下|本|{CHINESE_WEEK}|每|\d)[^,]{{0,6}}(?:[天日月号点年]|{CHINESE_WEEK})[^,]*(?:要|到期|开|有|是|截止)"
    rf"|(?:[这本下]?个?{CHINESE_WEEKDAY}|[今明后][天晚早])[^,]{{0,3}}{_OWN}[^,]{{2,}}"
    r"|(?:你|您)?(?:每次|以后|永远)"
)
# After "don't forget": who or what it is about, or a thing with how often. "Bring an umbrella" is neither.
_HOLDS_ALWAYS = LazyPattern(
    rf"\s*(?:{SUBJECT}|{_OWN}|[\u3400-\u9fff]{{2,8}}?(?:每[个逢隔]?(?:[天日月年晚早]|{CHINESE_WEEK})|逢))"
)
_STORY = LazyPattern(
    "那[年天次时晚个]|当[时年初]|第一次|小时候|以前|上次|去年|昨[天晚]|曾经|[过的]吗|的时候|刚认识|会儿"
)
_BESIDES = LazyPattern("顺[便手带]|另外|还有|对了")
# Who shall not forget it is the user: what stands behind is theirs, be it only a thing that they have to do.
_FOR_ME, _SHORTEST_TASK = LazyPattern("[帮替]我|让我"), 3
_A_LITTLE = LazyPattern("点儿?|一?下")
# What points to what was said before the order, or to what was told of somebody in it.
_BACK = LazyPattern(rf"^(?:{POINTS})")
_LATER = LazyPattern(
    "(?:以后|往后|日后|今后|下次|下回|回头)(?:[我咱你]们?)?(?:要是)?(?:再|又)?(?:聊|问|推荐|讨论|提[到起]|查|说[到起])"
)
_THEIRS = LazyPattern(rf"(?:[他她它](?:们|俩)?|这些|那些)的?(?:名字|生日|情况|习惯|喜好|口味|关系|安排){ENDS}")
_CODE = LazyPattern(r"我们?的?(?:代码|文件|文档|数据|配置|修改|进度|日志)")
_OWN_VALUE = LazyPattern(
    rf"(?<!\s)\s*+(?:(?:今[天早晚年]|昨[天晚]|刚才|早上|中午|晚上)(?=[^,]{{0,30}}\d)|{_OWN}|(?:i|my|we|our)\b)"
)
_REPORTED = LazyPattern(
    r"(?<![小传])说(?!明书|好|三遍)|讲(?!一遍)|翻译|写[一个首封段篇条信]|问|叫他|叫她|让他|让她|怎么|如果|要是"
    r"|^(?:好|嗯|行|对(?!了))|^(?:还)?记得|^我(?:还|总)?(?:知道|觉得)"
)
# Why it is to be kept.
_REASON = LazyPattern("忘|记性|丢|[讲说问]一遍|从头讲|听好|[会要]再?问你|用得?[着到上]|备用$")
# How one begins to tell something.
_TELLS = LazyPattern(
    r"(?:(?:[\s,!、~]|好的?|对了|顺便|另外|哎|诶|还有)*+(?:(?:提前|先)?(?:我)?(?:[跟和给对]你|同你)(?:说|讲|交代)(?:好|一下|一声"
    r"|个事儿?|件事|下|哦)?|告诉你(?:一下|一声|个事儿?|件事)?"
    r"|提醒(?:你)?(?:一下|下)?|(?:先)?(?:我)?(?:说|讲)(?:一下|一声|下|个事儿?|件事)(?:方便[^,]{1,8})?|报备(?:一下)?|更新一下|你?(?:心里)?(?:得"
    r"|要)?有个?数(?:啊|哦|吧)?|你?听[好着]了?|重要的事(?:情)?说三遍|(?:这话)?我?只[说讲]一遍哦?)[\s,:!~]++)+"
)
_REQUEST = LazyPattern(
    rf"{LEAD}(?:现在|然后|接下来|帮我|请|另外|顺便|你能|你可以|能不能|再|给我|写|查|翻译|总结|解释|推荐)"
)


def is_chinese(text: str) -> bool:
    """Return whether a text has Chinese characters."""
    return _CHINESE.search(text) is not None


def remembered(sentence: OrderSentence, *, is_said: bool = False) -> Target | None:
    """Return what a sentence asks to remember, or None; ``is_said``: something was stated above it."""
    folded = sentence.folded
    if _CHINESE.search(folded) is None:
        return None
    if (found := _LABELLED.fullmatch(folded)) is not None:
        if sentence.has_question:
            return None
        return Target(_cut(sentence, found.start("rest")), goes_on=True)
    words = asked_for(folded, _KEEPS, _BORDER, _asks_you)
    kept = (_kept(sentence, word, start, is_said=is_said) for word, start in words)
    if (meant := next(filter(None, kept), None)) is not None or (breath := _BREATH.search(folded)) is None:
        return meant
    return _remembered_behind(sentence, breath.start())


def _remembered_behind(sentence: OrderSentence, at: int) -> Target | None:
    """Return what a sentence asks to remember when it is read with a comma at a place."""
    text, folded = (f"{one[:at]},{one[at:]}" for one in (sentence.text, sentence.folded))
    parted = replace(sentence, text=text, folded=folded, orders={})
    words = asked_for(folded, _KEEPS, _BORDER, _asks_you)
    return next(filter(None, (_kept(parted, word, start, is_said=True) for word, start in words)), None)


def _asks_you(lead: str, _: "re.Match[str]") -> bool:
    """Return whether the words before a word of keeping ask the assistant, and nothing else."""
    if len(lead) > _LONGEST_LEAD:
        return False
    what = re.fullmatch(r"(?P<lead>.*?)[把将](?P<what>.+?)(?:给我|也|都|好好)*", lead)
    if what is not None and not NO_LEAD.search(what["lead"]):
        lead = what["lead"]
    left = _ASKED.sub("", lead)
    is_one_clause = _BORDER.search(lead) is None and NO_LEAD.search(lead) is None
    return not left or (len(left) <= _MOST_UNKNOWN and is_one_clause and STRONG.search(lead) is not None)


def _kept(sentence: OrderSentence, word: "re.Match[str]", start: int, *, is_said: bool) -> Target | None:
    folded = sentence.folded
    lead = folded[start : word.start()]
    # "You jot it down" is no story.
    is_told = word["know"] is None and lead.strip() in ("你", "您") and not sentence.has_question
    is_strong = is_told or STRONG.search(lead) is not None
    asks_for = ASK_FORM.search(lead) is not None
    if word["know"] and not (is_strong and re.search("[你您]|请", lead)):
        return None
    before = folded[:start].rstrip(" ,;:、!~—–-")
    told = _TELLS.match(f"{before},")
    begin = min(told.end(), len(before)) if told is not None else 0
    begin, end = _without_reasons(before, begin)
    before = before[:end]
    other = _ASKED.sub("", before[begin:])
    is_other = bool(other) and not _REASON.search(other)
    is_apart = (is_strong and "," in before) or _BESIDES.search(lead) is not None
    if is_other and (":" in folded[:start] or (_REPORTED.search(other) and not is_apart)):
        return None
    stated = _is_stated(before[begin:])
    what = re.search(r"[把将](?P<what>.+?)(?:这[件个]?事儿?|这一?点|这[条个])?(?:给我|也|都)*$", lead)
    at = word.end()
    particles = _PARTICLES.match(folded, at)
    at = particles.end() if particles is not None else at
    rest = folded[at:]
    pointed = re.search(POINTS, f"{lead}{folded[word.end() : at]}") is not None
    mark = _MARK.match(rest)
    if what is not None and not re.fullmatch(rf"\s*(?:{POINTS}|{BELOW}|.{{0,2}})", what["what"]):
        return _taken(sentence, start + what.start("what"), start + what.end("what"), at)
    if not plain(rest) or re.fullmatch(ENDS, rest):
        return _pointing(
            sentence,
            word,
            before[begin:],
            begin,
            stated=stated,
            pointed=pointed,
            strong=is_strong,
            colon=rest.strip() == ":",
            is_said=is_said,
        )
    is_colon = mark is not None and mark[0].strip() not in ("", ",")
    if stated and _THEIRS.fullmatch(rest):
        return Target(part(sentence, begin, len(before)))
    asks = sentence.asks or (asks_by_a_word(rest) and sentence.has_question)
    if asks and not ((asks_for or "请" in lead or "麻烦" in lead) and not asks_by_a_word(rest)):
        return None
    if mark is None:
        at = once.end() if (once := _ONCE.match(folded, at)) is not None else at
        return _clause(sentence, at, word, lead, is_strong=is_strong, asks_for=asks_for)
    text = rest[mark.end() :]
    if stated and not is_colon:
        return Target(part(sentence, begin, len(before)))
    if is_said and not is_colon and not other and (_BACK.search(lead) or _LATER.match(text)):
        return Target("")
    if re.match("这(?:是|里|篇|段|首|张)", text):
        return None
    if word["loose"] and (_CODE.match(text) or not (STATES.search(text) or _OWN_VALUE.match(text))):
        return None
    if word["know"] and not _OWN_VALUE.match(text):
        return None
    if not is_colon and not (STATES.search(text) or re.match(SUBJECT, text)):
        return None
    if word["hold"] and not is_colon and not is_strong and not _HOLDS_ALWAYS.match(text):
        return None
    if not is_colon and not is_strong and word["loose"] and not (pointed or _OWN_VALUE.search(text)):
        return None
    return Target(_cut(sentence, at + mark.end()), goes_on=":" in mark[0])


def _without_reasons(before: str, begin: int) -> tuple[int, int]:
    """Return where a statement begins and ends between the clauses that say why it is to be kept."""
    end = len(before)
    while (comma := before.find(",", begin, end)) >= 0 and _REASON.search(before, begin, comma):
        begin = comma + 1
    while (comma := before.rfind(",", begin, end)) >= 0 and _REASON.search(before, comma, end):
        end = comma
    return begin, end


def _taken(sentence: OrderSentence, start: int, end: int, at: int) -> Target | None:
    """Return what 把...记住 names: a statement, or a thing and what stands behind the colon."""
    folded = sentence.folded
    behind = re.match(r"\s*[:,—]+\s*", folded[at:])
    if behind is not None and plain(folded[at + behind.end() :]):
        return Target(f"{sentence.text[start:end]}:{_cut(sentence, at + behind.end())}", goes_on=True)
    if not re.fullmatch(rf"{ENDS}|\s*:", folded[at:]):
        return None
    text = folded[start:end]
    return Target(part(sentence, start, end)) if STATES.search(text) and re.search(SUBJECT, text) else None


def _pointing(
    sentence: OrderSentence,
    word: "re.Match[str]",
    before: str,
    begin: int,
    *,
    stated: bool,
    pointed: bool,
    strong: bool,
    colon: bool,
    is_said: bool,
) -> Target | None:
    """Return what 这个要记住 means: what stands before it in its sentence, else what was said or is said next."""
    if sentence.asks and not ASK_FORM.search(sentence.folded) and not strong and not stated:
        return None
    if re.match("了|没|过", sentence.folded[word.end() :]) and not (strong or pointed or stated):
        return None
    if stated and not colon:
        return Target(part(sentence, begin, begin + len(before)))
    if colon:
        return Target("", goes_on=True)
    if word["know"] or (before and not is_said and not (pointed or strong)):
        return None
    if pointed or (strong and (word["sure"] or word["hold"])):
        return Target("", ahead=True)
    return Target("", here=True, ahead=word["hold"] is not None) if (word["hold"] or word["loose"] or is_said) else None


def _clause(
    sentence: OrderSentence, at: int, word: "re.Match[str]", lead: str, *, is_strong: bool, asks_for: bool
) -> Target | None:
    """Return the clause that stands behind the word of keeping without a mark."""
    if word["hold"]:
        at = len(sentence.folded) - len(sentence.folded[at:].lstrip("啊哦呀哈喔,了"))
    rest = sentence.folded[at:]
    text = _cut(sentence, at)
    if word["hold"] and _FOR_ME.search(f"{lead}{word[0]}"):
        text = _cut(sentence, at + (once.end() if (once := _A_LITTLE.match(rest)) is not None else 0))
        return Target(text) if len(text) >= _SHORTEST_TASK else None
    if not word["hold"] and re.match(r"了(?!,|:|\s|哦|啊|哈)|过(?!敏|期|年)|没|的|不", rest):
        return None
    if word["hold"] or word["know"]:
        if _STORY.search(re.split("[,;]", rest)[0]) and not is_strong:
            return None
        if word["know"]:
            return Target(text) if re.match(rf"\s*{_OWN}", rest) and STATES.search(rest) else None
        if _HOLDS.match(rest):
            return Target(text)
        return Target(text) if _HOLDS_ALWAYS.match(rest) and STATES.search(rest) else None
    if word["loose"]:
        return (
            Target(text)
            if _OWN_VALUE.match(rest) and (STATES.search(rest) or "," in rest) and not _CODE.match(rest)
            else None
        )
    if re.match(rf"\s*(?:{SUBJECT})", rest) or (STATES.search(rest) and is_strong):
        says = not asks_for or (STATES.search(rest) and not re.match(r"\s*用户", rest))
        return Target(text) if says else None
    if SOMEBODY.match(rest) and not asks_for:
        return Target(text)
    is_named = re.search(r"是|为|叫|=", rest) and not re.search(r"的(?:功能|按钮|选项|实现|逻辑)", rest)
    return Target(text) if is_named else None


def _is_stated(before: str) -> bool:
    """Return whether what stands before the clause in its sentence says something that may be kept."""
    if (
        len(before.strip()) < 4
        or _REPORTED.search(before)
        or _REASON.search(before)
        or asks_by_a_word(before)
        or Act.ASKS in (one.act for one in clauses_of(before))
        or _REQUEST.match(before)
    ):
        return False
    return not re.match(r"\s*(?:[你他她它您]|谁)", before) and bool(_ASKED.sub("", before))


def is_request(sentence: OrderSentence) -> bool:
    """Return whether a sentence turns to something else."""
    return _REQUEST.match(sentence.folded) is not None


def _cut(sentence: OrderSentence, start: int) -> str:
    text = part(sentence, start)
    return plain(text[:-1]) if CLOSING.search(fold(text)) else text
