"""Codes by what is said around them: a number that a clause links to a word for what opens, unlocks or confirms.

The order is free: "the code for the side gate, in case, is 4471", "4471 opens it", ``门锁密码我换了，4471``. What a
number counts, or numbers, is no code: 12 lines, room 405, error code 5012.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from nanobot_memory_plugins.redaction.rules.keyword_index import KeywordIndex, Lowered
from nanobot_memory_plugins.redaction.rules.lazy_pattern import lazy_re
from nanobot_memory_plugins.redaction.rules.rule import RANK_KEYED, REDACTED, Span
from nanobot_memory_plugins.redaction.rules.word_lists import words
from nanobot_memory_plugins.redaction.script.folding import QUOTES
from nanobot_memory_plugins.redaction.values import code_words as of

CODE_CUES = KeywordIndex(
    of.SURE
    | of.LOCKS
    | of.DEVICES
    | {word for word in of.DOUBTFUL if len(word) > 2}
    | words(
        "enter verify approve disarm 码 口令 暗号 保险箱 保险柜 门 柜 锁 车库 单元 楼下 信箱 行李箱 道闸 电梯 遥控"
        " 开机 图案 转盘 平板 手机 电脑 puk"
    )
    | {"lock box", "key box", "key safe", "key code", "lock screen", "access number"}
)
"""Words of which one stands in every text that tells such a code."""
_CANDIDATE = lazy_re(
    r"(?<![A-Za-z0-9_./$€£¥+#*&=-])(?<![0-9]:)(?<![0-9],)(?<![$€£¥] )(?<!\[)"
    r"(?P<secret>[#*]?(?:(?=[A-Z0-9-]{0,24}[A-Z])(?=[A-Z-]{0,24}[0-9])[A-Z0-9]{2,6}(?:-[A-Z0-9]{2,6}){2,5}"
    r"|[0-9]{1,4}(?:-[0-9]{1,4}){2,3}|[A-Z0-9](?:[ ][A-Z0-9]){3,7}|[0-9]{2,4}[ -][0-9]{2,4}(?:[ -][0-9]{2,4}){0,2}"
    r"|[0-9]{3,10}|[A-Z]{1,3}-?[0-9]{2,8}[A-Z]{0,2}|[0-9]{2,6}[A-Z]{1,3}[0-9]{0,4})[#*]?)"
    r"(?![A-Za-z0-9_%€$£°#*]|[.,:/-][0-9]|-[A-Za-z]|[(\[=])"
)
_WORD = lazy_re(r"[A-Za-z\u00e0-\u00ff][A-Za-z0-9\u00e0-\u00ff]*(?:['’][a-z]{1,2})?")
_JOINED = lazy_re(r"(?i)(?<![a-z])(lock|key|pass|pad|pin|access)[ ](box|safe|pad|screen|code|lock|number)(?![a-z])")
_CLOSE_MARKS, _MARKS = ":=→>—–-", ",(~…"
_YEAR = lazy_re(r"(?:19[4-9]|20[0-4])[0-9]")
_DATED = lazy_re(r"(?:19|20)[0-9]{2}-[0-9]{1,2}-[0-9]{1,2}")
_ERROR_CODE = lazy_re(r"[A-Z][0-9]{2,4}|[A-Z]{1,3}-?[0-9]{2,5}")
_SENTENCE_END = lazy_re(
    r"(?:[!?。！？；]|[.;](?=[ \n]|\Z)|\n)(?![ ]{0,2}(?:it['’]?s|it is|that['’]?s|its|i think|try|use|enter|type"
    r"|here|\Z))",
    re.IGNORECASE,
)
_COUNTS = lazy_re(
    r"[ ]?(?P<word>%|[A-Za-z']{1,14})|[-–](?:bit|digit|char|day|year|page|word|line)|[ ]?(?P<chinese>[个個]|位(?!置)|次"
    r"|分[钟鐘]?|秒|天|小[时時]|[点點]|元|[块塊]|[条條]|人|年|月|日|[号號][楼樓]|[岁歲]|章|[页頁]|集|版|米|公里"
    r"|公斤|度|倍"
    r"|字|行|[种種]|台|件|名|期|[届屆]|[间間]|[层層]|[楼樓]|路)"
)
_BEHIND = lazy_re(r"[\s\"'`*)]{0,3}(?P<mark>[,;:=→—–(-]|->)?")
_SAYS = words("is was are that's it's this as being for remains your my the our")
_OWN = words("your her his their the my votre ton ihr dein mein tu")
_GIVEN = words("enter use type send text give gives gave tell dial press got gets get has uses sent me")
_TYPING = lazy_re(
    r"(?i)(?<![a-z])(?:enter|use|type|dial|press|punch|key|tap|input|reply)(?:[ ](?:in|with|back|the code))?[ ]\Z"
)
_OPENS = lazy_re(
    r"(?i)(?:opens|unlocks|disarms|turns|gets|lets|works|to[ ](?:open|unlock|disarm|enter|verify|confirm|log|sign"
    r"|turn|get"
    r"|approve))(?![a-z])|(?:for|on|at|into)[ ](?:the|our|my|that|your)[ ](?:[a-z]{2,9}[ ])?(?:doors?|gates?|garage"
    r"|lobby|lock"
    r"|lockbox|keysafe|keypad|locker|safe|vault|padlock|suitcase|intercom|barrier|cabinet|panel)(?![a-z])"
)
# What stands between two codes of one list, or one sentence.
_JOINS = lazy_re(r"[\s,;、|/>*•-]{1,8}|[^\n.!?。！？]{0,48}")
# Chinese: what makes another thing of a word that ends in 码 stands before it.
_NO_CODE = "一二三四五六七八九十位末后後号编代源邮条维尺页乱解转数起砝筹加误态区色扫打写敲字机"
_CODE = rf"(?<![{_NO_CODE}])(?<!识别)(?<!健康)(?<!付款)(?<!收款)(?<!商品)(?<!邮政编)码"
_CHINESE = lazy_re(
    rf"(?i)(?:密\s?码锁?|口令|暗号|(?<![a-z])(?:pin|puk)\s?码?(?![a-z])|{_CODE}(?![头农流字表本])|组合锁|保险[箱柜]"
    rf"|门禁"
    rf"|[门车]锁)"
    r"(?!有效|学|技术|算法|期限|周期|时长|最[长短大小]|长度|位数|规则|强度|管理|格式|类型|字段|错误|保护|政策|框"
    r"|页面|本)"
    r"[^\n0-9A-Za-z。！？!?；;]{0,24}(?<![第约共每前近超过满限少多于长度错])(?<!房间)(?<!尾号)(?<!金额)(?<!订单)["
    r" ]?[#*]?\Z"
)
_CHINESE_LOCK = lazy_re(
    r"(?:[大房家院后前侧]门|门[禁锁口]?|柜子?|锁|保险[箱柜]|车库|单元|楼下|信箱|行李箱|道闸|电梯|遥控器?|锁屏|开机|图案"
    r"|转盘|平板|手机|电脑)[^\n0-9A-Za-z号费价格卖买,，。！？;；]{0,10}?"
    r"(?:是|为|[:：]|改成|换成|设成|设的|设了|用的?|按|摁|输入?|拨|开|(?<=[门锁箱柜禁屏])[ ])[ ]?[#*]?\Z"
)
_CHINESE_BEHIND = lazy_re(
    rf"[{QUOTES}]?[ ]?(?:[（(【\[]|[,，]?[ ]?(?:就?是|为|即|作为|当|开|——?|-|:))[^\s0-9A-Za-z,，。;；:!?（）()"
    rf"]{{0,12}}?"
    rf"(?:密码|口令|暗号|{_CODE})(?!学|字段|长度|类型|格式|错误|规则|管理|头|农)"
)
_PHONE = lazy_re(r"(?i)(?:电话|座机|热线|手机号?码?|tel|phone|mobile)[\"']?[ .:=是为]{0,4}\Z")
_REACH, _REACH_BEHIND, _BARE, _MOST_OF_LOCK = 72, 64, 4, 8


def find_codes(text: str, lower: Lowered) -> Iterator[Span]:
    """Find codes by what the clauses of the folded ``text`` say of them; ``lower`` is it in lower case."""
    if not CODE_CUES.meets(lower):
        return
    candidates = [match for match in _CANDIDATE.finditer(text) if _has_length_of_code(match["secret"])]
    taken = {index for index, match in enumerate(candidates) if _is_code(text, match)}
    for index in sorted(taken | _siblings(text, candidates, taken)):
        yield Span(*candidates[index].span("secret"), "access_code", REDACTED, RANK_KEYED)


def _has_length_of_code(found: str) -> bool:
    digits = sum(map(str.isdigit, found))
    if found.count("-") > 1 and digits < len(found) - found.count("-"):
        return True  # groups of capitals and digits
    return (3 <= digits <= 10 or (found[0].isalpha() and digits >= 2)) and not _DATED.fullmatch(found)


def _is_code(text: str, match: re.Match[str]) -> bool:
    start, end, found = match.start("secret"), match.end(), match["secret"]
    if _counts(text, end):
        return False
    before = text[max(0, start - _REACH) : start]
    sentence = _JOINED.sub(r"\1\2", before[_last_end(before) :])
    stop = _SENTENCE_END.search(text, end, end + _REACH_BEHIND)
    behind = text[end : stop.start() if stop else end + _REACH_BEHIND]
    if _is_named_before(sentence, found, behind) or _is_named_behind(sentence, found, behind):
        return True
    return not text.isascii() and _is_chinese_code(before, found, text, end)


def _last_end(before: str) -> int:
    return max((one.end() for one in _SENTENCE_END.finditer(before)), default=0)


def _words(text: str) -> list[str]:
    return [word.replace("’", "'") for word in _WORD.findall(text.lower())]


def _link(sentence: str, said: Sequence[str]) -> str:
    """Give what links a number to the words before it: ``close``, ``loose``, or nothing."""
    last = list(_WORD.finditer(sentence))[-1]
    mark = sentence[last.end() :].strip(f" *{QUOTES}")[-1:]
    if mark:
        return "close" if mark in _CLOSE_MARKS else "loose" if mark in _MARKS else ""
    if said[-1] in of.CLOSE_LINKS or said[-1].endswith("'s"):
        return "close"
    return "loose" if said[-1] in of.LINKS else ""


def _is_named_before(sentence: str, found: str, behind: str) -> bool:
    """Tell whether what stands before the number names it a code."""
    said = _words(sentence)
    nouns = of.SURE | of.DOUBTFUL | of.LOCKS | of.DEVICES
    at = next((place for place in range(len(said) - 1, -1, -1) if said[place].removesuffix("'s") in nouns), None)
    if at is None:
        return bool(said) and _is_typed(sentence, found, behind)
    noun, before, between = said[at].removesuffix("'s"), said[max(0, at - 6) : at], said[at + 1 :]
    link = _link(sentence, said) or ("" if between else "close")
    place = list(_WORD.finditer(sentence))[at]
    if sentence[place.start() - 1 : place.start()] in ("_", ".", "/") or sentence[place.end() : place.end() + 1] in (
        "_",
        "/",
    ):
        return False
    if noun in of.LOCKS or noun in of.DEVICES:
        return _opens_by(noun, between, found, link) or _is_typed(sentence, found, behind)
    is_year = bool(_YEAR.fullmatch(found))
    if not link or (is_year and (link != "close" or (not between and noun in of.DOUBTFUL))):
        return False
    is_for = noun in ("code", "codes", "combination") and between[:1] in (["to"], ["on"], ["at"], ["the"])
    if between and between[0] in of.HARMLESS_BEHIND and noun in of.DOUBTFUL and not is_for:
        return False
    if between and between[-1] in of.NUMBERED and link != "close" and not is_for:
        return False
    if before and before[-1] in of.HARMLESS_BEFORE:
        return False
    opener = not of.OPENERS.isdisjoint(before) or not of.OPENERS.isdisjoint(between)
    if _ERROR_CODE.fullmatch(found) and not opener:
        return False
    rest = sentence[place.end() :]
    if link == "loose" and '",' in rest:
        return False
    if link == "loose" and any(map(str.isdigit, rest)) and between and between[-1] not in ("to", "now"):
        return False
    if (
        noun in of.SURE
        or place.group() in ("PIN", "PINs", "Pin", "TAN")
        or (noun in ("pin", "pins") and len(found) >= _BARE)
    ):
        return True
    if len(found) < _BARE and not (found[0].isalpha() or not of.OPENERS.isdisjoint(before)):
        return False
    if opener or not _GIVEN.isdisjoint(before):
        return True
    if link != "close" or not before:
        return False
    name = _WORD.findall(sentence)[at - 1]
    return before[-1] in _OWN or (name[0].isupper() and len(name) > 2)


def _opens_by(lock: str, between: Sequence[str], found: str, link: str) -> bool:
    """Tell whether the thing called ``lock`` opens by the number, though nothing calls it a code."""
    digits = sum(map(str.isdigit, found))
    if digits > _MOST_OF_LOCK or digits < 3 or (len(found) < _BARE and lock not in of.SURE_LOCKS):
        return False
    is_year = bool(_YEAR.fullmatch(found))
    if not between:
        if is_year:
            return lock in of.SURE_LOCKS - {"safe"}
        return lock in of.SURE_LOCKS or (lock not in of.DEVICES and link == "close" and len(found) > _BARE)
    if is_year or between[-1] in of.NUMBERED or (len(between) == 1 and between[0] in ("in", "to", "by", "for")):
        return False
    if between[-1] not in of.LOCK_VERBS:
        return lock not in of.DEVICES and link == "close" and len(between) <= 3
    return lock not in of.DEVICES or (
        between[-1] not in of.CLOSE_LINKS and between[-1] not in ("to", "in", "no", "number")
    )


def _is_typed(sentence: str, found: str, behind: str) -> bool:
    """Tell whether the number is to be typed in, for something that wants a code."""
    if len(found) < _BARE or _YEAR.fullmatch(found) or not _TYPING.search(sentence):
        return False
    around = (*_words(sentence)[-12:-1], *_words(behind))
    return "#" in behind[:24] or any(word.startswith(of.ACTIONS) for word in around)


def _is_named_behind(sentence: str, found: str, behind: str) -> bool:
    """Tell whether what stands behind the number says that it is a code, or opens something."""
    said, follow = _words(sentence), _words(behind)
    mark = _BEHIND.match(behind)
    if len(found) < _BARE or _YEAR.fullmatch(found) or not follow or (said and said[-1] in of.NUMBERED):
        return False
    is_marked = mark is not None and bool(mark["mark"])
    first = next(iter(_WORD.finditer(behind))).start()
    if first > 4 or (said and any(map(str.isdigit, sentence[-2:]))):
        return False
    if is_marked or follow[0] in _SAYS:
        for place, word in enumerate(follow[:8]):
            if word in of.SURE or word in of.DOUBTFUL:
                if follow[place + 1 : place + 2] and follow[place + 1] in of.HARMLESS_BEHIND - {
                    "to",
                    "on",
                    "at",
                    "the",
                    "your",
                }:
                    return False
                if place and follow[place - 1] in of.HARMLESS_BEFORE:
                    return False
                return word in of.SURE or word in ("pin", "combination") or not of.OPENERS.isdisjoint(follow[:place])
    return (
        not is_marked
        and bool(_OPENS.match(behind.lstrip(f" *{QUOTES}")))
        and (any(word.startswith(of.ACTIONS) for word in follow[1:]) or not of.OPENERS.isdisjoint(follow[1:7]))
    )


def _is_chinese_code(before: str, found: str, text: str, end: int) -> bool:
    if _CHINESE.search(before[-40:]) or _CHINESE_BEHIND.match(text, end):
        return True
    digits = sum(map(str.isdigit, found))
    if not _BARE <= digits <= _MOST_OF_LOCK or _YEAR.fullmatch(found.strip("#*")) or found[0].isalpha():
        return False
    return not (digits > 6 and _PHONE.search(before)) and bool(_CHINESE_LOCK.search(before[-24:]))


def _counts(text: str, end: int) -> bool:
    """Tell whether a number that ends there counts something."""
    match = _COUNTS.match(text, end)
    if match is None:
        return False
    word = (match["word"] or "").lower()
    if not word or word == "%" or word in of.COUNTED:
        return True
    return (
        len(word) > 2 and word[-1] == "s" and word not in of.NOT_COUNTED and match["word"].islower() and "'" not in word
    )


def _siblings(text: str, candidates: Sequence[re.Match[str]], taken: set[int]) -> set[int]:
    """Give the numbers of the same shape that stand in a list, or a sentence, with one that is a code."""
    more: set[int] = set()
    for index in taken:
        for step in (1, -1):
            other = index + step
            while 0 <= other < len(candidates) and other not in taken | more:
                left, right = sorted((candidates[other - step], candidates[other]), key=lambda one: one.start())
                between = text[left.end() : right.start("secret")]
                if len(between) > _REACH or _shape(left["secret"]) != _shape(right["secret"]):
                    break
                last = _words(between)[-1:]
                if not _JOINS.fullmatch(between) or _counts(text, candidates[other].end()):
                    break
                if last and last[0] in of.NUMBERED - {"or", "and", "have"}:
                    break
                more.add(other)
                other += step
    return more


def _shape(found: str) -> tuple[int, ...]:
    return tuple(map(len, found.strip("#*").replace("-", " ").split(" ")))
