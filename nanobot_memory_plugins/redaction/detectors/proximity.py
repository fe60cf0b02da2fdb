"""Secrets that stand near a word for one, whatever links the two: ``Hier ist mein API-Schlüssel: ...``.

Elsewhere the grammar of programs and sentences says that a value is a secret. Here the value says it itself: it is
random, or has every mark of a password, and only plain words stand between it and the word for a secret.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from nanobot_memory_plugins.redaction.rules.keyword_index import KeywordIndex, Lowered
from nanobot_memory_plugins.redaction.rules.lazy_pattern import lazy_re
from nanobot_memory_plugins.redaction.rules.rule import Span
from nanobot_memory_plugins.redaction.rules.word_lists import words
from nanobot_memory_plugins.redaction.script.folding import QUOTES
from nanobot_memory_plugins.redaction.values.password_marks import is_host, is_marked, is_strong, is_time
from nanobot_memory_plugins.redaction.values.sentence_values import Q, is_technical, names_resource, told_span
from nanobot_memory_plugins.redaction.values.value_shapes import is_code, is_hash_like, is_placeholder, looks_random

_KEY_WORDS = KeywordIndex(
    words(
        "key token secret credential schlüssel geheimnis clé clave chave chiav jeton sleutel nyckel klucz ключ"
        " токен секрет"
        " キー 鍵 トークン シークレット 키 토큰 시크릿 密钥 密鑰 密匙 秘钥 秘鑰 私钥 私鑰 令牌"
        " 凭证 凭据 憑證 金钥 金鑰 genkey"
    )
)
_PASSWORD_WORDS = KeywordIndex(
    words(
        "password passphrase passcode passwd pw pwd pass cred login passwort kennwort mdp contraseña clave senha"
        " parola hasło"
        " heslo şifre lösenord wachtwoord пароль пароля パスワード 비밀번호 암호 비번 패스워드 密码 密碼 口令"
    )
    | {"log in", "log-in", "mot de passe"}
)
# "key" alone is many things; behind one of these words, or a service's name, it is a secret.
_KEY_OF = lazy_re(
    r"(?i)(?:(?<![a-z])(?:api|app|access|secret|private|auth|signing|encryption|master|unseal|deploy|bot|service"
    r"|account"
    r"|webhook|client|subscription|sdk|license|wpa2?|wi-?fi|network)[ _-]?"
    r"|(?-i:(?!(?:RSA|DSA|ECDSA|EDDSA|GPG|PGP|Public|Primary|Foreign|Host)[ ])[A-Z][A-Za-z]{2,15})[ ]"
    r"|[\u4e00-\u9fff][ ]?)\Z"
)
_LETTER = lazy_re(r"[A-Za-z]")
# What may stand between: words and light punctuation, nothing of a program's.
_BETWEEN = r"s?(?![a-z])(?P<between>[^\n\x0b=<>{}\[\]|\\]{0,48}?)"
_OPEN = rf"(?<![A-Za-z0-9_+/=.~#@$%&*!?^-])[{Q}(*]{{0,3}}"
_RANDOM_BEHIND = lazy_re(
    rf"{_BETWEEN}{_OPEN}(?P<secret>[A-Za-z0-9+/_.~-]{{16,400}}={{0,2}})(?![A-Za-z0-9+/=_~@:-])", re.IGNORECASE
)
_STRONG_RUN = r"(?P<secret>(?![:;,.=-])(?=[!-~]{0,127}[0-9])[A-Za-z0-9!@#$%^&*?~+=_.,:;-]{8,128})(?![!-~]{0,4}/)"
_PASSWORD_BEHIND = lazy_re(rf"{_BETWEEN}{_OPEN}{_STRONG_RUN}", re.IGNORECASE)
_PASSWORD_BEFORE = lazy_re(
    rf"(?:^|(?<=[\s{Q}(:，。])){_STRONG_RUN}[{Q}).]{{0,3}}(?P<between>[ \u2e80-\uffff—–-][^\n\x0b=<>{{}}\[\]"
    rf"|\\0-9]{{0,40}})\Z"
)
_BACK = lazy_re(r"[A-Za-z0-9!@#$%^&*?~+=_.,:;-]{1,128}")
_LAST_DIGIT = lazy_re(r"[^0-9]{1,176}+(?=[0-9])")
_FARTHEST = 176
# What must stand within so many characters behind a word, before the dearer patterns are tried.
_NEAR = 90
_RUN = lazy_re(r"[A-Za-z0-9+/_.~-]{16}")
_OPENING = ("(", *QUOTES)
_CLOSE_BY = 24
_LONGEST_LABEL = 30
# A line that asks for or announces a secret, and the next line, which is nothing else.
_NEXT_LINE = lazy_re(
    rf"(?P<rest>[^\n]{{0,60}})\n(?:[ \t]*\n)?[ \t>|#*-]{{0,8}}(?P<label>[A-Za-z\u4e00-\u9fff]{{1,12}}:[ ]"
    rf"|\[[a-z ]{{3,16}}\][ ])?[{Q}]?(?P<secret>[!-~]{{8,400}}?)[{Q}]?[ \t]*(?:\r?(?:\n|\Z)|[ ]{{1,3}}(?:<-|\#|//))"
)
_NEXT_LINE_WORDS = KeywordIndex(
    words("password passphrase passwd passwort secret token key 密码 密码是 密钥 口令 令牌")
    | {"pass show", "openssl rand"}
)
_ANY_CUE = _KEY_WORDS | _PASSWORD_WORDS | _NEXT_LINE_WORDS
# Beside one of these a random value is a name of something, or may be known.
_OTHER_THING = lazy_re(
    r"(?i)(?<![a-z])(?:sha-?\d*|md5|commit|digest|checksum|hash(?:es|ed)?|fingerprint|thumbprint|uu?id|id|ids"
    r"|identifier"
    r"|request|etag|trace|span|public|version|build|revision|rev|image|layer|account|user|tenant|project|branch"
    r"|file|path"
    r"|url|endpoint|issuer|audience|header|model|package|test|fixture|job|run|order|ticket|node|pod|kid"
    r"|certificate|cert|algorithm|format|encoding|base64|count|length|limit|usage|per|prompt|completion|input|output"
    r"|公|id号|编号|标识|哈希|指纹|摘要|校验和?|版本|模型)(?![a-z])"
)
_ASKS = lazy_re(r"(?i)(?<![a-z])(?:enter|type)(?![a-z])|输入|輸入|入力|\[redacted\]$")
_ASSIGNMENT = lazy_re(r"(?:-{0,2}|[{\[]*[\"'])[A-Za-z_][A-Za-z0-9_.-]*[\"']?[=:]")
_CLAUSE_END = lazy_re(r"[.!?。！？][ ]|[。！？]")
# A rest of a token that was wrapped: the line below a placeholder, with nothing else on it.
_WRAPPED_REST = lazy_re(
    r"\[(?:API_KEY|REDACTED)\]\\?\r?\n[ \t]*(?P<secret>[A-Za-z0-9+/_-]{12,400}={0,2})[ \t]*(?=\r?\n|\Z)"
)
_DIGIT = lazy_re(r"[0-9]")
# Before a value that has a label of its own: the network's name, the account.
_NAMES_ANOTHER = lazy_re(
    rf"(?i)(?:名[称稱字]?|ssid|[账帐賬帳][号號户戶]|用户名?|用戶名?|熱點|热点|(?<![a-z])(?:user(?:[ ]?name)?"
    rf"|account|network|hotspot|host|server|hostname|database|room|model|device|called|named|connect))[ ]?"
    rf"(?:[:=是为為叫]|is)?[ ]?[{Q}「*]{{0,2}}\Z"
)
_LONGEST_NAME = 24


def find_nearby(text: str, lower: Lowered) -> Iterator[Span]:
    """Find secrets near words for them in the folded ``text``; ``lower`` is the same in lower case."""
    done = line_done = 0
    runs, digits = _Next(_RUN, text), _Next(_DIGIT, text)
    for start, end, word in _ANY_CUE.find(lower):
        if word in _KEY_WORDS and start >= done and (word != "key" or _KEY_OF.search(text, max(0, start - 24), start)):
            match = _RANDOM_BEHIND.match(text, end) if runs.is_within(end, _NEAR) else None
            if match is not None and _is_random(match) and not _is_elsewhere(text, start):
                done = match.end()
                yield _span(match)
        if word in _PASSWORD_WORDS and not _goes_on(text, start, end):
            yield from _find_password(text, start, end, digits)
        if word in _NEXT_LINE_WORDS and start >= line_done:
            match = _NEXT_LINE.match(text, end) if "\n" in text else None
            if match is not None:
                line_done = match.start("secret")
                yield from _judge_next_line(text, start, match)
    if "]" in text and "\n" in text:
        for match in _WRAPPED_REST.finditer(text):
            if looks_random(match["secret"], allow_hex=True, minimum=12):
                yield told_span(*match.span("secret"))


class _Next:
    """The next match of a pattern behind places of a text that are asked for in order: each stretch is read once."""

    __slots__ = ("_end", "_from", "_pattern", "_start", "_text")

    def __init__(self, pattern: re.Pattern[str], text: str) -> None:
        self._pattern = pattern
        self._text = text
        self._from, self._start, self._end = 0, -1, -1

    def is_within(self, at: int, size: int) -> bool:
        """Tell whether the pattern matches in the ``size`` characters from ``at`` on."""
        if not self._from <= at <= self._start:
            match = self._pattern.search(self._text, at)
            self._from = at
            self._start, self._end = match.span() if match else (len(self._text), len(self._text) + size + 1)
        return self._end <= at + size


def _find_password(text: str, start: int, end: int, digits: _Next) -> Iterator[Span]:
    match = _PASSWORD_BEHIND.match(text, end) if digits.is_within(end, _NEAR) else None
    if match is not None and _is_password(match):
        yield _span(match)
    match = _password_before(text, start)
    if match is not None and _is_password(match):
        shift = max(0, start - _FARTHEST)
        before = shift + match.start("secret")
        if _NAMES_ANOTHER.search(text, max(shift, before - _LONGEST_NAME), before):
            return
        yield told_span(shift + match.start("secret"), shift + match.start("secret") + len(_bare(match)))


def _goes_on(text: str, start: int, end: int) -> bool:
    """Tell whether the short word between ``start`` and ``end`` is a part of another: ``bypass``, ``passage``."""
    if end - start > 5 or not text[start:end].isascii():
        return False
    before, after = text[max(0, start - 1) : start], text[end : end + 2]
    return bool(_LETTER.match(before) or (_LETTER.match(after) and after[:1] not in "sS"))


def _password_before(text: str, start: int) -> re.Match[str] | None:
    left = text[max(0, start - _FARTHEST) : start]
    line = max(left.rfind("\n"), left.rfind("\x0b")) + 1
    last = _LAST_DIGIT.match(left[::-1], 0, len(left) - line)
    if last is None:
        return None
    # The password holds the last digit: what is no part of one before it is passed over.
    digit = len(left) - last.end() - 1
    run = _BACK.match(left[digit::-1])
    return _PASSWORD_BEFORE.search(left, max(line, digit - run.end() + 1)) if run else None


def _bare(match: re.Match[str]) -> str:
    return match["secret"].rstrip(".,:;")


def _span(match: re.Match[str]) -> Span:
    return told_span(match.start("secret"), match.start("secret") + len(_bare(match)))


def _is_elsewhere(text: str, start: int) -> bool:
    """Tell whether the word at ``start`` names where a secret is kept, or its checksum, and not what it is."""
    return names_resource(text, start) or text.endswith(("checksum/", "/run/"), 0, start)


def _is_random(match: re.Match[str]) -> bool:
    found, between = _bare(match), match["between"]
    if _is_excluded(found, between) or is_host(found) or is_code(found, "") or _OTHER_THING.search(between):
        return False
    return looks_random(found, allow_hex=True) and not (is_hash_like(found) and "," in between)


def _is_password(match: re.Match[str]) -> bool:
    found = _bare(match)
    if _is_excluded(found, match["between"]):
        return False
    enclosed = (
        match.string[match.start("secret") - 1 : match.start("secret")] in _OPENING
        and len(match["between"]) <= _CLOSE_BY
    )
    return is_strong(found) or (enclosed and is_marked(found))


def _is_excluded(found: str, between: str) -> bool:
    if _ASSIGNMENT.match(found) or found.startswith("-"):
        return True
    return is_placeholder(found) or is_technical(found) or bool(_CLAUSE_END.search(between))


def _judge_next_line(text: str, start: int, match: re.Match[str]) -> Iterator[Span]:
    line = text[max(text.rfind("\n", 0, start) + 1, start - 120) : match.end("rest")]
    asks = _ASKS.search(line)
    if asks is not None and asks.group().startswith("[") and match["label"]:
        return  # behind what was hidden stands the next field
    is_asked = line.rstrip().endswith("?") or asks is not None
    is_label = not match["rest"].strip() and len(line) <= _LONGEST_LABEL
    announces = (
        is_asked
        or is_label
        or line.rstrip().endswith((":", ">"))
        or line.lstrip().startswith(("$ ", "% ", "> ", "PS "))
    )
    found = match["secret"]
    if "," in line and found.count(",") >= 2:
        return  # a row of a table below its head
    if not announces or _ASSIGNMENT.match(found) or is_placeholder(found) or is_technical(found):
        return
    if (is_hash_like(found) and _OTHER_THING.search(line)) or is_host(found) or is_time(found):
        return
    if looks_random(found, allow_hex=True) or is_strong(found) or (is_asked and is_marked(found)):
        yield told_span(*match.span("secret"))
