"""Secrets in English and Chinese sentences: a value that looks like one, in a clause with a word for one.

The order is free: ``the password is ...``, ``... is the password``, ``you type ... at the lock screen, that's the
password``. What follows the name of something else (the user, the network, a host, a version) is that. Written in
simplified characters: the redactor looks through a text in both scripts.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import NamedTuple

from nanobot_memory_plugins.redaction.lazy import lazy_re
from nanobot_memory_plugins.redaction.rules.keyword_index import KeywordIndex, Lowered, matches_near, words
from nanobot_memory_plugins.redaction.rules.rule import RANK_KEYED, REDACTED, Span
from nanobot_memory_plugins.redaction.script.folding import QUOTES
from nanobot_memory_plugins.redaction.values.bare_words import Looks, is_bare_secret, is_host, is_technical, looks
from nanobot_memory_plugins.redaction.values.value_shapes import (
    has_password_marks,
    is_code,
    is_hash_like,
    is_placeholder,
    looks_random,
)

_Q = QUOTES
# Words for a password: in a clause with one of them, what looks like a password is one.
_SURE = KeywordIndex(
    words(
        "password passwords passphrase passcode passwd pwd pw paswrd pasword passwort kennwort creds credentials"
        " credential"
        " wachtwoord contraseña senha mdp 密码 口令 暗号 密马 密玛 蜜码 通行码"
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
# With these the value must be linked to what precedes it.
_WEAK = KeywordIndex(
    words(
        "login logon log-in typed typing wifi wi-fi wlan hotspot vpn router admin root encrypted protected locked"
        " unlock unlocks decrypt unzip psk ssh sftp ftp smtp portal keypad database prompt prompts"
        " 登录 登陆 解压 加密 解锁 无线 热点 后台 邮箱 路由器 输入 再输 就输 后输 要输 我输"
    )
    | {"log on", "log in", "logs in", "logged in", "log into", "sign in", "signed in", "sign into", "lock screen"}
    | {"basic auth"}
)
# Words for an account, and names of some that every machine has: a value beside the account's name is its password.
_ACCOUNT = KeywordIndex(
    words("user username login logins account accounts acct acc root admin administrator 账号 账户 用户 用户名")
)
_NAMES = words("root admin administrator")
_NAME = r"(?:[ ]?[:=]|[ ](?:is|as|stays))?[ ]{1,4}[A-Za-z0-9][A-Za-z0-9_.@-]{0,40}"
_AND = (
    r"(?:[ ]?(?:[,/|;:，]|[—–-](?=[ ]))[ ]?|[ \t]{1,12})"
    r"(?:(?:and|then|with|now|the|it['’]?s|its|pass(?:word)?|pw)[ ]){0,3}"
)
_BESIDE_NAME, _BESIDE = lazy_re(_NAME + _AND), lazy_re(_AND)
# Words for what is machine-made.
_KEYS = KeywordIndex(
    words(
        "key token secret credential credentials schlüssel geheimnis clé clave chave jeton ключ токен секрет キー"
        " 鍵 トークン"
        " シークレット 키 토큰 시크릿 密钥 密匙 秘钥 私钥 令牌 凭证 凭据 金钥 授权码 激活码 序列号 权杖 许可证"
        " 注册码 genkey"
    )
)
# "key" alone is many things; after one of these words, or a service's name, it is a secret.
_KEY_OF = lazy_re(
    r"(?i)(?:(?<![a-z])(?:api|app|access|secret|private|auth|signing|encryption|master|unseal|deploy|bot|service"
    r"|account"
    r"|webhook|client|subscription|sdk|license|wpa2?|wi-?fi|network)[ _-]?"
    r"|(?-i:(?!(?:RSA|DSA|ECDSA|EDDSA|GPG|PGP|Public|Primary|Foreign|Host)[ ])[A-Z][A-Za-z]{2,15})[ ]"
    r"|(?-i:[\u4e00-\u9fff])[ ]?)\Z"
)
SENTENCE_CUES = _SURE | _WEAK | _KEYS | _ACCOUNT
"""The words of which one is in every sentence that tells a secret."""
_TOKEN = lazy_re(
    rf"(?<![^\s{_Q}(\[（「：:,，。;；、>→—|*\u2e80-\u9fff])(?:(?<![A-Za-z0-9]:)|(?<=[^!-~]key:))"
    rf"(?P<secret>[!#$%&*+.-9;=?-Z^_a-z~-]{{4,400}}+)"
    rf"(?=[\s{_Q})\],;|]|\(?[^\x00-\x7f]|\Z)"
)
_LONGEST_PASSWORD, _LONGEST_RUN = 96, 400
_FORWARD, _BACKWARD, _NEAR_KEY = 100, 72, 60
_NEAREST = 8  # so many of the words on one side are looked at
# Of what stands right before a value this much is looked at: a label, and a link.
_LONGEST_LABEL, _LONGEST_LINK = 32, 16
# The value after one of these is the name of something else.
_OTHER_NAMES = words(
    "user username userid loginname account acc acct handle nick nickname email mail host hostname server machine"
    " node cluster"
    " database db table schema bucket repo branch commit tag release version build image package model device"
    " called named"
    " network ssid room order ticket issue case invoice ref reference serial id ids uuid url link file folder path port"
    " project team group tenant realm domain zone region hash checksum digest fingerprint sha algorithm cipher format"
    " size sku part flight train from by in on at than v via python java windows ubuntu debian as name"
)
_OTHER_ENDS = ("叫", "叫做", "名", "名字", "名称", "单号", "编号", "型号")
_LAST_WORD = lazy_re(
    rf"(?i)(?<![a-z])([a-z]++)(?:[ ](?:is|was|are|ist|est|es|number|no|id))?[ ]?[:=#]?[ ]?[{_Q}(「*]{{0,2}}\Z"
)
_LINKED = lazy_re(
    rf"(?i)(?:(?<![a-z])(?:is|was|ist|est|es|with|using|use|uses|type|types|enter|try|it['’]?s|that['’]?s|now|to|still|then|and)"
    rf"|[:=→>/—–,，、]|[是为成]|(?<!传)输|用的?|那个)[ ]?[{_Q}(「*]{{0,2}}\Z"
)
# ", model ": what follows a comma has a label of its own.
_OWN_LABEL = lazy_re(r"(?i)[,，;][ ][a-zà-ÿ]{3,16}[ ]\Z")
_CLOSELY = lazy_re(
    rf"(?i)(?:(?<![a-z])(?:is|was|ist|lautet|(?:c['’])?est|es|it['’]?s|now|with|using|to"
    r"|pass(?:word|code|phrase)|pwd?)[ ]"
    r"|[:=→：][ ]?"
    rf"|(?:[是为成到码令从由]|(?<!传)输)[ ]?)[{_Q}(「*]{{0,2}}\Z"
)
# What links a value to the word for it: "for the shop's database is ", "改成了 ", ": ". Then what it ends with.
_LINK = lazy_re(
    rf"(?i)[{_Q})\]*]{{0,3}}(?:[ ](?:for|of|to|on|at)(?:[ ][a-z0-9'’._/-]{{1,24}}){{1,5}})?(?:[ ]?[(（][^()"
    rf"（）\n]{{1,20}}[)）])?"
    rf"(?:[ ](?:is|was|to)(?:[ ](?:now|still))?[ ]|['’]s[ ]|[ ]?(?:[:=→：]|->)[ ]{{0,3}}"
    rf"|[^\n,，。;；:!?A-Za-z0-9]{{0,10}}?(?:[是为叫成到用填][了过]?[ ]?:?|[,，]?(?:现在|目前)是|[ ]?[:：])["
    rf" ]{{0,3}})[{_Q}(「*]{{0,2}}"
)
_OPENS = f" {_Q}(「*"
_LINK_ENDS = (*(" is", " was", " to", " now", " still", "'s", "’s"), *":=→：>是为叫成到用填了过")
# Beside one of these a random value is a name of something, or may be known.
_OTHER_THING = lazy_re(
    r"(?i)(?<![a-z])(?:sha-?\d*|md5|commit|digest|checksum|hash(?:es|ed)?|fingerprint|thumbprint|uu?id|ids?|identifier"
    r"|request|etag|trace|span|public|version|build|revision|rev|image|layer|account|user|tenant|project|branch"
    r"|file|path"
    r"|url|endpoint|issuer|audience|header|model|package|test|fixture|job|run|order|ticket|node|pod|kid|certificate"
    r"|cert"
    r"|algorithm|format|encoding|base64|count|length|limit|usage|per|prompt|completion|input|output"
    r"|公|编号|标识|哈希|指纹|摘要|校验和?|版本|模型)(?![a-z])|[=<>{}\[\]|\\]"
)
# "... is the token", "...这个是密钥"
_SAYS = lazy_re(
    rf"(?i)[{_Q}!?*]{{0,2}}(?:[ ](?:is|was|as)[ ](?:[a-z]{{1,9}}[ ]){{1,3}}(?:api[ ]|access[ ]|secret[ ])?"
    rf"|[^\s!-~,，。；]{{0,6}}[是做当作这为][^\s!-~,，。；]{{0,8}})"
)
# A word that a value of its own follows is not about the one before: "user joe, pw: ...", "名Office-5G，密码...".
_OWN_VALUE = lazy_re(r"[ ]{0,2}(?:[:=：是为]|is[ ](?!for|of|the)|\[[A-Z]|(?<=[^\x00-\x7f])[A-Za-z0-9])")
_ASSIGNMENT = lazy_re(r"(?:-{0,2}|[{\[]*[\"'])[A-Za-z_][A-Za-z0-9_.-]*[\"']?[=:]")
_LABEL_LINE = lazy_re(
    r"[^\n]{0,24}?[:：>?？]?[ \t]*\n(?:[ \t]*\n|```[a-z]{0,12}\n)?[ \t>|#*-]{0,8}[\"'`]{0,3}\Z"
    # "... the robot's pw", and below it "[10:03] Sam: "
    r"|[ .!?？]{0,3}\n(?:[\[(][^\])\n]{1,24}[\])][ ]?)?(?![a-z])[^\W\d_]{1,20}[:：][ ]?\Z"
)


# What parts a value from a word behind it.
_BREAK = lazy_re(r"[\n\x0b。；;]|[!?！？](?![ ](?:[a-z]|[^\x00-\x7f]))|\.(?=\s)|[ ](?:with|and)(?:[ ]the)?[ ]\Z")
# A list of them, and its rows: names, a mark or a blank, and the value.
_LISTED = words("passwords credentials creds logins 密码 口令")
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
    has_value: bool  # of its own, so that it says nothing of what stands before


def find_in_sentences(text: str, lower: Lowered, is_found: Callable[[int, int], bool]) -> Iterator[Span]:
    """Find the secrets in sentences of the folded ``text``, but where ``is_found`` says that one is hidden.

    ``lower`` is the same text in lower case.
    """
    cues = list(_cues(text, lower))
    yield from _find_in_lists(text, cues)
    starts = [cue.start for cue in cues]
    for run in matches_near(_TOKEN, text, starts, (2 * _FORWARD, _BACKWARD, _LONGEST_RUN)):
        start, end = run.span()
        found = _without_mark(text, run["secret"], end)
        end = start + len(found)
        if is_found(start, end) or not (found.isdigit() or has_password_marks(found.strip("*_~"))):
            continue  # or a word
        left = cues[bisect_left(starts, start - _FORWARD) : bisect_left(starts, start)][: -_NEAREST - 1 : -1]
        right = cues[bisect_left(starts, end) : bisect_left(starts, end + _BACKWARD)][:_NEAREST]
        if _is_secret(text, start, end, _reaching(text, left, start), _reaching_back(text, right, end)):
            yield Span(start, end, "told_secret", REDACTED, RANK_KEYED)


def _cues(text: str, lower: Lowered) -> Iterator[_Cue]:
    for start, end, word in SENTENCE_CUES.find(lower):
        is_telling = word != "key" or _KEY_OF.search(text, max(0, start - 24), start)
        if is_telling and _is_whole_word(text, start, end, word):
            yield _Cue(start, end, word, _OWN_VALUE.match(text, end) is not None)


def _find_in_lists(text: str, cues: list[_Cue]) -> Iterator[Span]:
    """Find what looks like a password at the ends of the lines below a heading for such: a list of logins."""
    done = 0
    for cue in cues:
        end = text.find("\n", cue.end, cue.end + _LONGEST_HEADING) if cue.word in _LISTED else -1
        if end < done:
            continue
        line = _HEADING.search(text, max(0, cue.start - _LONGEST_HEADING), end)
        if line is None or (line.group().count(" ") > _SPACES_OF_TITLE and not line["colon"]):
            continue
        block = _BLOCK.match(text, end)
        done = block.end() if block else end
        for row in _ROW.finditer(text, end, done):
            found, before = row["secret"], text[row.start() : row.start("secret")]
            is_field = before.endswith(": ") and _is_other(before, 0, len(before))  # "username: "
            if looks(found) >= Looks.MIXED and not is_field:
                yield Span(*row.span("secret"), "listed_secret", REDACTED, RANK_KEYED)


def _is_whole_word(text: str, start: int, end: int, word: str) -> bool:
    """Tell whether a cue of Latin letters is a word, and no part of one or of a name in a program."""
    before, after = text[start - 1 : start], text[end : end + 1]
    begins = not before.isascii() or not (before.isalnum() or before in "_./-") or not before or word in _KEYS.words
    is_plural = after == "s" and not text[end + 1 : end + 2].isalpha()
    ends = is_plural or not after.isascii() or not (after.isalnum() or after in "_-") or not after
    return (begins and ends) or not text[start].isascii()


def _without_mark(text: str, run: str, end: int) -> str:
    """Give a run without the marks that end a sentence or an emphasis; in quotes they belong to it."""
    marks = ".;:" if text[end : end + 1] in _Q and end < len(text) else ".;:!?"
    return run.rstrip(marks + "*" if run[0] == "*" else marks)


def _is_secret(text: str, start: int, end: int, reaching: list[_Cue], behind: list[_Cue]) -> bool:
    """Judge ``text[start:end]`` by the cues whose words reach it, from before and from behind, the nearest first.

    What stands around it is looked at first: that costs less than a look at what it is.
    """
    found, label, link = text[start:end], max(0, start - _LONGEST_LABEL), max(0, start - _LONGEST_LINK)
    if not (reaching or behind) or found.startswith("-") or _ASSIGNMENT.match(found):
        return False
    near = {cue.word for cue in (*reaching, *behind)}
    is_sure = not _SURE.words.isdisjoint(near)
    is_linked = is_sure and _is_linked(text, reaching, start)
    if found.isdigit():
        return is_linked and 4 <= len(found) <= 20 and not is_placeholder(found)
    is_of_key = not _KEYS.words.isdisjoint(near) and _is_of_key(text, start, end, reaching, behind)
    is_beside = not _ACCOUNT.words.isdisjoint(near) and any(_is_beside_account(text, cue, start) for cue in reaching)
    is_near = is_sure or (not _WEAK.words.isdisjoint(near) and _LINKED.search(text, link, start) is not None)
    if not (is_linked or is_of_key or is_beside or is_near) or (not is_linked and _is_other(text, label, start)):
        return False
    look = looks(found) if len(found) <= _LONGEST_PASSWORD else Looks.NONE
    is_bare = is_linked and is_bare_secret(found.strip("*_~")) and not is_host(found) and not is_placeholder(found)
    is_key = is_of_key and (look is Looks.STRONG or _is_random(found))
    if is_bare or is_key or (is_beside and look >= Looks.MIXED):
        return True
    has_own_label = _OWN_LABEL.search(text, label, start) and not _LINKED.search(text, link, start)
    if not is_near or look is Looks.NONE or has_own_label:
        return False
    if look is Looks.WORDS:
        return (is_sure or text[start - 1 : start] == "输") and (
            _CLOSELY.search(text, link, start) is not None
            or any(cue.word in _SURE.words and _SAYS.fullmatch(text, end, cue.start) for cue in behind)
        )
    return True


def _is_linked(text: str, reaching: list[_Cue], start: int) -> bool:
    """Tell whether one of the words for a password is linked to the value that begins at ``start``."""
    ends_in_link = text[max(0, start - _LONGEST_LINK) : start].rstrip(_OPENS).lower().endswith(_LINK_ENDS)
    return any(cue.word in _SURE.words and _links(cue.word, text[cue.end : start], ends_in_link) for cue in reaching)


def _links(word: str, between: str, ends_in_link: bool) -> bool:
    """Tell whether there is nothing but a link between a word for a password and a value.

    In Chinese, and before a quote, there need not be one.
    """
    return bool(
        (between.strip(_Q) in ("", " ") and (not word.isascii() or len(between) > 1))
        or (ends_in_link and _LINK.fullmatch(between))
        or ("\n" in between and not between.strip(" \t\r\n:>`\"'*#-"))
    )


def _is_beside_account(text: str, cue: _Cue, start: int) -> bool:
    """Tell whether there is but the name of an account between a word for one and a value."""
    beside = _BESIDE if cue.word in _NAMES else _BESIDE_NAME
    return cue.word in _ACCOUNT.words and beside.fullmatch(text, cue.end, start) is not None


def _is_other(text: str, first: int, start: int) -> bool:
    last = _LAST_WORD.search(text, first, start)
    is_name = last is not None and last.group(1).lower() in _OTHER_NAMES
    return is_name or text[first:start].rstrip(" :是为").endswith(_OTHER_ENDS)


def _is_random(found: str) -> bool:
    return looks_random(found, allow_hex=True) and not (is_technical(found) or is_host(found) or is_code(found, ""))


def _is_of_key(text: str, start: int, end: int, reaching: list[_Cue], behind: list[_Cue]) -> bool:
    """Tell whether there are only plain words between a word for a key and a value."""
    keys = [cue for cue in reaching if cue.word in _KEYS.words and start - cue.end <= _NEAR_KEY]
    first = keys[-1].end if keys else start
    other = max((thing.start() for thing in _OTHER_THING.finditer(text, first, start)), default=-1)
    for cue in keys:
        between = text[cue.end : start]
        is_listed = "," in between and not between.rstrip().endswith(":")
        if cue.end > other and not (is_listed and is_hash_like(text[start:end])):
            return True
    return any(
        cue.word in _KEYS.words
        and cue.start - end <= _NEAR_KEY
        and _SAYS.fullmatch(text, end, cue.start)
        and not _OTHER_THING.search(text, end, cue.start)
        for cue in behind
    )


def _reaching(text: str, left: list[_Cue], start: int) -> list[_Cue]:
    """Give the cues that reach the value which begins at ``start``: on its line, or below their label."""
    first = max(0, start - _FORWARD)
    line = max(text.rfind("\n", first, start), text.rfind("\x0b", first, start))
    return [cue for cue in left if cue.end <= start and (line < cue.end or _LABEL_LINE.fullmatch(text, cue.end, start))]


def _reaching_back(text: str, right: list[_Cue], end: int) -> list[_Cue]:
    """Give the cues that are about the value before them, which ends at ``end``."""
    reaching = []
    at = end
    for cue in right:
        border = _BREAK.search(text, at, cue.start)
        if border is None:
            at = cue.start
            if not cue.has_value:
                reaching.append(cue)
        elif border.end() < cue.start - 1:
            break  # for those behind it, too
        else:
            at = border.start()  # which may be none when what follows is seen
    return reaching
