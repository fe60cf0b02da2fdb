"""Secrets in English and Chinese sentences: a value that looks secret in a clause with a word for a secret.

The order is free: ``the password is ...``, ``... is the password``, ``you type ... at the lock screen, that's the
password``. A value after the name of something else (the user, the network, a host, a version) is not a secret. The
Chinese words are in simplified characters: the redactor converts each text and checks both forms.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import NamedTuple

from nanobot_memory_plugins.redaction.lazy import lazy_re
from nanobot_memory_plugins.redaction.rules.keyword_index import KeywordIndex, LowercaseText, matches_near, words
from nanobot_memory_plugins.redaction.rules.rule import RANK_KEYED, REDACTED, Span
from nanobot_memory_plugins.redaction.script.folding import QUOTES
from nanobot_memory_plugins.redaction.values.bare_words import (
    Likeness,
    is_bare_secret,
    is_host,
    is_technical,
    password_likeness,
)
from nanobot_memory_plugins.redaction.values.value_shapes import (
    has_password_marks,
    is_code,
    is_hash_like,
    is_placeholder,
    looks_random,
)

_Q = QUOTES
# Words for a password: in a clause with one of them, a value that looks like a password is one.
_PASSWORD_WORDS = KeywordIndex(
    words(
        "password passwords passphrase passcode passwd pwd pw paswrd pasword passwort kennwort creds credentials"
        " credential wachtwoord contraseña senha mdp 密码 口令 暗号 密马 密玛 蜜码 通行码"
    )
    | {
        "pass word",
        "login details",
        "密 码",
        "口 令",
        "opens with",
        "unlocks with",
        "mot de passe",
        "pass",
        "master key",
    }
)
# Words around logins and devices: with these, the value must also be linked to the text before it.
_ACCESS_WORDS = KeywordIndex(
    words(
        "login logon log-in typed typing wifi wi-fi wlan hotspot vpn router admin root encrypted protected locked"
        " unlock unlocks decrypt unzip psk ssh sftp ftp smtp portal keypad database prompt prompts"
        " 登录 登陆 解压 加密 解锁 无线 热点 后台 邮箱 路由器 输入 再输 就输 后输 要输 我输"
    )
    | {"log on", "log in", "logs in", "logged in", "log into", "sign in", "signed in", "sign into", "lock screen"}
    | {"basic auth"}
)
# Words for an account, and names of common accounts: a value next to the account's name is its password.
_ACCOUNT_WORDS = KeywordIndex(
    words("user username login logins account accounts acct acc root admin administrator 账号 账户 用户 用户名")
)
_ACCOUNT_NAMES = words("root admin administrator")
_NAME = r"(?:[ ]?[:=]|[ ](?:is|as|stays))?[ ]{1,4}[A-Za-z0-9][A-Za-z0-9_.@-]{0,40}"
_AND = (
    r"(?:[ ]?(?:[,/|;:，]|[—–-](?=[ ]))[ ]?|[ \t]{1,12})"
    r"(?:(?:and|then|with|now|the|it['’]?s|its|pass(?:word)?|pw)[ ]){0,3}"
)
_AFTER_WORD_AND_NAME, _AFTER_NAME = lazy_re(_NAME + _AND), lazy_re(_AND)
# Words for machine-made secrets.
_KEY_WORDS = KeywordIndex(
    words(
        "key token secret credential credentials schlüssel geheimnis clé clave chave jeton ключ токен секрет キー"
        " 鍵 トークン"
        " シークレット 키 토큰 시크릿 密钥 密匙 秘钥 私钥 令牌 凭证 凭据 金钥 授权码 激活码 序列号 权杖 许可证"
        " 注册码 genkey"
    )
)
# "key" has many meanings; after one of these words, or the name of a service, it is a secret.
_KEY_QUALIFIER = lazy_re(
    r"(?i)(?:(?<![a-z])(?:api|app|access|secret|private|auth|signing|encryption|master|unseal|deploy|bot|service"
    r"|account|webhook|client|subscription|sdk|license|wpa2?|wi-?fi|network)[ _-]?"
    r"|(?-i:(?!(?:RSA|DSA|ECDSA|EDDSA|GPG|PGP|Public|Primary|Foreign|Host)[ ])[A-Z][A-Za-z]{2,15})[ ]"
    r"|(?-i:[\u4e00-\u9fff])[ ]?)\Z"
)
SENTENCE_CUES = _PASSWORD_WORDS | _ACCESS_WORDS | _KEY_WORDS | _ACCOUNT_WORDS
"""Every sentence that contains a secret has one of these words."""
_TOKEN = lazy_re(
    rf"(?<![^\s{_Q}(\[（「：:,，。;；、>→—|*\u2e80-\u9fff])(?:(?<![A-Za-z0-9]:)|(?<=[^!-~]key:))"
    rf"(?P<secret>[!#$%&*+.-9;=?-Z^_a-z~-]{{4,400}}+)(?=[\s{_Q})\],;|]|\(?[^\x00-\x7f]|\Z)"
)
_LONGEST_PASSWORD, _LONGEST_RUN = 96, 400
_FORWARD, _BACKWARD, _NEAR_KEY = 100, 72, 60
_MOST_CUES = 8  # cues on each side that are checked
# Characters before a value that are checked for a label, and for a link.
_LONGEST_LABEL, _LONGEST_LINK = 32, 16
# A value after one of these words is something else, not a secret.
_OTHER_NAMES = words(
    "user username userid loginname account acc acct handle nick nickname email mail host hostname server machine"
    " node cluster"
    " database db table schema bucket repo branch commit tag release version build image package model device"
    " called named"
    " network ssid room order ticket issue case invoice ref reference serial id ids uuid url link file folder path port"
    " project team group tenant realm domain zone region hash checksum digest fingerprint sha algorithm cipher format"
    " size sku part flight train from by in on at than v via python java windows ubuntu debian as name"
)
_OTHER_NAME_ENDS = ("叫", "叫做", "名", "名字", "名称", "单号", "编号", "型号")
_LAST_WORD = lazy_re(
    rf"(?i)(?<![a-z])([a-z]++)(?:[ ](?:is|was|are|ist|est|es|number|no|id))?[ ]?[:=#]?[ ]?[{_Q}(「*]{{0,2}}\Z"
)
_LINK_BEFORE = lazy_re(
    rf"(?i)(?:(?<![a-z])(?:is|was|ist|est|es|with|using|use|uses|type|types|enter|try|it['’]?s|that['’]?s|now|to|still|then|and)"
    rf"|[:=→>/—–,，、]|[是为成]|(?<!传)输|用的?|那个)[ ]?[{_Q}(「*]{{0,2}}\Z"
)
# ", model ": after a comma the value has its own label.
_OWN_LABEL = lazy_re(r"(?i)[,，;][ ][a-zà-ÿ]{3,16}[ ]\Z")
_CLOSE_LINK_BEFORE = lazy_re(
    rf"(?i)(?:(?<![a-z])(?:is|was|ist|lautet|(?:c['’])?est|es|it['’]?s|now|with|using|to"
    r"|pass(?:word|code|phrase)|pwd?)[ ]|[:=→：][ ]?"
    rf"|(?:[是为成到码令从由]|(?<!传)输)[ ]?)[{_Q}(「*]{{0,2}}\Z"
)
# The link between a word and its value: "for the shop's database is ", "改成了 ", ": ". Below, the ends of links.
_LINK = lazy_re(
    rf"(?i)[{_Q})\]*]{{0,3}}(?:[ ](?:for|of|to|on|at)(?:[ ][a-z0-9'’._/-]{{1,24}}){{1,5}})?(?:[ ]?[(（][^()"
    rf"（）\n]{{1,20}}[)）])?(?:[ ](?:is|was|to)(?:[ ](?:now|still))?[ ]|['’]s[ ]|[ ]?(?:[:=→：]|->)[ ]{{0,3}}"
    rf"|[^\n,，。;；:!?A-Za-z0-9]{{0,10}}?(?:[是为叫成到用填][了过]?[ ]?:?|[,，]?(?:现在|目前)是|[ ]?[:：])["
    rf" ]{{0,3}})[{_Q}(「*]{{0,2}}"
)
_OPENING_MARKS = f" {_Q}(「*"
_LINK_ENDS = (*(" is", " was", " to", " now", " still", "'s", "’s"), *":=→：>是为叫成到用填了过")
# Near one of these a random value identifies something, or is public.
_IDENTIFIER_WORD = lazy_re(
    r"(?i)(?<![a-z])(?:sha-?\d*|md5|commit|digest|checksum|hash(?:es|ed)?|fingerprint|thumbprint|uu?id|ids?|identifier"
    r"|request|etag|trace|span|public|version|build|revision|rev|image|layer|account|user|tenant|project|branch"
    r"|file|path"
    r"|url|endpoint|issuer|audience|header|model|package|test|fixture|job|run|order|ticket|node|pod|kid|certificate"
    r"|cert|algorithm|format|encoding|base64|count|length|limit|usage|per|prompt|completion|input|output"
    r"|公|编号|标识|哈希|指纹|摘要|校验和?|版本|模型)(?![a-z])|[=<>{}\[\]|\\]"
)
# "... is the token", "...这个是密钥"
_LINK_AFTER = lazy_re(
    rf"(?i)[{_Q}!?*]{{0,2}}(?:[ ](?:is|was|as)[ ](?:[a-z]{{1,9}}[ ]){{1,3}}(?:api[ ]|access[ ]|secret[ ])?"
    rf"|[^\s!-~,，。；]{{0,6}}[是做当作这为][^\s!-~,，。；]{{0,8}})"
)
# A cue followed by its own value does not describe the value before: "user joe, pw: ...", "名Office-5G，密码...".
_OWN_VALUE = lazy_re(r"[ ]{0,2}(?:[:=：是为]|is[ ](?!for|of|the)|\[[A-Z]|(?<=[^\x00-\x7f])[A-Za-z0-9])")
_ASSIGNMENT = lazy_re(r"(?:-{0,2}|[{\[]*[\"'])[A-Za-z_][A-Za-z0-9_.-]*[\"']?[=:]")
_LABEL_LINE = lazy_re(
    r"[^\n]{0,24}?[:：>?？]?[ \t]*\n(?:[ \t]*\n|```[a-z]{0,12}\n)?[ \t>|#*-]{0,8}[\"'`]{0,3}\Z"
    # "... the robot's pw", and below it "[10:03] Sam: "
    r"|[ .!?？]{0,3}\n(?:[\[(][^\])\n]{1,24}[\])][ ]?)?(?![a-z])[^\W\d_]{1,20}[:：][ ]?\Z"
)


# Separates a value from a cue after it.
_CLAUSE_BREAK = lazy_re(r"[\n\x0b。；;]|[!?！？](?![ ](?:[a-z]|[^\x00-\x7f]))|\.(?=\s)|[ ](?:with|and)(?:[ ]the)?[ ]\Z")
# The title of a list of logins, and its rows: names, a separator, and the value.
_LIST_TITLES = words("passwords credentials creds logins 密码 口令")
_LONGEST_HEADING, _SPACES_OF_TITLE = 120, 3
_HEADING = lazy_re(r"(?<![^\n])[^\n:：=()_]{0,120}(?P<colon>[:：][ \t]*)?\Z")
_BLOCK = lazy_re(r"\n?(?:\n(?![ \t]*(?:\n|\Z))[^\n]{0,200}(?=\n|\Z))++")
_ROW = lazy_re(
    r"\n(?=[^\n]{0,200}[ \t,;|/:])(?![^\n]{0,200}[ ]=[ ])[^\n]{0,200}?(?<=[ \t,;|/:])(?P<secret>[^\s,;|]{6,96})"
    r"[ \t]*(?=\n|\Z|[ ]?[(#])"
)


class _Cue(NamedTuple):
    start: int
    end: int
    word: str
    has_value: bool  # so that it does not describe the value before it


def find_in_sentences(text: str, lower: LowercaseText, is_hidden: Callable[[int, int], bool]) -> Iterator[Span]:
    """Find the secrets in sentences of the folded ``text``, except at places that ``is_hidden`` already covers.

    ``lower`` is the same text in lower case.
    """
    cues = list(_cues(text, lower))
    yield from _find_in_lists(text, cues)
    starts = [cue.start for cue in cues]
    for run in matches_near(_TOKEN, text, starts, (2 * _FORWARD, _BACKWARD, _LONGEST_RUN)):
        start, end = run.span()
        value = _strip_marks(text, run["secret"], end)
        end = start + len(value)
        if is_hidden(start, end) or not (value.isdigit() or has_password_marks(value.strip("*_~"))):
            continue  # hidden already, or an ordinary word
        left = cues[bisect_left(starts, start - _FORWARD) : bisect_left(starts, start)][: -_MOST_CUES - 1 : -1]
        right = cues[bisect_left(starts, end) : bisect_left(starts, end + _BACKWARD)][:_MOST_CUES]
        if _is_secret(text, start, end, _cues_before(text, left, start), _cues_after(text, right, end)):
            yield Span(start, end, "told_secret", REDACTED, RANK_KEYED)


def _cues(text: str, lower: LowercaseText) -> Iterator[_Cue]:
    for start, end, word in SENTENCE_CUES.find(lower):
        is_cue = word != "key" or _KEY_QUALIFIER.search(text, max(0, start - 24), start)
        if is_cue and _is_whole_word(text, start, end, word):
            yield _Cue(start, end, word, _OWN_VALUE.match(text, end) is not None)


def _find_in_lists(text: str, cues: list[_Cue]) -> Iterator[Span]:
    """Find values that look like passwords at the ends of the lines below the title of a list of logins."""
    done = 0
    for cue in cues:
        end = text.find("\n", cue.end, cue.end + _LONGEST_HEADING) if cue.word in _LIST_TITLES else -1
        if end < done:
            continue
        line = _HEADING.search(text, max(0, cue.start - _LONGEST_HEADING), end)
        if line is None or (line.group().count(" ") > _SPACES_OF_TITLE and not line["colon"]):
            continue
        block = _BLOCK.match(text, end)
        done = block.end() if block else end
        for row in _ROW.finditer(text, end, done):
            value, before = row["secret"], text[row.start() : row.start("secret")]
            is_field = before.endswith(": ") and _is_other_value(before, 0, len(before))  # "username: "
            if password_likeness(value) >= Likeness.MIXED and not is_field:
                yield Span(*row.span("secret"), "listed_secret", REDACTED, RANK_KEYED)


def _is_whole_word(text: str, start: int, end: int, word: str) -> bool:
    """Return whether a cue of Latin letters is a whole word, not part of a longer word or an identifier."""
    before, after = text[start - 1 : start], text[end : end + 1]
    begins = (
        not before.isascii() or not (before.isalnum() or before in "_./-") or not before or word in _KEY_WORDS.words
    )
    is_plural = after == "s" and not text[end + 1 : end + 2].isalpha()
    ends = is_plural or not after.isascii() or not (after.isalnum() or after in "_-") or not after
    return (begins and ends) or not text[start].isascii()


def _strip_marks(text: str, run: str, end: int) -> str:
    """Return a run without the marks that end a sentence or an emphasis; before a quote, ! and ? belong to it."""
    marks = ".;:" if text[end : end + 1] in _Q and end < len(text) else ".;:!?"
    return run.rstrip(marks + "*" if run[0] == "*" else marks)


def _is_secret(text: str, start: int, end: int, before: list[_Cue], after: list[_Cue]) -> bool:
    """Return whether ``text[start:end]`` is a secret, by the cues before and after it, the nearest first.

    The surrounding text is checked first, because that costs less than judging the value.
    """
    value, label, link = text[start:end], max(0, start - _LONGEST_LABEL), max(0, start - _LONGEST_LINK)
    if not (before or after) or value.startswith("-") or _ASSIGNMENT.match(value):
        return False
    near = {cue.word for cue in (*before, *after)}
    is_sure = not _PASSWORD_WORDS.words.isdisjoint(near)
    is_linked = is_sure and _is_linked_to_password(text, before, start)
    if value.isdigit():
        return is_linked and 4 <= len(value) <= 20 and not is_placeholder(value)
    belongs_to_key = not _KEY_WORDS.words.isdisjoint(near) and _belongs_to_key(text, start, end, before, after)
    follows_account = not _ACCOUNT_WORDS.words.isdisjoint(near) and any(
        _follows_account(text, cue, start) for cue in before
    )
    is_near = is_sure or (
        not _ACCESS_WORDS.words.isdisjoint(near) and _LINK_BEFORE.search(text, link, start) is not None
    )
    if not (is_linked or belongs_to_key or follows_account or is_near) or (
        not is_linked and _is_other_value(text, label, start)
    ):
        return False
    likeness = password_likeness(value) if len(value) <= _LONGEST_PASSWORD else Likeness.NONE
    is_bare = is_linked and is_bare_secret(value.strip("*_~")) and not is_host(value) and not is_placeholder(value)
    is_key = belongs_to_key and (likeness is Likeness.STRONG or _is_random(value))
    if is_bare or is_key or (follows_account and likeness >= Likeness.MIXED):
        return True
    has_own_label = _OWN_LABEL.search(text, label, start) and not _LINK_BEFORE.search(text, link, start)
    if not is_near or likeness is Likeness.NONE or has_own_label:
        return False
    if likeness is Likeness.WORDS:
        return (is_sure or text[start - 1 : start] == "输") and (
            _CLOSE_LINK_BEFORE.search(text, link, start) is not None
            or any(cue.word in _PASSWORD_WORDS.words and _LINK_AFTER.fullmatch(text, end, cue.start) for cue in after)
        )
    return True


def _is_linked_to_password(text: str, before: list[_Cue], start: int) -> bool:
    """Return whether a word for a password is linked to the value that begins at ``start``."""
    ends_in_link = text[max(0, start - _LONGEST_LINK) : start].rstrip(_OPENING_MARKS).lower().endswith(_LINK_ENDS)
    return any(
        cue.word in _PASSWORD_WORDS.words and _is_link(cue.word, text[cue.end : start], ends_in_link) for cue in before
    )


def _is_link(word: str, between: str, ends_in_link: bool) -> bool:
    """Return whether ``between``, the text from a word for a password to a value, is a link.

    After a Chinese word, and before a quote, it may be empty.
    """
    return bool(
        (between.strip(_Q) in ("", " ") and (not word.isascii() or len(between) > 1))
        or (ends_in_link and _LINK.fullmatch(between))
        or ("\n" in between and not between.strip(" \t\r\n:>`\"'*#-"))
    )


def _follows_account(text: str, cue: _Cue, start: int) -> bool:
    """Return whether only the name of an account is between the cue and a value."""
    beside = _AFTER_NAME if cue.word in _ACCOUNT_NAMES else _AFTER_WORD_AND_NAME
    return cue.word in _ACCOUNT_WORDS.words and beside.fullmatch(text, cue.end, start) is not None


def _is_other_value(text: str, first: int, start: int) -> bool:
    last = _LAST_WORD.search(text, first, start)
    is_name = last is not None and last.group(1).lower() in _OTHER_NAMES
    return is_name or text[first:start].rstrip(" :是为").endswith(_OTHER_NAME_ENDS)


def _is_random(value: str) -> bool:
    return looks_random(value, allow_hex=True) and not (is_technical(value) or is_host(value) or is_code(value, ""))


def _belongs_to_key(text: str, start: int, end: int, before: list[_Cue], after: list[_Cue]) -> bool:
    """Return whether no word for another thing is between a word for a key and the value."""
    keys = [cue for cue in before if cue.word in _KEY_WORDS.words and start - cue.end <= _NEAR_KEY]
    first = keys[-1].end if keys else start
    other = max((thing.start() for thing in _IDENTIFIER_WORD.finditer(text, first, start)), default=-1)
    for cue in keys:
        between = text[cue.end : start]
        is_listed = "," in between and not between.rstrip().endswith(":")
        if cue.end > other and not (is_listed and is_hash_like(text[start:end])):
            return True
    return any(
        cue.word in _KEY_WORDS.words
        and cue.start - end <= _NEAR_KEY
        and _LINK_AFTER.fullmatch(text, end, cue.start)
        and not _IDENTIFIER_WORD.search(text, end, cue.start)
        for cue in after
    )


def _cues_before(text: str, left: list[_Cue], start: int) -> list[_Cue]:
    """Return the cues that apply to the value at ``start``: those on its line, and those whose label is above it."""
    first = max(0, start - _FORWARD)
    line = max(text.rfind("\n", first, start), text.rfind("\x0b", first, start))
    return [cue for cue in left if cue.end <= start and (line < cue.end or _LABEL_LINE.fullmatch(text, cue.end, start))]


def _cues_after(text: str, right: list[_Cue], end: int) -> list[_Cue]:
    """Return the cues that describe the value before them, which ends at ``end``."""
    cues = []
    at = end
    for cue in right:
        border = _CLAUSE_BREAK.search(text, at, cue.start)
        if border is None:
            at = cue.start
            if not cue.has_value:
                cues.append(cue)
        elif border.end() < cue.start - 1:
            break  # later cues are separated as well
        else:
            at = border.start()  # with more text it may not be a break
    return cues
