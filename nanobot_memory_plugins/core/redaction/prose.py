"""Secrets told in sentences, in English and Chinese: ``the password is ...``, ``密码是...``, ``我的密钥 ...``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nanobot_memory_plugins.core.redaction.key_names import Sensitivity, sensitivity, split_name
from nanobot_memory_plugins.core.redaction.rules import RANK_KEYED, REDACTED, Span
from nanobot_memory_plugins.core.redaction.value_shapes import (
    LONGEST_JUDGED,
    has_password_marks,
    is_placeholder,
    is_secret_value,
    is_word,
    looks_random,
)
from nanobot_memory_plugins.core.redaction.values_in_text import value_at
from nanobot_memory_plugins.core.redaction.vendor_names import VENDOR_NAMES
from nanobot_memory_plugins.core.redaction.word_lists import words

_Q = "\"'`\ue0f1-\ue0f9"
_ENGLISH = re.compile(
    rf"""(?xi)
    (?<![A-Za-z0-9_-])
    (?P<stem> pass\s?(?:word|phrase|code) | passwd | pwd | (?:api|access|secret|private|auth|encryption|signing
      |license|recovery|master|ssh|service|account)[ _-]?key
      | (?:api|access|auth|bearer|session|refresh|bot|personal[ ]access)[ _-]?token | client[ _-]?secret | secret
        | token | credentials? | pin(?:[ ]?(?:code|number))? | key
      | (?:verification|security|otp|login|one-time|access|confirmation|sms)[ ](?:code|pin|password) | otp )
    [{_Q})*]{{0,3}}
    (?P<between> (?:\s{{1,3}}(?:for|of|to|on|at|from|in)\s{{1,3}}[^\s:;,=]{{1,60}}
      (?:\s{{1,3}}[A-Za-z0-9_.@/'-]{{1,40}}){{0,3}}?)? )
    (?P<link> \s{{0,3}} (?:[:=]|->) \s{{0,3}} | \s{{1,3}}(?:is|was|are|to|as|becomes|equals|being|will\s{{1,3}}be
      |has\s{{1,3}}been\s{{1,3}}(?:set|changed|reset)\s{{1,3}}to|should\s{{1,3}}be|set\s{{1,3}}to|changed\s{{1,3}}to
      |of|with)(?:\s{{1,3}}(?:now|currently|still|just|simply|set\s{{1,3}}to
      |changed\s{{1,3}}to))?\s{{0,3}}:?\s{{1,3}} | [ \t]{{1,3}} )
    (?= [{_Q}] | [!-~]{{0,80}}?[0-9!@#$%^&*?~+=|] )
    """
)
_REVERSED = re.compile(
    rf"""(?xi)
    (?<![^\s{_Q}(]) (?P<secret>[^\s{_Q}]{{6,128}}) [{_Q}]?
    \s{{1,3}} (?:is|was|as|for) \s{{1,3}} (?:(?:the|my|our|your|his|her|their|a|its|new|current|temporary|initial
      |default|root|admin|database|db|login|account|wifi|master|real)\s{{1,3}}){{1,4}}
    (?:password|passphrase|passcode|api[ ]key|access[ ]token|secret[ ]key|token|pwd)(?![A-Za-z])
    """
)
_CHINESE_STEMS = "密码|口令|密钥|秘钥|密匙|私钥|令牌|凭证|凭据|授权码|验证码|校验码|提取码|访问码|安全码|动态码|邀请码|暗号|激活码|序列号|助记词|通行码|支付码|解压码"
_CHINESE = re.compile(
    rf"""(?xi)
    (?P<stem> {_CHINESE_STEMS} | (?<![A-Za-z0-9])(?:password|passwd|pwd|token|api\s?-?key|secret(?:\s?key)?
      |access\s?-?key|appsecret|key|pin)(?=\s{{0,2}}[\u4e00-\u9fff]) )
    (?P<between> [{_Q}\])）】]{{0,3}} (?: [（(【\[][^（）()\[\]【】\n]{{0,20}}[）)】\]] )? [^\n,。;:=!?{_Q}<>A-Za-z0-9]{{0,14}}? )
    (?P<link> \s{{0,3}}(?:[:=]|[-=]?[=-]>|→)\s{{0,3}} | (?:是|为|叫|成|到|用|填|输入|等于|就是|即|给你|发你|如下|改回|写|换
      |设)\s{{0,2}}:?\s{{0,3}} | \s{{1,3}} )
    (?=[!-~{_Q}])
    """
)
_CHINESE_NAMED = re.compile(
    r"(?<![A-Za-z0-9_.-])(?P<name>[A-Za-z_][A-Za-z0-9_.-]{2,60}+)[\"'`]?\s{0,2}(?:的值)?(?:设置?[为成]|[改换]为|[改换]成"
    r"|更新为|等于|填|用|是|为|叫)\s{0,2}:?\s{0,3}(?=[!-~\ue0f1-\ue0f9])"
)
_ACCOUNT_AND_PASSWORD = re.compile(
    r"(?i)(?:(?:账号|帐号|账户|用户名?)\s{0,2}[/、和&+]?\s{0,2}密码|(?:user(?:name)?|login|account)\s{0,2}(?:/|and"
    r"|&)\s{0,2}(?:pass(?:word)?|pwd))\s{0,2}(?:分别)?(?:是|为|is|are)?\s{0,2}:?\s{0,3}"
    r"(?P<user>[A-Za-z0-9_.@-]{1,64})\s{0,3}[/|,、 ]\s{0,3}(?P<secret>[!-~]{4,128})"
)
_ABOUT_VALUE = re.compile(
    r"\s{0,2}(?:类型|格式|编码|加密|哈希|算法|字段|参数|位|个|字符|用户|的|次|天|小时|分钟|和|或|与|不|校验|登录|认证|方式|协议|模式|版)"
)
_TECHNICAL = re.compile(
    r"(?i)base(?:16|32|58|64)|sha-?(?:1|2|3|224|256|384|512)|md[45]|utf-?(?:8|16)|aes(?:-?(?:128|192"
    r"|256))?(?:-[a-z]{3})?|rsa-?\d{4}|oauth-?2?(?:\.0)?|http/?[123s]?(?:\.\d)?|ipv[46]|argon2(?:id|i|d)?"
    r"|pbkdf2"
    r"|[hrep]s(?:256|384|512)|ed25519|x\.?509|pkcs-?#?\d{1,2}|web3|totp|k8s|s3|ec2"
    r"|v?\d{1,3}(?:\.\d{1,4}){1,3}|gpt-?\d[\w.-]*|\d{1,5}[a-z]{1,3}|[a-z]{1,4}-?\d{1,2}|\d{4}-\d{2}-\d{2}.*"
    r"|[a-z_.]+\(\)?"
)
_STRONG = frozenset({"密码", "口令", "密钥", "秘钥", "密匙", "私钥", "暗号", "解压码", "password", "passwd", "pwd"})
_CODES = re.compile(
    r"(?i).*(?:code|otp|pin|验证码|校验码|安全码|动态码|提取码|访问码|授权码|邀请码|通行码|支付码|解压码)"
)
_QUALIFIED = re.compile(
    r"(?i)(?:public|primary|foreign|cache|partition|sort|fingerprint|host|idempotency|registry|hot|shortcut"
    r"|object|map|next|max|total|prompt|per|hash|row|dict|json|i18n)[ _-]$|公$|主$|外$|缓存$|加$"
)
# A name that runs into the word ("acmeSECRET 4f2a...") or a line of a configuration ("requirepass hunter2").
_GLUED = re.compile(
    r"(?:[Ss]ecret|SECRET|[Tt]oken|TOKEN|[Pp]assword|PASSWORD|[_-]key|KEY|Key"
    r"|PRIVATE)[ \t]{1,4}(?P<secret>[A-Za-z0-9+/=_.~-]{16,4096})"
)
_DIRECTIVE = re.compile(
    r"(?im)^[ \t]{0,40}(?:(?P<sure>requirepass|masterauth|rootpw|bindpw|auth[-_]pass|userpassword"
    r"|enable[ ](?:secret|password)(?:[ ][0-9])?|snmp-server[ ]community|ppp[ ]chap[ ]password(?:[ ][0-9])?"
    r"|wpa-psk|wpa_passphrase|(?:username[ ]\S{1,60}[ ](?:privilege[ ][0-9]{1,2}[ ])?(?:password"
    r"|secret)(?:[ ][0-9])?))|password|passwd|secret|pass)[ \t]{1,20}(?P<secret>[^\s\"'<][^\s]{3,199}?"
    r"|\"[^\"\n]{1,200}\"|'[^'\n]{1,200}')[ \t]{0,8};?[ \t]*\r?$"
)
_PHRASE_KEYS = re.compile(
    r"(?i)(?:mnemonic|seed(?:[ _-]?phrase)?|recovery[ _-]?phrase|secret[ _-]?phrase"
    r"|助记词)[\"')*]{0,3}(?:\s{0,3}(?:[:=]|is|是|为)){1,2}\s{0,3}[\"']?(?P<secret>[a-z]{3,8}"
    r"(?:[ ,]{1,3}[a-z]{3,8}){11,23})"
)
_PASSPHRASE = re.compile(
    r"(?im)^[ \t\"']{0,12}(?:[a-z0-9_-]{0,30}_)?passphrase[\"']?[ \t]{0,3}[:=][ \t]{0,3}(?P<secret>[a-z]{3,12}"
    r"(?: [a-z]{3,12}){2,9})[ \t]*$"
)
_SENTENCE_WORDS = words(
    "is are must be at the for not required should with when will can may you your this that used have has and or"
)
_ENGLISH_CUES = ("pass", "pwd", "key", "token", "secret", "credential", "pin", "otp", "code")


def find_told_secrets(text: str, lower: str) -> Iterator[Span]:
    """Find secrets that sentences of the folded ``text`` tell; ``lower`` is the same in lower case."""
    if any(cue in lower for cue in _ENGLISH_CUES):
        yield from _find_english(text)
        yield from _find_directives(text)
        if "pass" in lower or "pwd" in lower:
            yield from _find_account_passwords(text)
        if " as " in lower or " is " in lower or " was " in lower or " for " in lower:
            yield from _find_reversed(text)
        if "phrase" in lower or "mnemonic" in lower or "seed" in lower:
            yield from _find_phrases(text)
    if not text.isascii():
        yield from _find_chinese(text)
        yield from _find_chinese_named(text)
        if "密码" in text:
            yield from _find_account_passwords(text)
        if "助记词" in text:
            yield from _find_phrases(text)


def _keyed(start: int, end: int) -> Span:
    return Span(start, end, "told_secret", REDACTED, RANK_KEYED)


def _find_english(text: str) -> Iterator[Span]:
    read = 0
    for match in _ENGLISH.finditer(text):
        if match.end() < read:
            continue  # inside the value that was read last
        value = value_at(text, match.end())
        if value is None:
            continue
        read = value.end
        found = text[value.start : min(value.end, value.start + LONGEST_JUDGED)]
        if (
            is_placeholder(found)
            or _TECHNICAL.fullmatch(found)
            or _QUALIFIED.search(text[max(0, match.start() - 14) : match.start()])
        ):
            continue
        stem = match["stem"].lower()
        link = match["link"].strip().lower()
        linked = bool(link)
        if link in (":", "=", "->") and not match["between"] and " " not in stem:
            continue  # an assignment, which is judged elsewhere
        if _CODES.fullmatch(stem):
            if found.isdigit() and 4 <= len(found) <= 8 and linked:
                yield _keyed(value.start, value.end)
            continue
        password = stem.startswith("pass") or stem == "pwd"
        exact = link.split(" ")[0] not in ("", "to", "as", "of", "with", "for")
        if (
            value.quoted
            and linked
            and " " not in found
            and password
            and len(found) >= 4
            and (exact or has_password_marks(found))
        ):
            yield _keyed(value.start, value.end)
        elif password and linked:
            if _told(found) or (found.isdigit() and 6 <= len(found) <= 12 and link in ("is", "was", ":", "=", "to")):
                yield _keyed(value.start, value.end)
        elif password or stem.startswith("credential"):
            if _told(found) and len(found) >= 6 and _has_symbol_or_mix(found):
                yield _keyed(value.start, value.end)
        elif linked and stem not in ("key", "token", "secret"):
            if _told(found) and len(found) >= 6 and (len(found) >= 8 or not found.isalnum()):
                yield _keyed(value.start, value.end)
        elif (linked and _told(found) and (len(found) >= 12 or looks_random(found, allow_hex=stem != "key", minimum=10))) or looks_random(found, allow_hex=stem != "key" or _beside_vendor(text, match.start())):
            yield _keyed(value.start, value.end)


def _beside_vendor(text: str, at: int) -> bool:
    words = split_name(text[max(0, at - 40) : at])
    return any(word in VENDOR_NAMES for word in words[-3:])


def _find_directives(text: str) -> Iterator[Span]:
    for match in _GLUED.finditer(text):
        found = match["secret"][:LONGEST_JUDGED]
        if looks_random(found, allow_hex=True) and not _QUALIFIED.search(
            text[max(0, match.start() - 14) : match.start() + 1]
        ):
            yield _keyed(*match.span("secret"))
    for match in _DIRECTIVE.finditer(text):
        start, end = match.span("secret")
        quoted = text[start] in "\"'"
        found = text[start + 1 : end - 1] if quoted else text[start:end]
        if is_placeholder(found) or " " in found:
            continue
        if match["sure"] or (quoted and len(found) >= 4) or (_told(found) and len(found) >= 6):
            yield _keyed(start + quoted, end - quoted)


def _told(found: str) -> bool:
    """Tell whether a bare word of a sentence is a password: it has marks of one and is no code or path."""
    if not has_password_marks(found) or _TECHNICAL.fullmatch(found):
        return False
    if re.fullmatch(r"[/~.][\w./-]*|[\w-]+(?:/[\w.-]+)+", found):
        return looks_random(found)  # a path, unless it is Base64
    return not re.fullmatch(r"[A-Za-z_][\w.]*\(.*|--?[A-Za-z].*|[A-Za-z]+=.*|@[\w./-]+", found)


def _has_symbol_or_mix(found: str) -> bool:
    return (
        any(c in "!@#$%^&*?~+=_-" for c in found)
        or (found.lower() != found and any(c.isdigit() for c in found))
        or len(found) >= 8
    )


def _find_reversed(text: str) -> Iterator[Span]:
    for match in _REVERSED.finditer(text):
        found = match["secret"]
        if _told(found) and not is_placeholder(found) and _has_symbol_or_mix(found):
            yield _keyed(*match.span("secret"))


def _find_chinese(text: str) -> Iterator[Span]:
    read = 0
    for match in _CHINESE.finditer(text):
        if match.end() < read:
            continue
        value = value_at(text, match.end())
        if value is None:
            continue
        read = value.end
        found = text[value.start : min(value.end, value.start + LONGEST_JUDGED)]
        if (
            is_placeholder(found)
            or _TECHNICAL.fullmatch(found)
            or _QUALIFIED.search(text[max(0, match.start() - 14) : match.start()])
        ):
            continue
        stem = match["stem"].lower()
        linked = bool(match["link"].strip())
        if _ABOUT_VALUE.match(text, value.end) and not (has_password_marks(found) and len(found) >= 8):
            continue
        if _CODES.fullmatch(stem):
            if found.isalnum() and 4 <= len(found) <= 10 and any(c.isdigit() for c in found):
                yield _keyed(value.start, value.end)
            continue
        if stem in _STRONG:
            if (_told(found) and (linked or len(found) >= 6)) or (linked and found.isdigit() and 4 <= len(found) <= 20 and not _ABOUT_VALUE.match(text, value.end)) or (linked and (value.quoted or len(found) >= 6) and is_word(found) and found.lower() == found):
                yield _keyed(value.start, value.end)
        elif (_told(found) and len(found) >= (8 if linked else 10)) or looks_random(found, allow_hex=stem != "key"):
            yield _keyed(value.start, value.end)


def _find_chinese_named(text: str) -> Iterator[Span]:
    for match in _CHINESE_NAMED.finditer(text):
        level = sensitivity(match["name"])
        value = value_at(text, match.end()) if level > Sensitivity.NONE else None
        if value is None:
            continue
        found = text[value.start : value.end]
        if is_secret_value(
            found, level, key=match["name"], quoted=value.quoted, running_text=True
        ) and not _TECHNICAL.fullmatch(found):
            yield _keyed(value.start, value.end)


def _find_account_passwords(text: str) -> Iterator[Span]:
    for match in _ACCOUNT_AND_PASSWORD.finditer(text):
        found = match["secret"].rstrip(".,;)")
        if not is_placeholder(found) and (_told(found) or found.isdigit()):
            yield _keyed(match.start("secret"), match.start("secret") + len(found))


def _find_phrases(text: str) -> Iterator[Span]:
    for match in _PHRASE_KEYS.finditer(text):
        yield _keyed(*match.span("secret"))
    for match in _PASSPHRASE.finditer(text):
        if not _SENTENCE_WORDS.intersection(match["secret"].split()):
            yield _keyed(*match.span("secret"))
