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

# Names of codes that nothing else has, and those that many other things have, too.
_SURE = words(
    "passcode passcodes keycode keycodes puk puk1 puk2 otp cvv cvv2 cvc cvc2 csc pincode combo accessnumber geheimzahl"
    " zugangscode türcode sicherheitscode bestätigungscode freischaltcode entsperrcode torcode alarmcode código"
    " digicode"
)
_DOUBTFUL = words("code codes pin pins combination tan")
# What opens by a number, or says one, and needs no other word for it; a number may follow some of them at once.
_LOCKS = words(
    "door doors gate gates garage lobby lock lockbox keybox keysafe keypad locker safe vault alarm padlock suitcase"
    " briefcase intercom elevator lift barrier cabinet panel unlock lockscreen turnstile buzzer voicemail entry text"
    " sms texted"
)
_SURE_LOCKS = words("lockbox keybox keysafe keypad padlock unlock lockscreen buzzer intercom voicemail")
# What asks for a number beside other things that it does.
_DEVICES = words("bike tablet ipad iphone phone tv printer copier entrance wardrobe laptop car app clinic scooter")
# Beside one of them a bare "code" lets somebody in.
_OPENERS = (
    _LOCKS
    | _DEVICES
    | words(
        "strongbox gym parking pool storage apartment flat airbnb cabin courtyard mailbox letterbox basement toilet"
        " office warehouse sim card visa mastercard bank banking atm debit credit girocard mobile android screen watch"
        " wallet yubikey verification confirmation setup security access login log sign auth authentication 2fa mfa"
        " factor step whatsapp signal telegram wechat pairing recovery reset activation guest checkin pickup parcel"
        " delivery host meeting bluetooth router wifi wi staff side front back rear upstairs downstairs box"
        " transaction payment transfer withdrawal account portail puerta tür tor coffre my our your his her their"
    )
)
# Before the word they make another thing of it: an error's code, a country's.
_HARMLESS_BEFORE = words(
    "error status exit return source zip postal area country dress product promo discount qr bar color colour hex http"
    " response airport currency language unit sample python java javascript js ts rust go c sql html css dead legacy"
    " class morse item order sort branch swift tax course cost reason region referral invite job event batch model"
    " machine byte char unicode ascii test example demo git penal civil criminal fault stop flight station stock part"
    " serial warning result reply gpio connector usb push map project department reference booking tracking of any no"
    " some new write more this"
)
# Behind the word they make another thing of it: a review of code, a pin on a map.
_HARMLESS_BEHIND = words(
    "review base block style snippet path quality coverage page generation editor sample example line lines comment"
    " change changes name names point points switch that which header map out up length format policy rules generator"
    " reader scanner a an it them version"
)
# Right before a number they say that it is what was named, or that it opens what was.
_LINKS = words(
    "is are was be been it's that's to with use using enter type dial press now still again says number becomes ist"
    " lautet est es as remains punch"
)
_LOCK_LINKS = _LINKS | words(
    "opens unlocks wants takes accepts likes expects gets needs hit tap used set asks said for by has reset changed"
    " switched open unlock unlocked opened responds in"
)
_CLOSE_LINKS = words("is was it's that's now still lautet ist est es")
# How the words begin for which one types a code, or that it opens.
_ACTIONS = tuple(
    words(
        "verif confirm login signin log sign unlock open disarm authenticat authoriz access door gate alarm garage safe"
        " keypad lock approv payment transfer entrance"
    )
)
# Right before a number they number something else, or say when or how much.
_NUMBERED = words(
    "room order line lines page version floor chapter year since until till over about around nearly almost than least"
    " most up part step level size port model series bus tram train flight route track apt suite ticket invoice case"
    " issue pr bug section article figure table item ext extension zone block house from between after before roughly"
    " only every per another first last next of and or the a an minimum maximum max min have are error status http id"
    " january february march april may june july august september october november december paid pay costs cost worth"
)
# Behind a number they say what it counts; words in s that it would not count.
_COUNTED = words(
    "percent px ms kb mb gb tb kg mg g km cm mm m ml l w kw kwh v hz mhz ghz mah ft lb x edition model version am pm"
    " o'clock uhr euro eur usd gbp dollar pound step bit byte digit char word people of"
)
_NOT_COUNTED = words(
    "is was as this its has does yes plus unless always thanks opens unlocks works lets gets turns disarms expires"
    " press pass minus across"
)
_NOUNS = _SURE | _DOUBTFUL | _LOCKS | _DEVICES
CODE_CUES = KeywordIndex(
    _SURE
    | _LOCKS
    | _DEVICES
    | {word for word in _DOUBTFUL if len(word) > 2}
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
_SAYS = words("is was are that's it's this as being for remains your my the our")
_TYPING = lazy_re(
    r"(?i)(?<![a-z])(?:enter|use|type|dial|press|punch|key|tap|input|reply)(?:[ ](?:in|with|back|the code))?[ ]\Z"
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
_REACH, _REACH_BEHIND, _BARE, _MOST_OF_LOCK, _LIKE_A_SENT_ONE = 72, 64, 4, 8, 6


def find_codes(text: str, lower: Lowered) -> Iterator[Span]:
    """Find codes by what the clauses of the folded ``text`` say of them; ``lower`` is it in lower case."""
    if not CODE_CUES.meets(lower):
        return
    last: re.Match[str] | None = None  # a code, which the next number may be one of a list with
    for match in _CANDIDATE.finditer(text):
        if not _has_length_of_code(match["secret"]) or _counts(text, match.end()):
            continue
        if _is_code(text, match) or (last is not None and _goes_on(text, last, match)):
            last = match
            yield Span(*match.span("secret"), "access_code", REDACTED, RANK_KEYED)


def _has_length_of_code(found: str) -> bool:
    digits = sum(map(str.isdigit, found))
    if found.count("-") > 1 and digits < len(found) - found.count("-"):
        return True  # groups of capitals and digits
    return (3 <= digits <= 10 or (found[0].isalpha() and digits >= 2)) and not _DATED.fullmatch(found)


def _counts(text: str, end: int) -> bool:
    """Tell whether a number that ends there counts something."""
    match = _COUNTS.match(text, end)
    if match is None:
        return False
    word = (match["word"] or "").lower()
    if not word or word == "%" or word in _COUNTED:
        return True
    return (
        len(word) > 2 and word[-1] == "s" and word not in _NOT_COUNTED and match["word"].islower() and "'" not in word
    )


def _goes_on(text: str, last: re.Match[str], match: re.Match[str]) -> bool:
    """Tell whether a number of the same shape stands in a list, or a sentence, with one that is a code."""
    between = text[last.end() : match.start("secret")]
    is_near = len(between) <= _REACH and _JOINS.fullmatch(between) is not None
    said = _words(between)[-1:]
    is_other = bool(said) and said[0] in _NUMBERED - {"or", "and", "have"}
    return is_near and not is_other and _shape(last["secret"]) == _shape(match["secret"])


def _shape(found: str) -> tuple[int, ...]:
    return tuple(map(len, found.strip("#*").replace("-", " ").split(" ")))


def _is_code(text: str, match: re.Match[str]) -> bool:
    start, end, found = match.start("secret"), match.end(), match["secret"]
    before = text[max(0, start - _REACH) : start]
    last_end = max((one.end() for one in _SENTENCE_END.finditer(before)), default=0)
    sentence = _JOINED.sub(r"\1\2", before[last_end:])
    stop = _SENTENCE_END.search(text, end, end + _REACH_BEHIND)
    behind = text[end : stop.start() if stop else end + _REACH_BEHIND]
    said = _words(sentence)
    if said and (_is_named(sentence, said, found) or _is_typed(sentence, said, found, behind)):
        return True
    if _is_named_behind(said, found, behind):
        return True
    return not text.isascii() and _is_chinese_code(before, found, text, end)


def _words(text: str) -> list[str]:
    return [word.replace("’", "'") for word in _WORD.findall(text.lower())]


def _link(sentence: str, said: Sequence[str]) -> str:
    """Give what links a number to the words before it: ``close``, ``loose``, or nothing."""
    last = list(_WORD.finditer(sentence))[-1]
    mark = sentence[last.end() :].strip(f" *{QUOTES}")[-1:]
    if mark:
        return "close" if mark in _CLOSE_MARKS else "loose" if mark in _MARKS else ""
    if said[-1] in _CLOSE_LINKS or said[-1].endswith("'s"):
        return "close"
    return "loose" if said[-1] in _LINKS else ""


def _is_named(sentence: str, said: Sequence[str], found: str) -> bool:
    """Tell whether what stands before the number names it a code, or what it opens."""
    nouns = [word.removesuffix("'s") for word in said]
    at = next((place for place in range(len(said) - 1, -1, -1) if nouns[place] in _NOUNS), None)
    if at is None:
        return False
    noun, before, between = nouns[at], said[max(0, at - 6) : at], said[at + 1 :]
    place = list(_WORD.finditer(sentence))[at]
    if sentence[place.start() - 1 : place.start()] in ("_", ".", "/") or sentence[place.end() :][:1] in ("_", "/"):
        return False  # a name in a program
    link = _link(sentence, said) or ("" if between else "close")
    if between and between[-1] in _NUMBERED and link != "close":
        return False
    if noun in _LOCKS or noun in _DEVICES:
        return _opens_by(noun, between, found, link)
    if (
        not link
        or (before and before[-1] in _HARMLESS_BEFORE)
        or (link == "loose" and _has_digit(sentence[place.end() :]))
    ):
        return False
    is_opener = not _OPENERS.isdisjoint((*before, *between))
    if (
        noun in _SURE
        or place.group() in ("PIN", "PINs", "Pin", "TAN")
        or (noun in ("pin", "pins") and len(found) >= _BARE)
    ):
        return True
    if (between and between[0] in _HARMLESS_BEHIND) or (_YEAR.fullmatch(found) and (link != "close" or not between)):
        return False
    if link == "close" and len(found) >= _LIKE_A_SENT_ONE and found.isdigit():
        return True
    return is_opener and len(found) >= _BARE - found[0].isalpha()


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def _opens_by(lock: str, between: Sequence[str], found: str, link: str) -> bool:
    """Tell whether the thing called ``lock`` opens by the number, though nothing calls it a code."""
    digits = sum(map(str.isdigit, found))
    if not 3 <= digits <= _MOST_OF_LOCK or _YEAR.fullmatch(found) or (len(found) < _BARE and lock not in _SURE_LOCKS):
        return False
    if not between:
        return lock in _SURE_LOCKS or (lock in _LOCKS and link == "close" and len(found) > _BARE)
    if between[-1] not in _LOCK_LINKS:
        return lock in _LOCKS and link == "close" and len(between) <= 3
    if len(between) == 1 and between[0] in ("in", "to", "by", "for"):
        return False
    return lock in _LOCKS or between[-1] not in _CLOSE_LINKS | {"to", "in", "number"}


def _is_typed(sentence: str, said: Sequence[str], found: str, behind: str) -> bool:
    """Tell whether the number is to be typed in, for something that wants a code."""
    if len(found) < _BARE or _YEAR.fullmatch(found) or not _TYPING.search(sentence):
        return False
    return "#" in behind[:24] or any(word.startswith(_ACTIONS) for word in (*said[-12:-1], *_words(behind)))


def _is_named_behind(said: Sequence[str], found: str, behind: str) -> bool:
    """Tell whether what stands behind the number says that it is a code, or opens something."""
    follow = _words(behind)[:8]
    if len(found) < _BARE or _YEAR.fullmatch(found) or not follow or (said and said[-1] in _NUMBERED):
        return False
    if follow[0] in ("opens", "unlocks", "disarms") or follow[:2] in (["gets", "you"], ["lets", "you"]):
        return not _OPENERS.isdisjoint(follow[1:]) or any(word.startswith(_ACTIONS) for word in follow[1:])
    if follow[0] not in _SAYS and not behind.lstrip(f" *{QUOTES})").startswith(tuple(",;:=→—–(-")):
        return False
    at = next((place for place, word in enumerate(follow) if word in _SURE or word in _DOUBTFUL), None)
    if at is None or (at and follow[at - 1] in _HARMLESS_BEFORE):
        return False
    return follow[at] in _SURE or follow[at] in ("pin", "combination") or not _OPENERS.isdisjoint(follow)


def _is_chinese_code(before: str, found: str, text: str, end: int) -> bool:
    if _CHINESE.search(before[-40:]) or _CHINESE_BEHIND.match(text, end):
        return True
    digits = sum(map(str.isdigit, found))
    if not _BARE <= digits <= _MOST_OF_LOCK or _YEAR.fullmatch(found.strip("#*")) or found[0].isalpha():
        return False
    return _CHINESE_LOCK.search(before[-24:]) is not None
