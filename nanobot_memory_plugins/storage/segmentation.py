"""Splits text into search terms. Indexing, queries and every fallback use this segmentation.

FTS5's own tokenizers find nothing in Chinese below three characters (``trigram``) or below a whole run of them
(``unicode61``), and a tokenizer that is registered from Python makes the file unreadable for other programs. So text is
segmented here before it is stored, and FTS5 only splits it at spaces.

Chinese, Japanese, Korean and the South-East Asian scripts without spaces become single characters and pairs; Chinese is
converted to simplified characters, so that a question in one script finds text in the other. Words are folded (NFKC,
case, diacritics) and stemmed. Identifiers yield themselves and their parts. Dates are normalized.
"""

import threading
import unicodedata
from collections.abc import Container, Iterable
from functools import lru_cache
from itertools import pairwise

import Stemmer

from nanobot_memory_plugins.core.text.days import date_terms
from nanobot_memory_plugins.redaction.lazy import lazy_re
from nanobot_memory_plugins.redaction.script.chinese_script import simplified

# How FTS5 splits what `segment` returns: at spaces only, folding nothing further.
FTS5_TOKENIZER = "unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Co'"

# Stop words: they are in the index, but not in queries. Chinese ones are in simplified characters.
_ENGLISH = """
a about after all also am an and any anybody anyone anything are aren as at be because been before being both but
by can cannot could couldn d did didn do does doesn doing don done each either else ever every few for from further
get gets getting give given got had hadn has hasn have haven having he her here hers herself him himself his how
however i if in into is isn it its itself just kind know let ll m many may me might mine more most much must my
myself no nor not now of off on once one only or other our ours ourselves out over own please re really s same say
shall she should shouldn so some somebody someone something such t tell than that the their theirs them themselves
then there these they thing things this those through to too under until up us ve very want was wasn we were
weren what whatever when where whether which while who whom whose why will with without won would wouldn yes you
your yours yourself yourselves
"""
STOPWORDS = frozenset(_ENGLISH.split())

# A pair of two of these characters is a stop term; a pair with one of them may have a meaning (目的, 是否).
FUNCTION_CHARACTERS = frozenset(
    "我你您他她它们的了是在有和就不都也很这那哪吗呢吧啊呀么什怎谁几个请要会能可以把被给跟与及或从到对过着得地之其还又再更最说问想让"
)

_PAIRS = """
什么 怎么 怎样 为什 么样 哪里 哪儿 哪个 哪些 哪天 多少 几个 是否 有没 没有 请问 告诉 诉我 记得 得我
一个 一下 一些 时候 么时 知道 可以 如何 关于 之前 以前 上次 我们 你们 他们 她们 的是 是不 不是
です ます した して ない から こと これ それ あれ どれ いる ある った だっ でし まし ませ せん すか 何で なに どこ
니다 습니 나요 어요 아요 에서 으로 하는 있는 무엇 어떤 언제 어디
"""
_STOP_PAIRS = frozenset(_PAIRS.split())

# Characters read of a long query: questions follow a pasted text about as often as they precede it.
_QUERY_HEAD = 512
_QUERY_TAIL = 256
_LONGEST_TERM = 80

_UNSPACED = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ecd\u1000-\u109f\u1780-\u17d3"  # Thai, Lao, Myanmar, Khmer
    "\u3005\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
)
_FUNCTION_CLASS = "".join(sorted(FUNCTION_CHARACTERS))
_WORD = rf"[^\W_{_UNSPACED}]+"
_CONNECTOR = r"(?:://|::|_+|[./\\@:+-])"
_TOKEN = lazy_re(rf"(?P<unspaced>[{_UNSPACED}]+)|(?P<word>{_WORD}(?:{_CONNECTOR}{_WORD})*(?:\+\+|#(?!\w))?)")
# A character between two function characters, or between one and the end of its run.
_LONE_CHARACTER = lazy_re(rf"(?:(?<=[{_FUNCTION_CLASS}])|^)[^{_FUNCTION_CLASS}](?=[{_FUNCTION_CLASS}]|$)")
_HAN = lazy_re("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_PATH_SEPARATOR = lazy_re(r"://|::|[/\\@:]")
_PART_SEPARATOR = lazy_re(r"[^\W_]+")
_CAMEL = lazy_re(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_MIXED = lazy_re(r"[a-z][A-Z]|[A-Za-z][0-9]|[0-9][A-Za-z]")
_VERSION = lazy_re(r"v[0-9]")
_DROPPED = lazy_re("[\u0300-\u036f\u00ad\u200b-\u200f\u2060\ufeff]")
_CLITIC = lazy_re(r"(?i)['’](?:s|t|m|d|ll|re|ve)\b")
_THOUSANDS = lazy_re(r"(?<=[0-9]),(?=[0-9]{3}(?![0-9]))")


def segment(text: str) -> str:
    """Return the terms of ``text``, in order and separated by spaces, as they are stored for FTS5."""
    return " ".join(_terms(_fold(text)))


def query_terms(text: str) -> tuple[str, ...]:
    """Return the terms of a query, without repetitions. Never raises.

    Of a long text only the first 512 and the last 256 characters are read. Stop terms are left out unless there are no
    others. Identifiers and dates come first; single characters of scripts without spaces come last, since their pairs
    are more specific.
    """
    text = _excerpt(text)
    terms = list(dict.fromkeys(_terms(_fold(text), lone_characters=False)))
    content_terms = [term for term in terms if not _is_stop_term(term)] or terms
    return tuple(sorted(content_terms, key=_rank_in_query))


def has_chinese(text: str) -> bool:
    """Return whether the part of a query that is read contains a Chinese character."""
    return not text.isascii() and _HAN.search(_excerpt(text)) is not None


def uncovered_characters(text: str, known: Container[str]) -> tuple[str, ...]:
    """Return the Chinese characters of a query that are in none of the ``known`` pairs: 蓍 where 蓍所 is unknown.

    Function characters are left out. Of a long query it reads the same parts as `query_terms`.
    """
    text = _excerpt(text)
    characters: dict[str, None] = {}
    for match in _TOKEN.finditer(_fold(text)):
        run = match["unspaced"] or ""
        covered = [False] * len(run)
        for place, (first, second) in enumerate(pairwise(run)):
            if first + second in known:
                covered[place] = covered[place + 1] = True
        characters |= dict.fromkeys(
            character
            for character, is_covered in zip(run, covered, strict=True)
            if not is_covered and _HAN.match(character) and not _is_stop_term(character)
        )
    return tuple(characters)


def _excerpt(text: str) -> str:
    is_short = len(text) <= _QUERY_HEAD + _QUERY_TAIL
    return text if is_short else f"{text[:_QUERY_HEAD]}\n{text[-_QUERY_TAIL:]}"


def match_expression(terms: Iterable[str]) -> str:
    """Return the FTS5 expression that matches any of ``terms``; each is quoted, so that none is read as syntax."""
    return " OR ".join('"' + term.replace('"', '""') + '"' for term in terms)


def _fold(text: str) -> str:
    """Normalize compatible characters, convert Chinese to simplified, drop diacritics and invisible characters.

    It keeps the case.
    """
    if not text.isascii():
        text = simplified(unicodedata.normalize("NFC", _DROPPED.sub("", unicodedata.normalize("NFKD", text))))
    return _THOUSANDS.sub("", _CLITIC.sub("", text))


def _terms(text: str, *, lone_characters: bool = True) -> list[str]:
    """Return the terms of folded text.

    Without ``lone_characters``, as in queries, a character is a term of its own only between function characters: 蓍 in
    蓍的叶子.
    """
    terms: list[str] = []
    for match in _TOKEN.finditer(text):
        run = match["unspaced"]
        if run is None:
            terms += _word_terms(match["word"])
        elif lone_characters:
            terms.append(run[0])
            for first, second in pairwise(run):
                terms += (first + second, second)
        elif len(run) == 1:
            terms.append(run)
        else:
            terms += [first + second for first, second in pairwise(run)]
            terms += _LONE_CHARACTER.findall(run)
    return terms + date_terms(text)


@lru_cache(maxsize=50_000)
def _word_terms(word: str) -> tuple[str, ...]:
    """Return the terms of a word or identifier: the whole first, then its parts."""
    lowered = word.casefold()
    if lowered.isalpha() and not _MIXED.search(word):
        return (_stem(lowered),)
    terms = [lowered[:_LONGEST_TERM]]
    if _VERSION.match(lowered):
        terms.append(lowered[1:_LONGEST_TERM])
    segments = _PATH_SEPARATOR.split(word)
    for piece in segments:
        parts = _PART_SEPARATOR.findall(piece)
        if len(segments) > 1 and len(parts) > 1:
            terms.append(piece.casefold()[:_LONGEST_TERM])
        for part in parts:
            if _MIXED.search(part):
                terms.append(part.casefold()[:_LONGEST_TERM])
                terms.extend(_stem(hump.lower())[:_LONGEST_TERM] for hump in _CAMEL.findall(part) if len(hump) > 1)
            else:
                terms.append(_stem(part.casefold())[:_LONGEST_TERM])
    return tuple(dict.fromkeys(terms))


_stemmer = Stemmer.Stemmer("english")
_stemmer_lock = threading.Lock()  # the stemmer holds the word that it is working on


@lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    """Return the English stem of an ASCII word, and any other word unchanged."""
    if len(word) < 3 or not (word.isascii() and word.isalpha()):
        return word
    with _stemmer_lock:
        return str(_stemmer.stemWord(word))


_STOP_TERMS = STOPWORDS | frozenset(map(_stem, STOPWORDS)) | _STOP_PAIRS


def _rank_in_query(term: str) -> int:
    if not term.isalnum():
        return 0
    return 2 if len(term) == 1 else 1


def _is_stop_term(term: str) -> bool:
    return term in _STOP_TERMS or all(character in FUNCTION_CHARACTERS for character in term)
