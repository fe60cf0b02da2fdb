"""Secrets that are the answer to a question: ``and the code?`` ``7731``. The question says what the answer is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from nanobot_memory_plugins.redaction.rules.keyword_index import KeywordIndex, Lowered
from nanobot_memory_plugins.redaction.rules.lazy_pattern import lazy_re
from nanobot_memory_plugins.redaction.rules.prefilter import matches
from nanobot_memory_plugins.redaction.rules.rule import RANK_KEYED, REDACTED, Span
from nanobot_memory_plugins.redaction.rules.word_lists import words
from nanobot_memory_plugins.redaction.values.value_shapes import has_password_marks, is_placeholder, looks_random

_CUES = KeywordIndex(
    words(
        "码 password passphrase passcode passwort pw pwd pin code combination combo otp secret token key cvv seed wifi"
    )
    | words("密码 密碼 口令 验证码 驗證碼 校验码 提取码 暗号 密钥 密鑰 令牌 mdp contraseña clave код пароль")
    | {"security question", "security answer"}
)
_QUOTES = "\"'`\ue0f1-\ue0f9"
# A question about a secret, to its end; what kind of code it must not be stands before the word.
_QUESTION = lazy_re(
    r"(?i)(?P<other>(?:error|status|exit|return|source|zip|postal|post|area|country|dress|product|promo|discount"
    r"|coupon|qr|bar"
    r"|color|colour|hex|http|response|airport|currency|language|unit|sample|python|java|dead"
    r"|legacy|class|morse|public|primary|foreign|partition|sort|cache|dictionary|arrow|map|house|car|piano"
    r"|answer)[ ])?"
    r"(?:(?<![a-z])(?P<password>pass[ -]?(?:word|phrase|code)|passwort|pw|pwd|mdp|wi-?fi"
    r"|(?:security|secret)[ ](?:question|answer))"
    r"|(?<![a-z])(?P<code>pin(?:[ ](?:code|number))?|code|combination|combo|otp|cvv)"
    r"|(?<![a-z])(?P<key>(?:api[ ]|secret[ ]|access[ ]|private[ ]|setup[ ])?(?:key|token)|secret)"
    r"|(?P<chinese>密码|密碼|口令|验证码|驗證碼|校验码|提取码|暗号|密钥|密鑰|令牌))(?![a-z])"
    r"(?![ ]?[:=])[^\n?？=]{0,60}[?？][\"'”’)]{0,2}"
)
_YES = (
    r"(?:(?:it['’]?s|it[ ]is|that['’]?s|that[ ]would[ ]be|sure|yes|yep|ok|okay|here|try|still|now|的?是|是"
    r"|好的?)[,.:，。：—-]?[ ]{0,2}){0,3}"
)
_WHO = (
    r"(?:[ \t>*_|-]{0,6}(?:\[[^\]\n]{1,30}\][ ]{0,2})?(?:[A-Za-z\u4e00-\u9fff]"
    r"[A-Za-z0-9_\u4e00-\u9fff ]{0,24}(?:\([^)\n]{1,20}\))?[:：>]|A[:.：]|[-–—•*])[ \t*_]{0,3})?"
)
_ANSWER = lazy_re(
    rf"(?i){_YES}[{_QUOTES}*]{{0,2}}(?P<secret>[!-~]{{3,128}}?)[{_QUOTES}*]{{0,2}}(?=[ \t]*(?:[.!,;，。！)]?[ \t]*"
    rf"(?:\n|\Z)|[,.，。！!;][ ]|[，。；！]))"
)
_NEXT = lazy_re(
    rf"(?:[ \t]{{0,3}}\r?\n[ \t]*(?:\r?\n[ \t]*)?{_WHO}|[ \t]{{1,3}}(?:[-–—][ ]|(?:A|Answer"
    rf"|答)[:：][ ]?)?|[ \t]*[|][ \t]*)"
)
_NEXT_TURN = lazy_re(
    rf"(?:[ \t]{{0,3}}\r?\n[ \t]*(?:(?:[^\n]{{1,24}}[ ][0-9]{{1,2}}:[0-9]{{2}}(?::[0-9]{{2}})?[ ]*)?\r?\n[ \t]*)?"
    rf"{_WHO}|[ ]{{1,3}}[A-Za-z\u4e00-\u9fff]{{1,8}}[:：][ ]?)"
)
_WORD = lazy_re(r"[A-Za-z]{5,24}|[a-z]{3,12}(?:[-_.][a-z]{3,12}){1,7}")
_DIGITS = lazy_re(r"[0-9#*][0-9 #*-]{1,11}[0-9#*]?")
_NO_ANSWER = words(
    "yes yeah yep nope none nothing dunno sorry thanks thank please what which where when why who how maybe never"
    " always unknown forgot forgotten wrong right correct there here sure okay later tomorrow today hello great"
    " cool fine same still hmmm really exactly perhaps probably python javascript typescript rust golang java ruby"
    " mysql postgres sqlite redis both either neither anything everything something nobody idk ask hidden secret"
    " password code token required optional invalid expired true false null empty error"
)


# What asks without a question mark, to the end of its line: "Enter passphrase for key:", "验证码发我一下".
_REQUEST = lazy_re(
    r"(?i)(?P<other>(?!))?(?:(?<![a-z])(?:i[ ]need|send[ ]me|give[ ]me|tell[ ]me|enter|provide|type"
    r"|share)(?![a-z])[^\n?]{0,30}?"
    r"(?<![a-z])(?:(?P<password>pass(?:word|phrase|code))|(?P<code>pin|code|otp)|(?P<key>api[ ]key|(?:access"
    r"[ ])?token|secret[ ]key))(?![a-z])[^\n?]{0,50}?"
    r"|(?P<chinese>密码|密碼|口令|验证码|驗證碼|校验码)[^\n?？]{0,6}?(?:发我|發我|告诉我|告訴我|给我|給我)[^\n]{0,6}?"
    r"|(?:请提供|請提供|请输入|請輸入|告诉我|告訴我)[^\n?？]{0,12}?(?:密码|密碼|口令|验证码|驗證碼|校验码))"
    r"[.。:：!！]?[ ]?(?=\r?\n|\Z)"
)

# The same without a request: "whats the wifi", "密码是多少", and the label of a field on a line of its own.
_KINDS = (
    r"(?:(?P<password>pass[ -]?(?:word|phrase)|passwd|pwd|pw|wi-?fi)|(?P<code>pass[ -]?code|pin(?:[ ](?:code"
    r"|number))?|code"
    r"|combination|combo|otp|cvv)|(?P<key>(?:api|secret|access|private|setup)[ ](?:key|token))"
    r"|(?P<chinese>密码|密碼|口令|验证码|驗證碼|校验码|校驗碼|提取码|取件码|暗号))(?![a-z])"
)
_ASKED_PLAINLY = lazy_re(
    rf"(?i)(?:(?<![a-z])(?:what(?:['’]?s|[ ]is|[ ]was)|which|remind[ ]me(?:[ ]of)?|got|know"
    rf"|need)(?![a-z])[^\n?:：]{{0,30}}?"
    rf"(?P<other>(?!))?(?<![a-z]){_KINDS}[^\n?:：]{{0,24}}|(?P<chinese_noun>密码|密碼|口令|暗号"
    rf"|[验證证校动提取禁锁門门柜安单]件?[码碼])[^\n?？]{{0,6}}?(?:多少|是什么|是啥|几位?|来着|發我|发我"
    r"|发一下|报一下|报给我|忘了|呢)[^\n]{0,6}?)(?=\r?\n|[ ]{1,3}[A-Za-z\u4e00-\u9fff]{1,8}[:：])"
)
_FIELD = lazy_re(
    rf"(?im)^[ \t>*#-]{{0,6}}(?:[A-Za-z-]{{2,14}}[ ]){{0,2}}(?P<other>(?!))?[\u4e00-\u9fff]{{0,6}}?(?<![a-z]){_KINDS}"
    r"[ \t]*[:：]?[ \t]*(?=\r?\n)"
)


def find_answers(text: str, lower: Lowered) -> Iterator[Span]:
    """Find the answers to questions about secrets in the folded ``text``; ``lower`` is the same in lower case."""
    if not _CUES.meets(lower):
        return
    asks = matches(_QUESTION, text, lower) if "?" in text or "？" in text else iter(())
    for question in chain(asks, matches(_REQUEST, text, lower) if "\n" in text else ()):
        link = _NEXT.match(text, question.end())
        if link is None or not _asks(question):
            continue
        on_line = "\n" not in link.group()
        answer = _ANSWER.match(text, link.end())
        if answer is not None and _is_answer(question, answer["secret"], strict=on_line):
            yield Span(*answer.span("secret"), "answered_secret", REDACTED, RANK_KEYED)
    if "\n" in text or ":" in text:
        for question in chain(_ASKED_PLAINLY.finditer(text), _FIELD.finditer(text)):
            link = _NEXT_TURN.match(text, question.end())
            answer = _ANSWER.match(text, link.end()) if link is not None else None
            if answer is not None and _is_answer(question, answer["secret"], strict=True):
                yield Span(*answer.span("secret"), "answered_secret", REDACTED, RANK_KEYED)


def hide_answer(question: str, answer: str) -> str:
    """Return ``answer`` with a placeholder for the secret that ``question``, what was said before it, asks for."""
    tail = question.rstrip()[-300:]
    asked = None
    if tail.endswith(("?", "？", '?"', "?*", "?)")):
        asked = next(iter([*_QUESTION.finditer(tail)][-1:]), None)
    if asked is None or asked.end() < len(tail) - 2 or not _asks(asked):
        return answer
    found = _ANSWER.match(answer, len(answer) - len(answer.lstrip()))
    if found is None or not _is_answer(asked, found["secret"], strict=False):
        return answer
    return f"{answer[: found.start('secret')]}{REDACTED}{answer[found.end('secret') :]}"


def _asks(question: re.Match[str]) -> bool:
    return question["other"] is None or question["password"] is not None


def _is_answer(question: re.Match[str], found: str, *, strict: bool) -> bool:
    """Tell whether ``found`` may be the secret asked for; ``strict``: a word behind it on the line may be anything."""
    low = found.lower().strip(".,!")
    chinese = question["chinese"] or question.groupdict().get("chinese_noun") or ""
    if _DIGITS.fullmatch(found):
        return question["key"] is None and sum(char.isdigit() for char in found) >= 3
    # "Certainly!" opens an answer, and tells nothing.
    if is_placeholder(found) or low in _NO_ANSWER or low.endswith("ly") or "://" in found:
        return False
    if has_password_marks(found) or looks_random(found, allow_hex=True):
        return True
    if question["code"] is not None:
        return len(found) <= 10 and any(char.isdigit() for char in found) and found.isalnum()
    is_password = question["password"] is not None or chinese.startswith(("密码", "密碼", "口令", "暗"))
    return is_password and not strict and bool(_WORD.fullmatch(found))
