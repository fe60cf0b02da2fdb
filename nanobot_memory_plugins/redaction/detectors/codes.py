"""Access codes with a word for a code before or after them: "the gate code is 4471", ``锁屏密码 368643``.

A number that counts or identifies something else is not an access code: 12 lines, error code 5012.
"""

import re
from collections.abc import Callable, Iterator

from nanobot_memory_plugins.redaction.lazy import lazy_re
from nanobot_memory_plugins.redaction.rules.keyword_index import (
    KeywordIndex,
    LowercaseText,
    is_near,
    matches_near,
    words,
)
from nanobot_memory_plugins.redaction.rules.rule import RANK_KEYED, REDACTED, Span
from nanobot_memory_plugins.redaction.script.folding import QUOTES
from nanobot_memory_plugins.redaction.values.value_shapes import is_ordinary

# Words that always mean an access code, and words with other meanings as well.
_CODE_WORDS = words(
    "passcode passcodes keycode keycodes puk puk1 puk2 otp cvv cvv2 cvc cvc2 csc pincode geheimzahl zugangscode türcode"
    " sicherheitscode bestätigungscode freischaltcode entsperrcode torcode alarmcode código codice digicode"
)
_AMBIGUOUS_WORDS = words("code codes pin pins combination combo tan opens unlocks")
# In a clause with one of these words a bare "code" is an access code.
_ACCESS_WORDS = words(
    "door gate garage lobby lock lockbox keybox keysafe keypad locker safe vault alarm padlock suitcase intercom"
    " disarm box elevator lift barrier cabinet panel unlock lockscreen turnstile buzzer voicemail entry sms text bike"
    " tablet ipad iphone phone laptop gym parking pool storage apartment flat airbnb mailbox office warehouse sim card"
    " visa mastercard bank banking atm debit credit mobile android screen watch wallet verification confirmation setup"
    " security access login log sign auth authentication 2fa mfa factor step whatsapp signal telegram wechat pairing"
    " recovery reset activation guest checkin pickup parcel delivery host meeting bluetooth router wifi staff front"
    " back key pass transaction payment transfer account my our your his her their"
    " porte portail puerta portal porta cancello tor tür haustür garagentor"
)
# Directly before the word they make it another kind of code, such as an error code.
_OTHER_CODE_WORDS = words(
    "error status exit return source zip postal area country dress product promo discount qr bar color colour hex http"
    " response airport currency language unit sample python java javascript rust html css dead legacy class morse item"
    " order sort branch swift tax course cost reason region referral invite job event batch model machine byte char"
    " unicode ascii test example penal civil criminal fault stop flight station stock part serial warning result reply"
    " gpio connector push map project department reference booking tracking of any no some new write more this"
)
_OTHER_WORDS_AFTER = words("code codes postal postale area review fiscale")
_LINKS = words(
    "is was reads says are be been it's that's to with use using enter type dial press now still again from ist lautet"
    " est es"
)
_CLOSE_LINKS = words("is was reads says it's that's now still lautet ist est es è é")
_CLOSE_MARKS, _MARKS = ":=→>—–-", ",(~…"
CODE_CUES = KeywordIndex(
    _CODE_WORDS
    | (_AMBIGUOUS_WORDS - {"tan"})
    | words("码 口令 暗号 保险箱 保险柜 门 锁 组合锁 键盘 keypad intercom buzzer door gate garage alarm lock panel")
    | {"texted", "just sent", "pad", "phone", "tablet", "laptop", "手机", "平板", "电脑"}
    | {"key safe", "key box", "type that", "type it", "enter that", "enter it", "punch in"}
)
_CANDIDATE = lazy_re(
    r"(?<![A-Za-z0-9_./$€£¥+#*&=\[-])(?=[A-Za-z*-]{0,25}[0-9]|\*?[A-Z][ ])(?<![0-9]:)(?<![0-9],)(?<![$€£¥] )"
    r"(?P<secret>\*?(?:(?=[A-Z0-9-]{0,24}[A-Z])(?=[A-Z-]{0,24}[0-9])[A-Z0-9]{2,6}(?:-[A-Z0-9]{2,6}){2,5}"
    r"|[0-9]{1,4}(?:-[0-9]{1,4}){2,3}|[A-Z0-9](?:[ ][A-Z0-9]){3,7}|[0-9]{2,4}[ -][0-9]{2,4}(?:[ -][0-9]{2,4}){0,2}"
    r"|(?=[0-9A-Z]{0,11}[a-z])(?=[0-9a-z]{0,11}[A-Z])(?=[A-Za-z]{0,11}[0-9])[A-Za-z0-9]{6,12}"
    r"|[0-9]{3,10}|[A-Z]{1,3}-?[0-9]{2,8}[A-Z]{0,2}|[0-9]{2,6}[A-Z]{1,3}[0-9]{0,4})[#*]?)"
    r"(?![A-Za-z0-9_%€$£°#*]|[.,:/-][0-9]|-[A-Za-z]|[\[=])"
)
# "... is my door code", "... 是你的验证码", "... （登录验证码）"
_NAMED_AFTER = lazy_re(
    r"(?i)[ ]?(?:[(（]|,?[ ]?(?:is|was|as|that['’]?s)(?![a-z])|就?是)"
    rf"(?P<said>(?:[ ][a-z'’-]{{1,14}}){{0,3}}?[ ](?:{'|'.join(sorted(_CODE_WORDS | _AMBIGUOUS_WORDS))})(?![a-z0-9_-])"
    r"|[^\n!-~，。；]{0,12}(?:码|口令|暗号)(?-i:(?![\u4e00-\u9fff])))"
)
# Words for typing a code, and for the place to type it: "press 4410 at the gate", "按1984开门禁", "gate: 5590#".
_TYPED_BEFORE = lazy_re(r"(?i)(?:(?<![a-z])(?:enter|press|dial|(?:punch|type|key)(?:[ ]in)?)[ ]|输入?|按|拨)\Z")
_TYPED_AFTER = lazy_re(
    r"(?i),?[ ](?:and[ ])?(?:enter|type|punch|key|put)[ ](?:that|it)(?![a-z])|[加再然后按]{1,4}[井星]"
    r"|,?[ ](?:and|then|followed[ ]by)[ ](?:press[ ]|hold[ ]|the[ ]){0,2}(?:hash|pound|star|tick|bell|enter)(?![a-z])"
    r"|,?[ ](?:then|followed[ ]by)[ ](?:[a-z]{1,8}[ ]){0,3}(?:button|key)(?![a-z])"
)
_PLACE = lazy_re(
    r"(?i)(?<![a-z])(?:keypad|intercom|buzzer|door(?:bell)?|gate|garage|alarm|lock(?:box|er)?|lobby|key[ ]?box|safe"
    r"|barrier|panel|pad|(?:and|then)[ ](?:press|hit|hold)"
    r"|(?:hash|pound|star|tick|bell)[ ](?:key|sign|button)|the[ ](?:star|hash))(?![a-z])"
    r"|(?<![部专热澳厦])门(?![店诊票])|[能车码]锁|车库|保险[箱柜]|键盘|[井#星]号"
)
# Devices whose only number is their code: "the keypad was changed. It's now 4410".
_KEYPAD = lazy_re(
    r"(?i)(?:key[ ]?(?:pad|safe|box)|lock[ ]?box|alarm(?=[^\n0-9]{0,60}with[ ]\Z)|密码锁|智能锁|密码键盘)"
    r"[^\n0-9]{0,60}?(?:(?:it['’]?s|is|was|to|takes|wants|needs|with)(?:[ ](?:now|still))?[ ]|[是为成用])\Z"
)
_KEYPAD_ENDS = (" ", "是", "为", "成", "用")
# A sent message, or an unlocked device, has no other number of this length.
_SENT = lazy_re(
    r"(?i)(?:(?:just[ ]sent|texted)[^\n0-9]{0,16}|(?:ipad|i?phone|tablet|laptop)[^\n0-9.,]{0,24}(?:is|to|wants|takes)"
    r"(?:[ ](?:now|still))?|(?:手机|平板|电脑|开机|锁屏)[^\n0-9,。]{0,8}[是为成用输])[ ]?\Z"
)
# The previous code, already hidden, is removed from the clause.
_PREVIOUS_CODE = lazy_re(r"(?:from|从|由)[ ]?\[[A-Z_]+\]")
_UNIT = lazy_re(
    r"(?i)[ ]?%|[ -](?:percent|px|ms|[km]?b|gb|bit|byte|digit|char|character|line|word|page|item|user|step|second"
    r"|minute|hour|day|year|euro|dollar|time|people|version|edition|pc|piece|unit|pixel|volt|[cm]m|kg|psi|rpm|yen)s?(?![a-z])"
    r"|[ ]?(?:[个個次秒天元块条條人年月日章页頁集版米度倍字行台件名期层層楼樓]|位(?!置)|分[钟鐘]?"
    r"|小[时時]|公里|[号號][楼樓])"
)
_WORD = lazy_re(r"[A-Za-z\u00e0-\u00ff][A-Za-z0-9\u00e0-\u00ff]*(?:['’][a-z]{1,2})?")
# Six digits that are not followed by a unit.
_SENT_CODE = lazy_re(r"[0-9]{6}(?![0-9])(?![ ](?!and|so|then|if|or)[A-Za-z])")
_YEAR = lazy_re(r"(?:19[4-9]|20[0-4])[0-9]")
_DATE = lazy_re(r"(?:19|20)[0-9]{2}-[0-9]{1,2}-[0-9]{1,2}")
# A JSON field also ends a sentence: the next field has its own name.
_SENTENCE_END = lazy_re(rf"[\n!?。！？；]|[.;](?=[ \n])|[{QUOTES}][ ]?,|,[ ]?[{QUOTES}]")
# Characters that, before 码, make it another kind of code.
_OTHER_CODE_PREFIXES = "一二三四五六七八九十位末后號号编代源邮条维尺页乱解转数起砝筹加误态区色扫打写敲字机"
_CHINESE = lazy_re(
    r"(?i)(?:密\s?码锁?|口令|暗号|(?<![a-z])(?:pin|puk)\s?码?(?![a-z])"
    rf"|(?<![{_OTHER_CODE_PREFIXES}])(?<!识别)(?<!健康)(?<!付款)(?<!收款)(?<!商品)(?<!邮政编)码(?![头农流字表本])"
    r"|组合锁|保险[箱柜]|门禁|[门车]锁)"
    r"(?!有效|学|技术|器|算法|期限|周期|时长|最[长短大小]|长度|位数|规则|强度|管理|格式|类型|字段|错误|保护|政策|框|页面|本)"
    r"(?![^\n,]{0,8}(?:忘|怎么|含))[^\n0-9A-Za-z。！？!?；;]{0,24}(?<!报)(?<![第约共每前近超过满限少多于长度错])"
    r"(?<!房间)(?<![单编型尾]号)(?<![单编型尾]号[ ])(?<!金额)(?<!订单)[ ]?[#*]?\Z"
)
# Every code has one of these nearby: a word for a code, or for where or how it is typed in.
_NAME_CUES = KeywordIndex(_CODE_WORDS | _AMBIGUOUS_WORDS | words("码 口令 暗号 保险箱 保险柜 门禁 门锁 车锁 组合锁"))
_PLACE_CUES = KeywordIndex(
    words(
        "keypad intercom buzzer door gate garage alarm lock lobby box safe barrier panel pad press hit hold hash pound"
        " star tick bell button enter type punch put key phone tablet laptop texted 门 锁 车库 保险箱 保险柜 键盘 井 星"
        " 手机 平板 电脑 开机 锁屏"
    )
    | {"just sent", "#号"}
)
_ALL_CUES = _NAME_CUES | _PLACE_CUES
# Characters of the clause before a number, and the farthest distance of a cue, which may begin before the clause.
_REACH, _FAR, _MIN_LENGTH, _SENT_CODE_LENGTH = 96, 112, 4, 6
# The longest candidate; characters before it that are checked for typing words, and for Chinese names.
_LONGEST_CODE, _LONGEST_TYPED, _LONGEST_CHINESE = 48, 12, 36


def find_codes(text: str, lower: LowercaseText, is_hidden: Callable[[int, int], bool]) -> Iterator[Span]:
    """Find access codes in the folded ``text``, except at places that ``is_hidden`` already covers."""
    near, named, typed_in = ([at for at, _, _ in cues.find(lower)] for cues in (_ALL_CUES, _NAME_CUES, _PLACE_CUES))
    for match in matches_near(_CANDIDATE, text, near, (_FAR, _FAR, _LONGEST_CODE)):
        found, start = match["secret"], match.start("secret")
        if is_hidden(*match.span("secret")) or not _has_length_of_code(found) or _UNIT.match(text, match.end()):
            continue
        clause = _SENTENCE_END.split(text[max(0, start - _REACH) : start])[-1]
        after = _NAMED_AFTER.match(text, match.end())
        is_named = is_near(named, start - _FAR, start) and _is_named_code(_PREVIOUS_CODE.sub("", clause), found)
        if (
            is_named
            or (after and _is_named_code(after["said"], found))
            or (
                len(found) >= _MIN_LENGTH
                and is_near(typed_in, start - _FAR, match.end() + _FAR)
                and _is_typed(text, match, clause)
            )
        ):
            yield Span(start, match.end("secret"), "access_code", REDACTED, RANK_KEYED)


def _is_typed(text: str, match: re.Match[str], clause: str) -> bool:
    """Return whether a number is typed in at a keypad, belongs to a keypad, or was sent to somebody as a code."""
    found, start = match["secret"], match.start("secret")
    is_typed = found[-1] in "#*" or _TYPED_BEFORE.search(clause, max(0, len(clause) - _LONGEST_TYPED))
    before = text[max(0, start - _REACH) : start]
    return bool(
        (is_typed and _is_near_keypad(text, match))
        or (before[-1:] in _KEYPAD_ENDS and _KEYPAD.search(before))
        or _TYPED_AFTER.match(text, match.end())
        or (_SENT_CODE.match(text, start) and _SENT.search(before))
    )


def _is_near_keypad(text: str, match: re.Match[str]) -> bool:
    start, end = match.span()
    before, after = text[max(0, start - _REACH) : start], text[end : end + _REACH]
    return any(map(_PLACE.search, (before.rpartition("\n")[2], _SENTENCE_END.split(after)[0])))


def _has_length_of_code(found: str) -> bool:
    digits = sum(map(str.isdigit, found))
    if any(map(str.islower, found)):
        return not is_ordinary(found)
    is_grouped = found.count("-") > 1 and digits < len(found) - found.count("-")  # of capitals and digits
    return is_grouped or ((3 <= digits <= 10 or (found[0].isalpha() and digits >= 2)) and not _DATE.fullmatch(found))


def _is_named_code(clause: str, found: str) -> bool:
    """Return whether ``clause`` calls the number next to it an access code."""
    if not clause.isascii() and _CHINESE.search(clause, max(0, len(clause) - _LONGEST_CHINESE)):
        return True
    matches = list(_WORD.finditer(clause))
    spoken_words = [match.group().lower().replace("’", "'") for match in matches]
    at = next(
        (place for place in range(len(spoken_words) - 1, -1, -1) if spoken_words[place].removesuffix("'s") in _NOUNS),
        None,
    )
    if at is None:
        return False
    noun, start, end = spoken_words[at].removesuffix("'s"), *matches[at].span()
    is_name = clause[start - 1 : start] in ("_", ".", "/") or clause[end : end + 1] in ("_", "/")  # in a program
    link = _link_kind(spoken_words, clause[matches[-1].end() :], is_next=at == len(spoken_words) - 1)
    has_other_number = any(map(str.isdigit, clause[end:]))
    after = spoken_words[at + 1 : at + 2]
    is_other_code = (at > 0 and spoken_words[at - 1] in _OTHER_CODE_WORDS) or not _OTHER_WORDS_AFTER.isdisjoint(after)
    if is_name or not link or is_other_code or (link == "loose" and has_other_number):
        return False
    is_combination = noun in ("combination", "combo") and found.count("-") > 1
    if is_combination or noun in _CODE_WORDS or matches[at].group() in ("PIN", "PINs", "Pin", "TAN"):
        return True
    if noun in ("pin", "pins"):
        return len(found) >= _MIN_LENGTH
    if _YEAR.fullmatch(found) and link != "close":
        return False
    if link == "close" and len(found) >= _SENT_CODE_LENGTH and found.replace(" ", "").isdigit():
        return True
    return not _ACCESS_WORDS.isdisjoint(spoken_words) and len(found) >= _MIN_LENGTH - found[0].isalpha()


_NOUNS = _CODE_WORDS | _AMBIGUOUS_WORDS


def _link_kind(spoken_words: list[str], after: str, *, is_next: bool) -> str:
    """Return how words and the text ``after`` them link to the number that follows: "close", "loose" or ""."""
    mark = after.strip(f" *{QUOTES}")[-1:]
    if mark:
        return "close" if mark in _CLOSE_MARKS else "loose" if mark in _MARKS else ""
    if is_next or spoken_words[-1] in _CLOSE_LINKS or spoken_words[-1].endswith("'s"):
        return "close"
    return "loose" if spoken_words[-1] in _LINKS else ""
