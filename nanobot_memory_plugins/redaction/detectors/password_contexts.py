"""Passwords by what is said around them: a value that looks like one, in a clause with a word for one, in any order.

``you type ottercrystal949 at the lock screen, that's the password``. What stands behind the name of something else (the
user, the network, a host, a version) is that, and no password. A clause that corrects what was hidden tells another
one: ``[REDACTED], no wait, it's tundra2869``.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from enum import Enum
from itertools import chain

from nanobot_memory_plugins.redaction.rules.effort import remembered
from nanobot_memory_plugins.redaction.rules.keyword_index import KeywordIndex, Lowered, places_of
from nanobot_memory_plugins.redaction.rules.lazy_pattern import lazy_re
from nanobot_memory_plugins.redaction.rules.rule import Span
from nanobot_memory_plugins.redaction.rules.word_lists import words
from nanobot_memory_plugins.redaction.script.folding import QUOTES
from nanobot_memory_plugins.redaction.values.password_marks import is_host, is_marked, is_strong, is_time
from nanobot_memory_plugins.redaction.values.sentence_values import is_technical, told_span
from nanobot_memory_plugins.redaction.values.value_shapes import is_hash_like, is_placeholder

_Q = QUOTES
# What a clause about a password calls it; behind the weaker words the value must be linked to them.
_SURE = (
    r"pass[ _-]?(?:word|phrase|code)s?|p[ae]?s{1,2}[aeo]?w[aeo]?r?[aeo]?[dt]|passowrd|passwd|pwd|pw|pass(?=[ :])"
    r"|creds|credentials|login[ ]details|wachtwoord"
    r"|passwort"
    r"|kennwort|contrase\u00f1a|mot[ ]de[ ]passe|mdp|senha|voucher|[a-zäöüß]{0,20}schlüssel|网络密钥|opens[ ]with"
    r"|unlocks[ ]with|[密蜜][码碼马玛瑪嘛]|口令|暗号"
)
_WEAK = (
    r"log(?:ged|ging|s)?[ -]?(?:in|on)(?:to)?|sign(?:ed|ing|s)?[ -]?(?:in|on)(?:to)?|wi-?fi|wlan|hotspot|encrypted"
    r"|protected|locked|unlocks?|decrypts?|unzip|unpack|lock[ ]?screen|keepass(?:xc)?|bitwarden|luks|veracrypt"
    r"|bitlocker"
    r"|admin|root|router|vpn|nas|ssh|get[ ]in|gets[ ](?:you|me|us)[ ]in|laptop|macbook|notebook|computer|server|pdf"
    r"|zip"
    r"|to[ ]open|to[ ]unlock|to[ ]view|to[ ]decrypt|secret|psk|wpa[23]?|(?<!public )(?<!host )key|netflix|spotify"
    r"|steam|amazon|paypal|ebay|instagram|insta"
    r"|facebook|gmail|outlook|icloud"
    r"|apple[ ]id|disney\+?|github|gitlab|linkedin|twitter|tiktok|dropbox|adobe|xbox|psn|nintendo|discord|reddit|zoom"
    r"|mailbox|forum|basic[ ]auth|portal|淘宝|京东|微信|支付宝|微博|抖音|邮箱|账号|登录|登陆|解压|加密|解锁|后台"
    r"|管理员|热点|无线"
)
_CUE = lazy_re(rf"(?i)(?<![a-z0-9_./-])(?:(?P<sure>{_SURE})|(?P<weak>{_WEAK}))(?![a-z0-9_-])")
_CUES = KeywordIndex(
    words(
        "pass pwd pw paswor paswr pasw passw psw 密玛 密马 密嘛 蜜码 creds credentials wachtwoord kennwort"
        " contrase\u00f1a mdp senha login logon wifi wi-fi wlan"
        " hotspot"
        " encrypted protected locked unlock decrypt unzip unpack keepass bitwarden luks veracrypt bitlocker admin"
        " root"
        " router vpn nas ssh laptop macbook notebook computer server pdf zip secret psk wpa key netflix spotify"
        " steam amazon"
        " paypal ebay instagram insta facebook gmail outlook icloud disney github gitlab linkedin twitter tiktok"
        " dropbox adobe"
        " xbox psn nintendo discord reddit zoom mailbox forum portal 淘宝 京东 微信 支付宝 微博 抖音 邮箱 账号 密码"
        " 口令"
        " 暗号 登录 登陆 解压 加密 解锁 后台 管理员 热点 无线"
    )
    | {"log in", "logs in", "log on", "logged in", "logging in", "sign in", "signed in", "sign on", "lock screen"}
    | {
        "login details",
        "log into",
        "sign into",
        "get in",
        "gets you in",
        "gets me in",
        "to open",
        "to unlock",
        "to view",
        "to decrypt",
        "schlüssel",
        "voucher",
        "basic auth",
        "opens with",
        "unlocks with",
        "apple id",
    }
)
_TOKEN = lazy_re(
    rf"(?<![^\s{_Q}(\[（「：:,，。;；、>→—|\u2e80-\u9fff])(?<![A-Za-z0-9]:)(?P<secret>(?=[!-~]{{0,63}}[0-9])[!#$%&*+.-9;=?-Z^_a-z~-]"
    rf"{{6,64}})(?=[\s{_Q})\]）」,，。;；、|\u2e80-\u9fff—]|\Z)"
)
# So far before its first digit may a token begin.
_BEFORE_DIGIT = 63
_DIGIT = lazy_re("[0-9]")
_PRINTABLE = lazy_re("[!-~]+")
_SHORTEST, _SHORTEST_MIXED = 6, 7
# Behind a value they say nothing of it.
_NEVER_BEHIND = words("admin root router vpn nas ssh key secret server computer")
_TRAIL = f".,:;){_Q}"
_FORWARD, _BACKWARD = 100, 72
_SENTENCE_END = lazy_re(r"[!?。！？；;](?=[\s\u2e80-\u9fff]|\Z)|(?<!i\.e)(?<!e\.g)\.(?=\s|\Z)")
_GOES_ON = lazy_re(
    r"(?i)[ ]{0,2}(?:(?:no|sorry|wait|actually|well|oh|ok|hm+|so|anyway|remember|note)[,:]?[ ]){0,2}(?:it['’]?s"
    r"|it[ ]is"
    r"|that['’]?s|its|that[ ]is|i[ ](?:set|made|changed|think|put|chose)|try|use|enter|type|here|now[ ]it|set[ ]it"
    r"|这是|是|就是|改成)"
)
# The value behind one of these is the name of something else.
_OTHER_NAMES = words(
    "user username userid loginname account handle nick nickname email mail host hostname server machine node cluster"
    " database db table schema bucket repo branch commit tag release version build image package model device"
    " called named"
    " network ssid room order ticket issue case invoice ref reference serial id ids uuid url link file folder path"
    " port"
    " project team group tenant realm domain zone region hash checksum digest fingerprint sha algorithm cipher"
    " format type"
    " size sku part flight train from by in on at than v via python java windows ubuntu debian as name"
)
_OTHER_NAME_IN_CHINESE = lazy_re(
    rf"(?:用[户戶]名?|[账帐帳賬][号號户戶]|名[称稱字]?|主[机機]|服[务務]器|伺服器|型[号號]|版本|[编編][号號]"
    rf"|[订訂][单單]|[单單][号號]|文件"
    rf"|檔案|工[号號]|[邮郵]箱|昵[称稱]|域名|端口)(?:[ ]?(?:[:=]|是|为|為|叫))?[ ]?[{_Q}(「*]{{0,2}}\Z"
)
_LAST_WORD = lazy_re(rf"(?i)([a-z]+)(?:[ ](?:is|was|are|number|no|id))?[ ]?[:=#]?[ ]?[{_Q}(「*]{{0,2}}\Z")
# "The laptop order number is W1187724": a number that people give each other, whatever device it is of.
_NUMBER_OF = lazy_re(
    rf"(?i)(?<![a-z])(?:order|purchase|booking|reservation|confirmation|invoice|ticket|case|flight|train|part|article|item"
    rf"|serial|tracking|parcel|shipment|delivery|customer|contract|claim|request|job|model)[ ]"
    rf"(?:numbers?|no\.?|nr\.?|id|ref(?:erence)?|#)"
    rf"(?:[ ](?:for|of)[ ](?:it|(?:the|my|our|this|that)[ ][a-z]{{2,14}}))?(?:[ ](?:is|was|are))?"
    rf"[ ]?[:=#]?[ ]?[{_Q}(「*]{{0,2}}\Z"
)
_LINKS_VALUE = lazy_re(
    rf"(?i)(?:(?<![a-z])(?:is|was|with|using|use|uses|type|types|enter|try|it['’]?s|that['’]?s|now|to|still|then|and)"
    rf"|[:=→>/—–,，、]|[是为用成:：])[ ]?[{_Q}(「*]{{0,2}}\Z"
)
_NO_VALUE = lazy_re(
    r"(?i)ssh-\S*|AAAA[A-Z]\S*|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?-i:[a-z_][a-z0-9._-]*@[a-z][a-z0-9.-]*)|[a-z]{2,20}://.*|www\..*|[\w.-]+/[\w./-]*|.*\.(?:[a-z]{2,4}"
    r"|[a-z][a-z0-9]{1,3})"
    r"|[a-z_.-]+=.*|[A-Z_]+=.*|[A-Za-z_][\w.-]*=[A-Za-z0-9\"'].*|.*[;&].*=.*|.*[\[\]{}<>|\\].*"
    r"|--?[a-z].*|\d+#.*|[#@]\S*|[$€£].*|v?\d+(?:[.x]\d*)+.*|\d+(?:st|nd|rd|th|am|pm|px|gb|mb|kb|ms|km|kg|min|h|%)"
    r"|[a-z]\d{1,3}"
    r"|\d{1,4}[-/.]\d{1,4}[-/.]\d{1,4}.*|\d+[:.]\d+.*|[A-Z]{2,10}-\d+|(?:sha|md|aes|rsa|utf|iso|rfc|cve|ipv|http"
    r"|tls)-?\d.*"
)
# Right behind a label: a key of digits, five letters and digits, what stands behind a user.
_LABELLED = lazy_re(
    r"(?i)(?:(?P<key>schl\u00fcssel|wpa[23]?(?:[ -]?(?:psk|key))?|(?:wi-?fi|wlan|network)[ ](?:key|password)"
    r"|(?:网络|无线)?密钥)"
    r"|(?P<short>pass(?:word|code)|passwort|kennwort|tan|密码))[ ]?(?:[:：=]"
    r"|(?=[ ]))[ ]{0,3}(?P<secret>[!-~]{5,32}?)"
    r"(?=[\s,，。;；)]|\.(?:\s|\Z)|\Z)"
)
_KEY_OF_DIGITS = lazy_re(r"[0-9]{8,32}")
_SHORT = lazy_re(r"(?=[a-z]{0,8}[0-9])[a-z0-9]{5,8}")
_LOGIN_PAIR = lazy_re(
    r"(?i)(?<![a-z])(?:basic[ ]auth|log-?ins?|zugang|credentials?"
    r"|creds)[ ]?[:=][ ]\{{0,2}[\w.@+-]{2,40}\}{0,2}(?:[ ]/[ ]|(?P<blank>[ ]))\{{0,2}"
    r"(?P<secret>[^\s{}/,;]{6,64})"
)
_MADE_UP = lazy_re(r"[a-z]+[A-Z][A-Za-z]*|[A-Za-z]+(?:-[A-Za-z]+)+|.*[0-9!#$%^&*].*")
# Words run together, and a number: "ottercrystal949". One word and a number is more often a product.
_RUN_TOGETHER = lazy_re(r"[A-Z]?[a-z]{9,24}[0-9]{2,4}")
# Letters that digits stand for: "k1ttens".
_LEET = lazy_re(r"[A-Za-z]{1,12}[0-9]{1,2}[A-Za-z]{1,12}(?:[0-9]{1,2}[A-Za-z]{1,12}){0,3}[0-9]{0,4}")
_BEHIND_USER = lazy_re(
    r"(?<![A-Za-z0-9])[A-Za-z0-9][A-Za-z0-9._+@-]{1,40}[ ]{1,2}/[ ]{1,2}\Z|[\"'」”][ ]/[ ]\Z|same[ ]user,[ ]\Z"
)
_WORD_AND_YEAR = lazy_re(r"[A-Za-z]{4,24}(?:19|20)?[0-9]{2}[!#*]?|[a-z]{3,12}[0-9]{3,6}")
_CLOSELY = lazy_re(rf"(?i)(?:(?<![a-z])(?:is|was|it['’]?s|now|with|using)[ ]|[:=→：][ ]?|[是为成])[{_Q}(「*]{{0,2}}\Z")
_SYMBOL = lazy_re(r"[!@#$%^&*?~+=_](?=.)|[!@#$%^&*]\Z")
_WORDS_AND_NUMBER = lazy_re(
    r"[A-Za-z]{3,14}(?:[-_.][A-Za-z]{3,14}){1,6}[-_.]?[0-9]{1,4}[!#*]?|[A-Za-z]{3,14}(?:[-_.][A-Za-z0-9]{1,14}){2,6}"
)
_REDACTED = "[REDACTED]"
# Says that what follows is to stand for what was hidden.
_CORRECTING = (
    r"(?:(?<![a-z])(?:wait|sorry|oops|ups|actually|i[ ]mean[t]?"
    r"|correction|typo"
    r"|make[ ]that|rather|scratch[ ]that|should[ ]be|(?:it['’]?s|is)[ ]now|now[ ]it['’]?s|changed[ ](?:it[ ])?to"
    r"|new[ ]one"
    r"|not[ ]that|the[ ]other[ ]one|or|else[ ]try|otherwise|if[ ]not|instead[ ]use|then[ ]try)(?![a-z])|不对|错了"
    r"|更正|应该是|现在是|改成|改为|换成"
    r"|新的|或者?|不行就)"
)
_CORRECTION = lazy_re(f"(?i){_CORRECTING}")
_FARTHEST = 72
# From behind a placeholder to where the new value begins.
_CORRECTS = lazy_re(rf"(?i)[^\n]{{1,{_FARTHEST}}}?{_CORRECTING}[^\n]{{0,24}}?(?=[\s\u2e80-\u9fff:：,，—(])")
_REPLACED = lazy_re(
    rf"(?i)(?:(?<![a-z])(?:used[ ]to[ ]be|was|isn['’]?t|wasn['’]?t|not|no[ ]longer|instead[ ]of|from)|以前是|不是"
    rf"|原来是|之前是|从)"
    rf"[ ]?[{_Q}]?(?P<secret>[!-~]{{4,64}}?)[{_Q}]?[,.，。;；]?(?=[ \u2e80-\u9fff][^\n]{{0,60}}?\[REDACTED\])"
)
_VALUE_NOW = lazy_re(
    rf"[\s:：,，—(]{{0,2}}[{_Q}]?(?P<secret>[!-~]{{4,64}}?)[{_Q}]?(?=[,.，。;；)]?(?:\s|[\u2e80-\u9fff]|\Z))"
)
_YEAR = lazy_re(r"(?:19|20)[0-9]{2}")
_CODE = lazy_re(r"[#*]?[0-9]{4,8}[#*]?")


def find_passwords_in_context(text: str, lower: Lowered) -> Iterator[Span]:
    """Find passwords by what the clauses of the folded ``text`` say of them; ``lower`` is it in lower case."""
    if _CUES.meets(lower):
        yield from _find_beside_words(text, lower)
        yield from _find_labelled(text, lower)
    if _REDACTED in text:
        yield from _find_corrected(text, lower)


def _find_beside_words(text: str, lower: Lowered) -> Iterator[Span]:
    tokens = list(_tokens(text))
    if not tokens:
        return  # most texts: looking for the cues takes far longer
    cues = list(_CUE.finditer(text))
    starts = [cue.start() for cue in cues]
    for match in tokens if cues else ():
        start, end = match.span("secret")
        nearest = bisect_left(starts, start - 2 * _FORWARD)
        if nearest == len(starts) or starts[nearest] >= end + _BACKWARD:
            continue  # no cue is near: most words of long texts
        found = match["secret"].rstrip(_TRAIL)
        looks = _looks(found)
        if looks is _Looks.NONE:
            continue
        end = start + len(found)
        at = bisect_left(starts, start)
        left = (cue for cue in reversed(cues[bisect_left(starts, start - _FORWARD) : at]) if cue.end() <= start)
        right = (cue for cue in cues[bisect_left(starts, end) : bisect_left(starts, end + _BACKWARD)])
        reaching = chain(
            (cue for cue in left if _reaches(text, cue, start)),
            (cue for cue in right if cue.end() <= end + _BACKWARD and _reaches_back(text, end, cue)),
        )
        near = next(reaching, None)
        before = text[max(0, start - 48) : start]
        is_login = before.endswith((" / ", ", ")) and bool(_BEHIND_USER.search(before))
        if (is_login and _beside_cue(text, start)) or (
            near
            and (
                _is_label(near, text[near.end() : start], found)
                or _is_told(before[-32:], looks, bool(near["sure"] or any(cue["sure"] for cue in reaching)))
            )
        ):
            yield told_span(start, end)


def _tokens(text: str) -> Iterator[re.Match[str]]:
    """Yield what `_TOKEN` finds, by looking only where digits stand: most words of a long text hold none."""
    end = 0
    for digit in _DIGIT.finditer(text):
        place = digit.start()
        run = _PRINTABLE.match(text, place) if place >= end else None
        if run is None:
            continue
        earliest = max(end, place - _BEFORE_DIGIT)
        start = max(earliest, text.rfind(" ", earliest, place) + 1, text.rfind("\n", earliest, place) + 1)
        end = run.end()
        # The character behind the run is shown too: it tells whether a token may end there.
        yield from _TOKEN.finditer(text, start, end + 1)


def _find_labelled(text: str, lower: Lowered) -> Iterator[Span]:
    for match in _LABELLED.finditer(text):
        found = match["secret"]
        is_key = match["key"] is not None and _KEY_OF_DIGITS.fullmatch(found)
        is_short = match["short"] is not None and _SHORT.fullmatch(found) and not is_technical(found)
        if is_key or (is_short and not found.isdigit()):
            yield told_span(*match.span("secret"))
    for match in _LOGIN_PAIR.finditer(text):
        found = match["secret"].rstrip(_TRAIL)
        is_made_up = _looks(found) in (_Looks.MIXED, _Looks.STRONG) if match["blank"] else _MADE_UP.fullmatch(found)
        if is_made_up and not is_placeholder(found):
            yield told_span(match.start("secret"), match.start("secret") + len(found))


def _is_label(cue: re.Match[str], between: str, found: str) -> bool:
    """Tell whether nothing but a mark stands between ``cue``, before it, and a value."""
    if not between or between.strip(" :="):
        return False
    return bool(cue["sure"]) or (cue["weak"].lower() == "login" and found[0].isupper() and found.count("-") > 1)


def _beside_cue(text: str, start: int) -> bool:
    """Tell whether a word for a login or a password stands on the line before ``start``, or on the one before that."""
    left = max(0, start - 2 * _FORWARD)
    line = text.rfind("\n", left, start)
    line = text.rfind("\n", left, line) if line > left else line
    return bool(_CUE.search(text, max(left, line + 1), start))


def _reaches(text: str, cue: re.Match[str], start: int) -> bool:
    """Tell whether what ``cue`` says reaches the value that begins at ``start``: it is one sentence, or goes on."""
    between = text[cue.end() : start]
    if "\n" in between or "\x0b" in between:
        return False
    end = _SENTENCE_END.search(between)
    return end is None or bool(_GOES_ON.match(between, end.end()))


def _reaches_back(text: str, end: int, cue: re.Match[str]) -> bool:
    """Tell whether ``cue``, which stands behind a value that ends at ``end``, speaks of it."""
    if cue["weak"] and cue["weak"].lower() in _NEVER_BEHIND:
        return False
    between = text[end : cue.start()]
    return not ("\n" in between or "\x0b" in between or _SENTENCE_END.search(between))


class _Looks(Enum):
    """How much a value looks like a password."""

    NONE = 0
    WORDS = 1
    MIXED = 2
    STRONG = 3


def looks_told(found: str) -> bool:
    """Tell whether ``found``, which is announced as a password, looks like one."""
    return _looks(found) is not _Looks.NONE


@remembered
def _looks(found: str) -> _Looks:
    if len(found) < _SHORTEST or not any(map(str.isalpha, found)) or _NO_VALUE.fullmatch(found):
        return _Looks.NONE
    if is_placeholder(found) or is_technical(found) or is_host(found) or is_time(found) or is_hash_like(found):
        return _Looks.NONE
    if is_strong(found):
        return _Looks.STRONG
    if is_marked(found) or _is_mixed(found) or _RUN_TOGETHER.fullmatch(found):
        return _Looks.MIXED
    if not found.isupper() and any(shape.fullmatch(found) for shape in (_WORDS_AND_NUMBER, _WORD_AND_YEAR, _LEET)):
        return _Looks.WORDS
    return _Looks.NONE


@remembered
def _is_told(before: str, looks: _Looks, sure: bool) -> bool:
    """Tell whether a value is told as a password by what stands right before it."""
    last = _LAST_WORD.search(before)
    if (last is not None and last.group(1).lower() in _OTHER_NAMES) or _OTHER_NAME_IN_CHINESE.search(before):
        return False
    if not sure and _NUMBER_OF.search(before):
        return False
    if looks is _Looks.STRONG or (looks is _Looks.MIXED and sure):
        return True
    if looks is _Looks.MIXED:
        return bool(_LINKS_VALUE.search(before))
    return sure and bool(_CLOSELY.search(before))


def _find_corrected(text: str, lower: Lowered) -> Iterator[Span]:
    corrections = [match.start() for match in _CORRECTION.finditer(text)]
    for place in places_of(_REDACTED, text):
        end = place + len(_REDACTED)
        at = bisect_left(corrections, end)
        if at == len(corrections) or corrections[at] > end + _FARTHEST:
            continue
        match = _CORRECTS.match(text, end)
        value = _VALUE_NOW.match(text, match.end()) if match else None
        if value is not None and _is_value(value["secret"]):
            yield told_span(*value.span("secret"))
    for match in _REPLACED.finditer(text):
        if _is_value(match["secret"]):
            yield told_span(*match.span("secret"))


def _is_value(found: str) -> bool:
    if _CODE.fullmatch(found):
        return not _YEAR.fullmatch(found)
    return _looks(found) in (_Looks.STRONG, _Looks.MIXED)


def _is_mixed(found: str) -> bool:
    """Tell whether letters and digits of ``found`` are mixed with symbols, or with capitals within."""
    if len(found) < _SHORTEST_MIXED or not any(map(str.isdigit, found)) or sum(map(str.isalpha, found)) < 2:
        return False
    if _SYMBOL.search(found):
        return True
    capital = next((at for at, char in enumerate(found[1:]) if char.isupper()), None)
    return capital is not None and found.isalnum() and any(map(str.islower, found))
