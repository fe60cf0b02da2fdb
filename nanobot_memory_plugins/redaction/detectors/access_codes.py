"""Codes that let somebody in: PINs, one-time and alarm codes, combinations, backup codes, recovery phrases.

They are a few digits or words, so that only what is said around them tells what they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from nanobot_memory_plugins.redaction.detectors.asked_secrets import find_answers
from nanobot_memory_plugins.redaction.detectors.chat_secrets import CHAT
from nanobot_memory_plugins.redaction.detectors.chosen_words import CHOSEN
from nanobot_memory_plugins.redaction.detectors.logins import LOGINS
from nanobot_memory_plugins.redaction.detectors.said_codes import CODES
from nanobot_memory_plugins.redaction.detectors.settings_and_calls import FURTHER_TOLD
from nanobot_memory_plugins.redaction.detectors.wallets import WALLETS
from nanobot_memory_plugins.redaction.rules.keyword_index import ByCue, KeywordIndex, Lowered
from nanobot_memory_plugins.redaction.rules.lazy_pattern import lazy_re
from nanobot_memory_plugins.redaction.rules.prefilter import matches
from nanobot_memory_plugins.redaction.rules.rule import Span
from nanobot_memory_plugins.redaction.rules.word_lists import words
from nanobot_memory_plugins.redaction.values.sentence_values import Q, told_span

# What a number behind a code would count, were it no code.
_NO_UNIT = (
    r"(?![0-9]|[.,:/][0-9]|-[0-9]{2}|[ ]?(?:%|px|ms|kb|mb|gb|times|characters?|chars?|digits?|bits?|bytes?"
    r"|minutes?|mins?"
    r"|seconds?|secs?|hours?|days?|weeks?|months?|years?|users?|people|requests?|attempts?|errors?|items?|lines?"
    r"|files?|tests?|位|个|個|次|分钟|秒|天|小时|元|条|人|年|月))"
)
_DIGITS = rf"(?P<secret>(?:[0-9]{{4,8}}|[A-Z]-[0-9]{{4,8}}|[0-9]{{3}}[- ][0-9]{{3}})\#?){_NO_UNIT}"
_COMBINATION = r"(?P<secret>[0-9]{1,2}(?:-[0-9]{1,2}){2,3})(?![0-9-])"

_QUALIFIED = lazy_re(
    r"(?i)(?<![A-Za-z0-9])(?:alarm|gate|door|garage|safe|locker?|vault|entry|entrance|access|unlock|voicemail"
    r"|sim|card|bank"
    r"|banking|atm|debit|phone|building|bike|suitcase|keypad|security|verification|confirmation|one[- ]time|log-?in"
    r"|sign-?in|auth(?:entication)?|authenticator|2fa|mfa|two-factor|sms|otp|pairing|parental|screen|lock(?:box)?"
    r"|host"
    r"|meeting|conference|storage|unit|room|box|parking|verbal|shed|e-file)[ -]\Z"
)
_OWN = lazy_re(r"(?i)(?<![a-z])(?:my|the|your|our|its|new|el|la|le|mon|mi|mein|meine|die|il|lo|o)[ ]\Z")
_PLACE = lazy_re(
    r"(?i)(?<![a-z])(?:door|gate|lock|lockbox|locker|safe|gym|keypad|parking|garage|box|alarm|building|entrance"
    r"|apartment"
    r"|hotel|flat|unit|storage|shed|elevator|padlock|suitcase|ipad|iphone|phone|tablet|check-in|coffre|portail)"
    r"(?![a-z])"
)
_NOUNS = KeywordIndex(words("code pin passcode combination combo otp pin1 pin2"))
_BEHIND_NOUN = lazy_re(
    r"(?i)(?![a-z])(?:['’]s)?\??(?:[ ](?:for|of|to|on|at|from)(?:[ ](?:my|the|our|your))?(?:[ ][A-Za-z'’]{2,14}){1,3}"
    r"|[ ]I[ ](?:just[ ])?(?:got|chose)|[ ]they[ ](?:gave|sent)[ ]me)?"
    r"(?:[ ]?(?:[:=]|—|-)[ ]?|[ ]?(?:—|-)[ ]it's[ ]|,?[ ](?:which[ ])?(?:is|was|are|now|to|it's)(?:[ ](?:now"
    r"|set[ ]to))?[ ]|[ ])"
    rf"[{Q}*]{{0,2}}(?:{_DIGITS}|{_COMBINATION.replace('secret', 'turns')})"
)
# Things that open by a number, and need no word for it.
_LOCKS = KeywordIndex(
    words(
        "keypad lockbox padlock voicemail locker digicode türcode домофон puk puk1 puk2"
        " 门禁 門禁 门锁 門鎖 取件码 取件碼"
    )
    | {
        "one-time password",
        "one time password",
        "bike lock",
        "key safe",
        "key box",
        "host key",
        "safe",
        "opens with",
        "combo",
    }
)
_BEHIND_LOCK = lazy_re(
    rf"(?i)(?![a-z])(?:[ ](?:by|for|of|at|on|in)(?:[ ][a-z]{{1,10}}){{1,3}})?(?:[ ]?(?:[:=]|—|-)[ ]?|[ ](?:is"
    rf"|code|set[ ]to|lautet)[ ]"
    rf"|[ ]|[码碼]?[是为:]?[ ]?)[{Q}*]{{0,2}}(?:{_DIGITS}|{_COMBINATION.replace('secret', 'turns')})"
)
_SHAPES = ByCue(
    (cues, lazy_re(f"(?i){shape}"))
    for cues, shape in (
        # 427186 is your verification code; 7677 to disarm
        (
            (" is ", " was "),
            rf"(?<![0-9A-Za-z_.,:/#$-]){_DIGITS}[ ](?:is|was)[ ](?:your|my|the|our)[ ]"
            rf"(?:[A-Za-z0-9-]{{2,20}}[ ]){{0,3}}"
            r"(?:code|pin|passcode|otp|combination)(?![a-z])",
        ),
        (
            ("disarm", "unlock", "open", "get in"),
            rf"(?<![0-9A-Za-z_.,:/#$-]){_DIGITS}[ ](?:to|will)[ ](?:disarm|unlock|open|get[ ]in)(?![a-z])",
        ),
        ((" code ",), rf"(?<![a-z])(?:use|enter|your)[ ](?:the[ ])?code[ ]{_DIGITS}"),
        (
            ("use ", "enter "),
            rf"(?<![a-z])(?:use|enter)[ ]{_DIGITS}[ ](?:as|for)[ ](?:your|the)[ ](?:[A-Za-z0-9-]{{2,20}}[ ]){{0,3}}"
            r"(?:code|pin|otp|passcode)(?![a-z])",
        ),
        # the number on a card's back
        (
            ("cv", "cid", "security code", "digits", "安全", "三", "背面"),
            r"(?:cvv2?|cvc2?|(?<![a-z])cid|security[ ]code|(?:three|3|four|4)[ ]digits[ ](?:on|at)[ ]the[ ](?:back"
            r"|front)"
            r"|安全[码碼]|[后後]三[位码碼]"
            r"|末三[码碼]|背面三位数?)(?:[^\n0-9.!?。]{0,24}?[^\n0-9A-Za-z.])??(?P<secret>[0-9]{3,4})(?![0-9])",
        ),
        (("opens with", "unlocks with"), r"(?:opens|unlocks)[ ]with[ ](?P<secret>[0-9]{3,8})(?![0-9])"),
    )
)
_NOUNS_ELSEWHERE = KeywordIndex(
    words(
        "密码 密碼 口令 验证码 驗證碼 校验码 动态码 暗証番号 認証番号"
        " 認証コード 確認コード パスコード ワンタイムパスワード"
        " 인증번호 인증코드 비밀번호 핀번호 확인코드"
        " geheimzahl tan sicherheitscode bestätigungscode zugangscode prüfcode"
        " código codigo codice clave код пин-код пинкод"
    )
    | {"pin码", "pin碼", "인증 코드", "확인 코드", "code confidentiel", "code secret", "code de", "code pin"}
    | {"avec le code"}
)
_BEHIND_NOUN_ELSEWHERE = lazy_re(
    r"(?i)(?!学|管理|政策)(?:[^\n0-9A-Za-z,，。;；!！?？]{0,6}?|[はをが은는이가를:\s「]{0,4}"
    rf"|(?![a-z])(?:[ ][a-zà-üа-яß]{{1,14}}){{0,5}}(?:[ ]c'est)?[ ]?[: ][ ]?)[{Q}]?{_DIGITS}"
)
_ANY_CUE = (
    _NOUNS
    | _LOCKS
    | _NOUNS_ELSEWHERE
    | KeywordIndex(words("disarm unlock cvv cvc cid digits 背面 末三 后三 後三 安全"))
)
_SAFE_AND_YEAR = len(" 2026x")
_HAS_DIGITS = lazy_re(r"(?<![0-9])(?:[0-9]{3,8}(?![0-9])|[0-9]{1,2}-[0-9]{1,2}-[0-9]{1,2})")
# Codes for the day on which everything else is lost: a heading, then one or many.
_BACKUP_HEADING = lazy_re(
    r"(?i)(?:(?:backup|recovery|rescue|scratch|one-time|emergency|2fa|mfa)[ _-]?(?:verification[ _-]?)?codes?"
    r"|备用[^\n]{0,6}?码|备份码|恢复码|救援码)"
)
_FARTHEST_CODE = 1_300
_DIGIT = lazy_re(r"[0-9]")
_BACKUP = lazy_re(
    r"(?i)[^\n:：]{0,40}[:：]?(?P<codes>(?:[\s,;、和|>*\"'\[-]{0,6}(?<![A-Za-z0-9])"
    r"(?:[0-9]{1,2}[.)][ ])?(?:[A-Za-z0-9]{4,8}(?:-[A-Za-z0-9]{4,8}){1,3}|[0-9]{6,10}|[0-9]{4}[ ][0-9]{4}"
    r"|\[REDACTED\]"
    r"|(?=[a-zA-Z0-9]{0,11}[0-9])[a-z0-9]{8,12}|(?=[A-Z0-9]{0,11}[0-9])[A-Z0-9]{8,12})(?![A-Za-z0-9-])){1,24})"
)
_ONE_CODE = lazy_re(
    r"(?<![A-Za-z0-9\[-])(?:[0-9]{4}[ ][0-9]{4}|[A-Za-z0-9]{4,12}(?:-[A-Za-z0-9]{4,8}){0,3})(?![A-Za-z0-9\]-])"
)
_DISK_RECOVERY = lazy_re(r"(?<![0-9-])[0-9]{6}(?:-[0-9]{6}){7}(?![0-9-])")
_DASHES_OF_DISK_RECOVERY = 7
# Words that open a wallet or a disk.
_PHRASE_WORDS = KeywordIndex(
    words("phrase mnemonic seed wallet metamask ledger trezor phantom electrum exodus 助 钱包 錢包 单词 恢复短语")
    | {" words"}
)
_PASSPHRASE_WORDS = KeywordIndex(words("phrase pw password 密码短语 口令 ssh-keygen") | {"opens with"})
_PHRASE = lazy_re(
    r"(?i)(?:mnemonic|seed|wallet|metamask|ledger|trezor|phantom|electrum|exodus|(?:12|15|18|21|24)[ ]words|助记词"
    r"|助記詞|恢复短语|钱包|錢包|单词|(?:recovery|secret"
    r"|backup)[ _-]?phrase)"
    rf"[^\n:：]{{0,30}}?[:：是为]?[\s{Q}(]{{0,4}}(?<![a-z])"
    rf"(?P<secret>[a-z]{{3,8}}(?:[ ,]{{1,3}}[a-z]{{3,8}}){{11,23}})(?![a-z])"
)
_PASSPHRASE = lazy_re(
    rf"(?i)(?:pass[ -]?phrase|master[ ](?:password|pw)|密码短语|口令是?|-N(?=[ ]))[{Q})]{{0,2}}(?:[ ](?:for|on|of)"
    rf"(?:[ ][A-Za-z0-9_./'-]{{1,30}}){{1,4}}?)?"
    rf"(?:[ ](?:is|was|to|of)|[ ]?[:=是]|(?=[{Q}])|[ ](?=[{Q}a-z]+-|[{Q}]))[ ]{{0,2}}(?P<quote>[{Q}])?"
    rf"(?P<secret>[a-z]{{3,12}}(?:[ -][a-z]{{3,12}}){{3,9}})(?=(?P=quote)|[ \t]*(?:[.,;(—–{Q}]|--|$))",
    re.MULTILINE,
)
# Three words joined by dashes, right behind a word for a password.
_JOINED_WORDS = lazy_re(
    rf"(?i)(?<![a-z])(?:password|pass[ ]?phrase|pw|opens[ ]with)(?:[ ](?:is|was)|[ ]?[:=])?[ ]{{1,2}}[{Q}]?"
    r"(?-i:(?P<secret>[a-z]{3,12}(?:-[a-z]{3,12}){3,9}))(?![A-Za-z0-9-])"
)
# What Google and Apple call an app's password.
_APP_PASSWORD = lazy_re(
    rf"(?i)app[ -]?(?:specific[ -]?)?password[^\n]{{0,40}}?[ :][ ]?[{Q}]?(?-i:"
    rf"(?P<secret>[a-z]{{4}}(?:[ -][a-z]{{4}}){{3}}))(?![a-z])"
)
_SENTENCE_WORDS = words(
    "is are must be at the for not required should with when will can may you your this that used have has and or"
    " from"
    " into which was it its please enter then"
)
# None of them is in a list that wallets choose from.
_NO_PHRASE_WORD = lazy_re(r"(?<![a-z])(?:the|and|are|for|with|from|was|were|not|but|its)(?![a-z])")
_SHORTEST_PHRASE = 11


def find_codes(text: str, lower: Lowered) -> Iterator[Span]:
    """Find codes and phrases that let somebody in, in the folded ``text``; ``lower`` is it in lower case."""
    if "code" in lower or "码" in text:
        yield from _find_backup_codes(text)
    yield from CODES.find(text, lower)
    yield from CHOSEN.find(text, lower)
    yield from WALLETS.find(text, lower)
    yield from CHAT.find(text, lower)
    yield from LOGINS.find(text, lower)
    yield from FURTHER_TOLD.find(text, lower)
    yield from find_answers(text, lower)
    if _ANY_CUE.meets(lower) and _HAS_DIGITS.search(text):
        yield from _find_digits(text, lower)
    if text.count("-") >= _DASHES_OF_DISK_RECOVERY:
        for match in _DISK_RECOVERY.finditer(text):
            yield told_span(*match.span())
    if _PHRASE_WORDS.meets(lower):
        for match in matches(_PHRASE, text, lower):
            other = _NO_PHRASE_WORD.search(match["secret"])
            found = match["secret"][: other.start()] if other else match["secret"]
            head = found.split(",")[0]
            if len(head.split()) >= _SHORTEST_PHRASE:  # blanks divide the words, so a comma ends them
                found = head
            if len(re.split(r"[ ,]+", found.strip(" ,"))) >= _SHORTEST_PHRASE:
                yield told_span(match.start("secret"), match.start("secret") + len(found.rstrip(" ,")))
    if _PASSPHRASE_WORDS.meets(lower):
        for shape in (_PASSPHRASE, _JOINED_WORDS, _APP_PASSWORD):
            for match in matches(shape, text, lower):
                if not _SENTENCE_WORDS.intersection(re.split(r"[ -]", match["secret"])):
                    yield told_span(*match.span("secret"))


def _find_digits(text: str, lower: Lowered) -> Iterator[Span]:
    for start, end, word in _ANY_CUE.find(text, lower):
        if word in _NOUNS:
            match = _BEHIND_NOUN.match(text, end)
            if match is not None and _lets_in(text, start, end):
                yield _span(match)
        if word in _LOCKS:
            match = _BEHIND_LOCK.match(text, end)
            if match is not None and not (word == "safe" and match.end() - end < _SAFE_AND_YEAR):
                yield _span(match)
        if word in _NOUNS_ELSEWHERE:
            match = _BEHIND_NOUN_ELSEWHERE.match(text, end)
            if match is not None:
                yield told_span(*match.span("secret"))
    for shape in _SHAPES.met(lower):
        for match in matches(shape, text, lower):
            yield told_span(*match.span("secret"))


def _span(match: re.Match[str]) -> Span:
    return told_span(*match.span("secret" if match["secret"] else "turns"))


def _lets_in(text: str, start: int, end: int) -> bool:
    """Tell whether the noun between ``start`` and ``end`` lets somebody in: it is no error's and no country's code."""
    noun = text[start:end]
    if text[max(0, start - 1) : start].isalnum():
        return False
    if noun in ("PIN", "Pin", "OTP", "PIN1", "PIN2") or noun.lower() in ("passcode", "combination"):
        return True
    if _QUALIFIED.search(text, max(0, start - 18), start):
        return True
    before = text[max(text.rfind("\n", 0, start) + 1, start - 70) : start]
    if noun.lower() == "pin":
        return bool(_OWN.search(before)) or bool(_QUALIFIED.search(before))
    is_plain = not before.rstrip() or before.rstrip()[-1] in ",;:.-—?" or bool(_OWN.search(before))
    return is_plain and (
        bool(_PLACE.search(before)) or text[end : end + 4] == " is " or bool(_PLACE.search(text, end, end + 40))
    )


def _find_backup_codes(text: str) -> Iterator[Span]:
    at = digit = 0
    while heading := _BACKUP_HEADING.search(text, at):
        at = heading.end()
        if digit < at:
            found = _DIGIT.search(text, at)
            if found is None:
                return
            digit = found.start()
        match = _BACKUP.match(text, at) if digit - at <= _FARTHEST_CODE else None
        if match is None:
            continue
        at = match.end()
        codes = list(_ONE_CODE.finditer(text, *match.span("codes")))
        shapes = {_shape(code.group()) for code in codes if any(char.isdigit() for char in code.group())}
        for code in codes:
            # One of letters alone is a code where others have its shape, and no word.
            if any(char.isdigit() for char in code.group()) or ("-" in code.group() and _shape(code.group()) in shapes):
                yield told_span(*code.span())


def _shape(code: str) -> tuple[tuple[int, ...], bool]:
    """Give the lengths of the parts of ``code``, and whether its letters are capitals."""
    return tuple(len(part) for part in code.split("-")), code.upper() == code
