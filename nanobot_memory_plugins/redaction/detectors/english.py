"""Secrets told in English sentences: ``the password is ...``, ``use ... as the root password``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from nanobot_memory_plugins.redaction.rules.keyword_index import KeywordIndex, Lowered
from nanobot_memory_plugins.redaction.rules.lazy_pattern import lazy_re
from nanobot_memory_plugins.redaction.rules.prefilter import matches
from nanobot_memory_plugins.redaction.rules.rule import LINE_START, Span
from nanobot_memory_plugins.redaction.rules.word_lists import words
from nanobot_memory_plugins.redaction.values.key_names import split_name
from nanobot_memory_plugins.redaction.values.password_marks import is_host, is_strong
from nanobot_memory_plugins.redaction.values.sentence_values import (
    CODE_STEMS,
    Q,
    is_qualified,
    is_technical,
    is_told,
    names_resource,
    told_span,
)
from nanobot_memory_plugins.redaction.values.value_shapes import (
    LONGEST_JUDGED,
    has_password_marks,
    is_placeholder,
    looks_random,
)
from nanobot_memory_plugins.redaction.values.values_in_text import Value, value_at
from nanobot_memory_plugins.redaction.values.vendor_names import VENDOR_NAMES

_CUES = KeywordIndex(
    words("pass pasw pwd pw psk masterauth community server key token secret credential pin otp code login")
)
_CORE_WORDS = KeywordIndex(words("pass pasword pwd pw psk key token secret credential pin otp code"))
# The telling word; what qualifies it stands before it, what links it to its value behind it.
_CORE = lazy_re(
    r"(?i)(?:pass(?:\s?(?:word|phrase|code)|wd|wrod|owrd)?|pasword|pwd|pw|psk|key|token|secret|credentials?|pin"
    r"(?:\s?(?:code|number))?|otp|code)"
    r"(?![A-Za-z0-9_-])"
)
_BEFORE = lazy_re(
    r"""(?xi)
    (?<![A-Za-z0-9_-])
    (?: (?: api|access|secret|private|auth|encryption|signing|license|recovery|master|ssh|service|account|client|bearer
          |session|refresh|bot|personal[ ]access|wpa2?|wi-?fi|network )[ _-]?
      | (?: verification|security|otp|login|one-time|access|confirmation|sms )[ ] )\Z
    """
)
# The last letters of what `_BEFORE` looks for, a blank behind them aside.
_ENDS_OF_BEFORE = tuple(
    words(
        "api access secret private auth encryption signing license recovery master ssh service account client bearer"
        " session refresh bot token wpa wpa2 wifi wi-fi network verification security otp login one-time confirmation"
        " sms"
    )
)
_BEHIND = lazy_re(
    rf"""(?xi)
    [{Q})*\]]{{0,3}}
    (?P<between> (?:\s{{1,3}}(?:is|was|has\s{{1,3}}been)\s{{1,3}}(?:generated|created|set|issued))?
      (?:\s{{1,3}}(?:for|of|to|on|at|from|in)\s{{1,3}}[^\s:;,=]{{1,60}}
      (?:\s{{1,3}}[A-Za-z0-9_.@/'-]{{1,40}}){{0,3}}?)?
      (?:[ ]?[(\[][^)\]\n]{{1,30}}[)\]])? (?:[ ][0-9]{{1,2}}(?=[ ]?:))? )
    (?P<link>
        \s{{0,3}} (?:[:=]|->|[ ]-[ ]) \s{{0,3}} | ['’]s\s{{1,3}}(?:uh\s|um\s|now\s)?
      | \s{{1,3}} (?: is|was|are|to|from|as|becomes|equals|being|è|é|ist|est|will\s{{1,3}}be|should\s{{1,3}}be|of|with
          |set\s{{1,3}}to|changed\s{{1,3}}to|has\s{{1,3}}been\s{{1,3}}(?:set|changed|reset)\s{{1,3}}to )
        (?:\s{{1,3}}(?:now|currently|still|just|simply|uh|um|like|then
          |set\s{{1,3}}to|changed\s{{1,3}}to))? \s{{0,3}}:?\s{{1,3}}
      | [,;—]\s{{1,2}}(?:it's|it[ ]is|its|c'est)\s{{1,2}}(?:now\s{{1,2}})? | [ \t]{{1,3}} )
    (?= [{Q}] | [!-~\u00c0-\u024f]{{0,80}}?(?:[0-9!@#$%^&*?~+=|]|(?-i:[a-z][A-Z])) )
    """
)
_REVERSED_CUES = KeywordIndex({" as ", " is ", " was ", " for "})
_REVERSED = lazy_re(
    rf"""(?xi)
    (?<![^\s{Q}(]) (?P<secret>[^\s{Q}]{{6,128}}) [{Q}]?
    \s{{1,3}} (?:is|was|as|for) \s{{1,3}} (?:(?:the|my|our|your|his|her|their|a|its|new|current|temporary|initial
      |default|root|admin|database|db|login|account|wifi|master|real)\s{{1,3}}){{1,4}}
    (?:password|passphrase|passcode|api[ ]key|access[ ]token|secret[ ]key|token|pwd|login|log-in)(?![A-Za-z])
    """
)
# A name that runs into the word before it ("acmeSECRET 4f2a...").
_GLUED = lazy_re(
    r"(?<!PUB)(?<!pub)(?:[Ss]ecret|SECRET|[Tt]oken|TOKEN|[Pp]assword|PASSWORD|[_-]key|KEY|Key"
    r"|PRIVATE)[ \t]{1,4}(?!-)(?P<secret>[A-Za-z0-9+/=_.~-]{16,4096})"
)
_GLUED_WORDS = KeywordIndex(
    word + space for word in ("secret", "token", "password", "key", "private") for space in " \t"
)
_DIRECTIVE_WORDS = KeywordIndex(
    words("requirepass masterauth rootpw bindpw auth-pass auth_pass userpassword snmp-server -server wpa")
    | {"enable ", "ppp chap", "username "}
    | {word + space for word in ("password", "passwd", "secret", "pass") for space in " \t"}
)
# A line of a configuration ("requirepass hunter2").
_DIRECTIVE = lazy_re(
    rf"(?im){LINE_START}[ \t]{{0,40}}(?:(?P<sure>requirepass|masterauth|rootpw|bindpw|auth[-_]pass|userpassword"
    r"|(?:radius|tacacs)-server[ ]key(?:[ ][0-9])?|enable[ ](?:secret|password)(?:[ ][0-9])?"
    r"|snmp-server[ ]community|ppp[ ]chap[ ]password(?:[ ][0-9])?"
    r"|wpa-psk|wpa_passphrase|(?:username[ ]\S{1,60}[ ](?:privilege[ ][0-9]{1,2}[ ])?(?:password"
    r"|secret)(?:[ ][0-9])?))|password|passwd|secret|pass)[ \t]{1,20}(?P<secret>[^\s\"'<][^\s]{3,199}?"
    r"|\"[^\"\n]{1,200}\"|'[^'\n]{1,200}')[ \t]{0,8};?[ \t]*\r?$"
)
# "log in with ci / ...", "creds for staging -> ci:..."
_LOGIN_WORDS = KeywordIndex(
    words("wifi wi-fi log-in login sign-in creds credentials account 登录 登陆 登錄 账号 账户 帳號 帳戶")
    | {"log in", "logged in", "sign in"}
)
_LOGIN = lazy_re(
    r"(?![a-z])(?:[^\n=<>{}|]|->){0,60}?(?<![A-Za-z0-9_.@/-])(?P<user>[A-Za-z][A-Za-z0-9_.@-]{1,39})(?:[ ]/[ ]|/"
    r"|[ ]?:(?!//))"
    rf"(?P<secret>[^\s{Q}]{{6,64}})"
)
# "type ... when it asks for a password", "from [REDACTED] to ..."
_TYPED_CUES = KeywordIndex({"type ", "enter ", "use ", "try ", "input "})
_TYPED = lazy_re(
    rf"(?i)(?<![a-z])(?:type|enter|use|try|input)[ ][{Q}]?(?P<secret>[!-~]{{6,64}}?)[{Q}]?[ ](?:when|if|where"
    rf"|once|whenever)[ ]"
    r"[^\n.]{0,60}(?:password|passphrase|passcode|pin)(?![a-z])"
)
_NOW = lazy_re(
    rf"(?i)pass(?:word|code|phrase)[^\n.]{{0,60}}(?:it[ ]is|it's|is|are)[ ]now[ ][{Q}]?(?P<secret>[^\s{Q}]{{6,64}})"
)
_CHANGED = lazy_re(
    r"\[REDACTED\][ ]{0,2}(?:改[成为]|换[成为]|变[成为]|更新为|重置为|改為"
    r"|(?:has[ ])?(?:changed|was[ ]changed)[ ]to|to|->|→)[ ]{0,2}"
    r"(?P<secret>[!-~]{6,128})"
)
# "admin / ...", without a word for what it is
_USERS = KeywordIndex(
    words("root admin administrator sa postgres ubuntu deploy guest ops oracle mysql jenkins test test01")
)
_USER_AND_PASSWORD = lazy_re(rf"(?<=[a-z0-9])(?:[ ]/[ ]|,[ ]|[ ]and[ ])[{Q}]?(?P<secret>[^\s{Q}]{{6,64}})")
_LOGIN_OR_USER = _LOGIN_WORDS | _USERS
# Nothing shorter is a password.
_SHORTEST = 4
_LINKS_LOOSELY = ("", "to", "from", "as", "of", "with", "for", "-")


def find_told_in_english(text: str, lower: Lowered) -> Iterator[Span]:
    """Find secrets that English sentences of the folded ``text`` tell; ``lower`` is the same in lower case."""
    if _CUES.meets(lower):
        yield from _find_told(text, lower)
        yield from _find_lines(text, lower)
        if _REVERSED_CUES.meets(lower):
            yield from _find_reversed(text)
        if _TYPED_CUES.meets(lower):
            yield from _find_shaped(_TYPED, text, lower)
        if " now " in lower:
            yield from _find_shaped(_NOW, text, lower)
    if "[REDACTED]" in text:
        yield from _find_shaped(_CHANGED, text, lower)
    for start, end, word in _LOGIN_OR_USER.find(text, lower):
        if word in _USERS and not (start and (text[start - 1].isalnum() or text[start - 1] in "_./@-")):
            match = _USER_AND_PASSWORD.match(text, end)
            if match is not None and (" / " in match.group() or is_strong(match["secret"].rstrip(".,;"))):
                yield from _judge_shaped(match)
        if word in _LOGIN_WORDS:
            match = _LOGIN.match(text, end)
            if match is not None:
                yield from _judge_shaped(match)


class _Announcement(NamedTuple):
    """What a sentence says before a secret: where, in which words, linked how to what begins at ``end``."""

    start: int
    end: int
    stem: str
    between: str
    link: str


def _announcements(text: str, lower: Lowered) -> Iterator[_Announcement]:
    for start, _, _ in _CORE_WORDS.find(text, lower):
        core = _CORE.match(text, start)
        behind = _BEHIND.match(text, core.end()) if core else None
        if core is None or behind is None:
            continue
        before = _before(text[max(0, start - 16) : start])
        if before is not None:
            start -= before.end() - before.start()
        elif start and (text[start - 1].isascii() and (text[start - 1].isalnum() or text[start - 1] in "_-")):
            continue  # the end of another word
        if names_resource(text, start):
            continue
        stem = text[start : core.end()].lower()
        if stem != "code":
            yield _Announcement(start, behind.end(), stem, behind["between"], behind["link"].strip().lower())


def _before(head: str) -> re.Match[str] | None:
    """Find the word that qualifies what follows ``head``."""
    word = head[:-1] if head.endswith((" ", "_", "-")) else head
    return _BEFORE.search(head) if word.lower().endswith(_ENDS_OF_BEFORE) else None


def _find_told(text: str, lower: Lowered) -> Iterator[Span]:
    read = 0
    for told in _announcements(text, lower):
        if told.end < read:
            continue  # inside the value that was read last
        value = value_at(text, told.end)
        if value is None:
            continue
        read = value.end
        found = text[value.start : min(value.end, value.start + LONGEST_JUDGED)]
        if len(found) < _SHORTEST or is_host(found) or is_technical(found):
            continue
        if not is_qualified(text, told.start) and _tells(text, told, value, found):
            yield told_span(value.start, value.end)


def _tells(text: str, told: _Announcement, value: Value, found: str) -> bool:
    """Tell whether ``found`` is the secret that was announced."""
    stem, link = told.stem, told.link
    if link in (":", "=", "->") and not told.between and " " not in stem:
        return False  # an assignment, which is judged elsewhere
    if CODE_STEMS.fullmatch(stem):
        if stem.startswith("pass") and is_told(found) and len(found) >= 6 and _is_unlike_words(found):
            return True
        return bool(link) and found.isdigit() and 4 <= len(found) <= 8
    if stem in ("pass", "pw", "psk"):
        return is_told(found) and len(found) >= 6 and _is_unlike_words(found)
    if stem.endswith(("word", "wrod", "owrd", "phrase", "passwd", "pwd")) or stem.startswith(
        ("wpa", "wifi", "wi-fi", "network")
    ):
        return _tells_password(link, value, found)
    if stem.startswith("credential"):
        return is_told(found) and len(found) >= 6 and _is_unlike_words(found)
    if link and stem not in ("key", "token", "secret"):
        return is_told(found) and len(found) >= (8 if found.isalnum() else 6)
    if link and is_told(found) and len(found) >= 12:
        return True
    allow_hex = stem != "key" or _beside_vendor(text, told.start)
    return looks_random(found, allow_hex=allow_hex, minimum=10 if link and is_told(found) else 16)


def _tells_password(link: str, value: Value, found: str) -> bool:
    if not link:
        return is_told(found) and len(found) >= 6 and _is_unlike_words(found)
    if is_told(found):
        return True
    if value.quoted and " " not in found and len(found) >= 4:
        return link.split(" ")[0] not in _LINKS_LOOSELY or has_password_marks(found)
    return found.isdigit() and 4 <= len(found) <= 12 and link in ("is", "was", ":", "=", "to")


def _beside_vendor(text: str, at: int) -> bool:
    return any(word in VENDOR_NAMES for word in split_name(text[max(0, at - 40) : at])[-3:])


def _is_unlike_words(found: str) -> bool:
    if len(found) >= 8 or any(char in "!@#$%^&*?~+=_-" for char in found):
        return True
    return found.lower() != found and any(char.isdigit() for char in found)


def _find_lines(text: str, lower: Lowered) -> Iterator[Span]:
    if _GLUED_WORDS.meets(lower):
        for match in matches(_GLUED, text, lower):
            found = match["secret"][:LONGEST_JUDGED]
            if is_placeholder(found) or is_qualified(text, match.start() + 1):
                continue
            if looks_random(found, allow_hex=True):
                yield told_span(*match.span("secret"))
    if not _DIRECTIVE_WORDS.meets(lower):
        return
    for match in _DIRECTIVE.finditer(text):
        start, end = match.span("secret")
        quoted = text[start] in "\"'"
        found = text[start + 1 : end - 1] if quoted else text[start:end]
        if is_placeholder(found) or " " in found:
            continue
        if match["sure"] or (quoted and len(found) >= 4) or (is_told(found) and len(found) >= 6):
            yield told_span(start + quoted, end - quoted)


def _find_reversed(text: str) -> Iterator[Span]:
    for match in _REVERSED.finditer(text):
        found = match["secret"]
        if is_told(found) and not is_placeholder(found) and _is_unlike_words(found):
            yield told_span(*match.span("secret"))


def _find_shaped(shape: re.Pattern[str], text: str, lower: Lowered) -> Iterator[Span]:
    for match in matches(shape, text, lower):
        yield from _judge_shaped(match)


def _judge_shaped(match: re.Match[str]) -> Iterator[Span]:
    found = match["secret"].rstrip(".,;)")
    if is_told(found) and not is_technical(found) and _is_unlike_words(found) and "/" not in found:
        yield told_span(match.start("secret"), match.start("secret") + len(found))
