"""Secrets told in Chinese sentences: ``密码是...``, ``密钥：...``, ``账号密码 admin / ...``.

Written in simplified characters: the redactor looks through a text in both scripts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from nanobot_memory_plugins.redaction.rules.keyword_index import KeywordIndex, Lowered
from nanobot_memory_plugins.redaction.rules.lazy_pattern import lazy_re
from nanobot_memory_plugins.redaction.rules.rule import Span
from nanobot_memory_plugins.redaction.rules.word_lists import words
from nanobot_memory_plugins.redaction.values.key_names import Sensitivity, sensitivity
from nanobot_memory_plugins.redaction.values.sentence_values import (
    CODE_STEMS,
    Q,
    is_qualified,
    is_technical,
    is_told,
    told_span,
)
from nanobot_memory_plugins.redaction.values.value_shapes import (
    LONGEST_JUDGED,
    has_password_marks,
    is_placeholder,
    is_secret_value,
    is_word,
    looks_random,
)
from nanobot_memory_plugins.redaction.values.values_in_text import Value, value_at

_CUES = words("密 令 钥 凭 码 sk 匙 杖 暗号 序列号 助记 pass pwd token key secret pin")
_STEMS = (
    r"密\s?码|口\s?令|密钥|秘钥|密匙|私钥|令牌|凭证|凭据|授权码|验证码|校验码|提取码|访问码|安全码|动态码|邀请码"
    "|暗号|激活码|序列号|助记词|通行码|支付码|解压码|短信码|金钥|权杖|许可证|注册码|卡密"
)
_TOLD = lazy_re(
    rf"""(?xi)
    (?P<stem> {_STEMS} | (?<![A-Za-z0-9])(?:password|passwd|pwd|token|api\s?-?key|secret(?:\s?key)?
      |access\s?-?key|appsecret|key|pin)(?=\s{{0,2}}[\u4e00-\u9fff]) )
    (?P<between> [{Q}\])）】]{{0,3}} (?: [（(【\[][^（）()\[\]【】\n]{{0,20}}[）)】\]] )?
      [^\n,，。;；:=!?{Q}<>A-Za-z0-9]{{0,14}}? )
    (?P<link> (?:改|换|变)[了过]?[,，]\s{{0,2}}(?:现在|目前|新的)?(?:是|为|:)\s{{0,2}}
      | \s{{0,3}}(?:[:=]|[-=]?[=-]>|→)\s{{0,3}}
      | (?:是|为|叫|成|到|用|填|输入|等于|就是|即|给你|发你|如下|改回
      |写|换|设置?成?|从|我设的|现在是)[了过]?\s{{0,2}}:?\s{{0,3}} | \s{{1,3}} | (?<=[码令钥匙牌证据词号杖密])
      | (?<=[)）\]】」』\U0001f300-\U0001faff\u2190-\u21ff\u2600-\u27bf])
      | \s{{1,2}}(?:is|was|changed\s?to|set\s?to|reset\s?to|->|to)\s{{1,2}}
      | [,，]?\s{{0,2}}(?:记一下|发你了?|给你了?|如下)\s{{0,2}}[,:]?\s{{0,3}} )
    (?:```[a-z]{{0,12}}\n)? [（(【\[「『《“]?
    (?=[!-~{Q}]) (?![,;])
    """
)
_NAMED = lazy_re(
    r"(?<![A-Za-z0-9_.-])(?P<name>[A-Za-z_][A-Za-z0-9_.-]{2,60}+)[\"'`]?\s{0,2}(?:的值)?(?:设置?[为成]|[改换]为|[改换]成"
    r"|更新为|等于|填|用|是|为|叫)\s{0,2}:?\s{0,3}(?=[!-~\ue0f1-\ue0f9])"
)
_ACCOUNT_AND_PASSWORD = lazy_re(
    r"(?i)(?:(?:账号|账户|用户名?)\s{0,2}[/、和&+]?\s{0,2}密码|(?:user(?:name)?|login|account)\s{0,2}(?:/|and"
    r"|&)\s{0,2}(?:pass(?:word)?|pwd)|credentials?|creds|(?:登[录陆]|账[号户])信息)\s{0,2}(?:分别)?(?:是|为|is"
    r"|are)?\s{0,2}:?\s{0,3}"
    r"(?P<user>[A-Za-z0-9_.@-]{1,64})\s{0,3}[/|,、 ]\s{0,3}(?P<secret>[!-~]{4,128})"
)
# What mail services hand out: sixteen letters.
_MAIL_CODE = lazy_re(r"授权码[^\nA-Za-z]{0,4}(?P<secret>[A-Za-z]{16})(?![A-Za-z0-9])")
_KEY_PAIR = lazy_re(r"(?<![A-Za-z0-9_])(?:AK|SK|ak|sk)\s{0,2}(?:是|为|:)\s{0,2}(?P<secret>[A-Za-z0-9+/_-]{16,128})")
_SHORT_CODE = lazy_re(r"[A-Za-z0-9]{4,10}(?=[,.;(#])")
_ABOUT_SECRET = lazy_re(r"指纹|哈希|摘要|校验|编号|版本")
_ABOUT_VALUE = lazy_re(
    r"\s{0,2}(?:类型|格式|编码|加密|哈希|算法|字段|参数|位|个|字符|用户|的|次|天|小时|分钟|和|或|与|不|校验|登录|认证|方式|协议|模式|版)"
)
_REVERSED = lazy_re(
    r"(?<![A-Za-z0-9_./@#:-])(?<![\"'`!$%&()*+;<=>?^|~]{2})"
    r"(?P<secret>[!-&(-+.-9;->?-~]{6,128})[\"'`\ue0f1-\ue0f9]?[ \t]{0,2}(?=[^!-~\s])"
    r"(?!\s{0,2}的)(?:就是|就为|是|为|这个是?|作为|当)?"
    r"[^\s,，。;；:!?A-Za-z0-9]{0,10}?(?:密码|口令|密钥|私钥|令牌|金钥|token)(?!字段|类型|格式|长度|框|管理|算法|哈希|的)"
)
_ACCOUNTS = KeywordIndex(words("账 用户 登 user login account cred"))
_BESIDE_ACCOUNTS = KeywordIndex(words("密码 信息 pass pwd cred"))
_STRONG = frozenset({"密码", "口令", "密钥", "秘钥", "密匙", "私钥", "暗号", "解压码", "password", "passwd", "pwd"})


def find_told_in_chinese(text: str, lower: Lowered) -> Iterator[Span]:
    """Find secrets that Chinese sentences of the folded ``text`` tell; ``lower`` is the same in lower case."""
    if not text.isascii():
        if any(map(text.lower().__contains__, _CUES)):
            yield from _find_told(text, lower)
            yield from _find_reversed(text)
            yield from _find_issued(text, lower)
        yield from _find_named(text)
    if _ACCOUNTS.meets(lower) and _BESIDE_ACCOUNTS.meets(lower):
        yield from _find_account_passwords(text, lower)


def _find_told(text: str, lower: Lowered) -> Iterator[Span]:
    read = 0
    for match in _TOLD.finditer(text):
        if match.end() < read:
            continue  # inside the value that was read last
        value = value_at(text, match.end())
        if value is None:
            continue
        read = value.end
        if CODE_STEMS.fullmatch(match["stem"]):
            # "529162,5分钟内有效": a comma of full width ends the code.
            short = _SHORT_CODE.match(text, value.start, value.end)
            value = value._replace(end=short.end()) if short else value
        found = text[value.start : min(value.end, value.start + LONGEST_JUDGED)]
        if (
            (CODE_STEMS.fullmatch(match["stem"]) or not is_technical(found))
            and not (match["stem"] not in _STRONG and is_qualified(text, match.start()))
            and _tells(match, value, found)
        ):
            yield told_span(value.start, value.end)


def _tells(match: re.Match[str], value: Value, found: str) -> bool:
    """Tell whether ``found`` is the secret that the stem of ``match`` announces."""
    stem = re.sub(r"\s", "", match["stem"].lower())
    linked = bool(match["link"].strip())
    if _ABOUT_SECRET.search(match["between"]):
        return False
    about = bool(_ABOUT_VALUE.match(match.string, value.end))  # "base64 编码": the sentence is about a format
    if about and not (has_password_marks(found) and len(found) >= 8):
        return False
    if CODE_STEMS.fullmatch(stem):
        if found.isalnum() and 4 <= len(found) <= 10 and any(char.isdigit() for char in found):
            return True
        return len(found) >= 10 and (is_told(found) or looks_random(found, allow_hex=True))
    if stem not in _STRONG:
        if is_told(found) and len(found) >= (8 if linked else 10):
            return True
        return looks_random(found, allow_hex=stem != "key")
    if is_told(found):
        return linked or len(found) >= 6
    if not linked:
        return found.isdigit() and len(found) == 6 and not match["link"] and value.end == match.end() + 6
    if found.isdigit():
        return 4 <= len(found) <= 20
    return (value.quoted or len(found) >= 6) and is_word(found) and found.lower() == found


def _find_issued(text: str, lower: Lowered) -> Iterator[Span]:
    for match in _MAIL_CODE.finditer(text):
        yield told_span(*match.span("secret"))
    for match in _KEY_PAIR.finditer(text):
        if looks_random(match["secret"], allow_hex=True):
            yield told_span(*match.span("secret"))


def _find_reversed(text: str) -> Iterator[Span]:
    for match in _REVERSED.finditer(text):
        found = match["secret"]
        if is_told(found) and not is_technical(found) and (len(found) >= 8 or has_password_marks(found)):
            yield told_span(*match.span("secret"))


def _find_named(text: str) -> Iterator[Span]:
    for match in _NAMED.finditer(text):
        level = sensitivity(match["name"])
        value = value_at(text, match.end()) if level > Sensitivity.NONE else None
        if value is None:
            continue
        found = text[value.start : value.end]
        if is_technical(found[:LONGEST_JUDGED]):
            continue
        if is_secret_value(found, level, key=match["name"], quoted=value.quoted, running_text=True):
            yield told_span(value.start, value.end)


def _find_account_passwords(text: str, lower: Lowered) -> Iterator[Span]:
    for match in _ACCOUNT_AND_PASSWORD.finditer(text):
        found = match["secret"].rstrip(".,;)")
        if not is_placeholder(found) and (is_told(found) or found.isdigit()):
            start = match.start("secret")
            yield told_span(start, start + len(found))
