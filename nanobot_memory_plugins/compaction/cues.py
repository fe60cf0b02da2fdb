"""The words by which decisions, TODOs, open questions, wishes and facts are told, in English and Chinese."""

import re
from enum import StrEnum

from nanobot_memory_plugins.core import Language
from nanobot_memory_plugins.redaction.script.chinese_script import simplified


class SentenceKind(StrEnum):
    """What a sentence is worth keeping for, the most valuable first."""

    DECISION = "decision"
    TODO = "todo"
    QUESTION = "question"
    WISH = "wish"
    FACT = "fact"


HEADING: dict[Language, dict[SentenceKind, str]] = {
    "en": {
        SentenceKind.DECISION: "Decisions:",
        SentenceKind.TODO: "TODOs:",
        SentenceKind.QUESTION: "Open questions:",
        SentenceKind.WISH: "Constraints and wishes:",
        SentenceKind.FACT: "Names, numbers, identifiers:",
    },
    "zh": {
        SentenceKind.DECISION: "决定：",
        SentenceKind.TODO: "待办：",
        SentenceKind.QUESTION: "未解决的问题：",
        SentenceKind.WISH: "要求与限制：",
        SentenceKind.FACT: "人名、数字、标识符：",
    },
}

# English by the word, Chinese by the piece of text: looking words up is several times faster than a pattern of them
# all, and a history has many. Where several kinds fit a sentence, the first of this order counts.
_ENGLISH = {
    SentenceKind.DECISION: "decide decided decides decision decisions agreed chose chosen choose settled switch "
    "switched switching instead approved rejected finalised finalized",
    SentenceKind.TODO: "todo todos to-do remind remember forget need needs must deadline due follow-up missing",
    SentenceKind.QUESTION: "unclear undecided tbd unsure unresolved whether",
    SentenceKind.WISH: "prefer prefers preferred always never budget allergic like love hate want only avoid don't "
    "limit constraint maximum minimum",
    SentenceKind.FACT: "my called named live lives living born works birthday address i'm",
}
_CHINESE = {
    SentenceKind.DECISION: "决定 选定 选择 采用 改用 改成 确定 定了 定为 就用 敲定 同意 通过了 否决 换成",
    SentenceKind.TODO: "待办 记得 别忘 需要 得先 要做 下一步 截止 提醒 必须 还没 尚未 之前要 明天要",
    SentenceKind.QUESTION: "待定 不确定 未定 没定 不清楚 问题是 不知道",
    SentenceKind.WISH: "喜欢 偏好 不要 不能 不许 只能 最多 至少 不超过 预算 限制 过敏 讨厌 希望 总是 从不 务必 请用",
    SentenceKind.FACT: "我叫 名叫 我是 我的 住在 工作 生日 电话 邮箱 地址 版本 端口 密钥 编号",
}
_PHRASES = {
    SentenceKind.DECISION: ("go with", "going with", "let's use", "let's go", "let's take", "we'll use", "we will use"),
    SentenceKind.TODO: ("have to", "has to", "next step", "follow up", "by tomorrow", "by the end", "still open"),
    SentenceKind.QUESTION: ("open question", "not sure", "don't know", "to be decided", "remains to"),
    SentenceKind.WISH: ("at most", "at least", "no more than", "do not", "please use", "please keep"),
    SentenceKind.FACT: ("i am ", "is called"),
}
_BY_WORD = {word: kind for kind in reversed(SentenceKind) for word in _ENGLISH[kind].split()}
_BY_PIECE = [(piece, kind) for kind in SentenceKind for piece in _CHINESE[kind].split()]
_BY_PHRASE = [(phrase, kind) for kind in SentenceKind for phrase in _PHRASES[kind]]
_ANY_PIECE = re.compile("|".join(piece for piece, _ in _BY_PIECE))
_WORDS = frozenset(_BY_WORD)
_ORDER = {kind: place for place, kind in enumerate(SentenceKind)}
_PUNCTUATION = str.maketrans(dict.fromkeys('.,;:!?()[]"“”*`', " ") | {"’": "'"})

# What must be kept letter by letter: addresses, paths, versions, identifiers with digits or inner punctuation, numbers.
_RUN = re.compile(r"[A-Za-z0-9_.@:/#+~%,-]+")
_INNER = re.compile(r"[0-9_/@#]|[a-z][.:-][a-z]", re.IGNORECASE)
_ANY_EXACT = re.compile(r"[0-9_/@#]|[A-Z]{3}|[A-Za-z][.:-][A-Za-z]|[A-Z][a-z]* [A-Z0-9]")
_ENDS = ".,:;/-+~#%"


def promise(text: str) -> int:
    """Return how many cues a text has, roughly, at a tenth of the cost of reading its sentences."""
    hits = len(_WORDS.intersection(text.lower().split())) + (_ANY_EXACT.search(text) is not None)
    return hits if text.isascii() else hits + len(_ANY_PIECE.findall(simplified(text)))


def kind_of(sentence: str) -> SentenceKind | None:
    """Return what a sentence tells, by its words; None when they tell nothing."""
    sentence = simplified(sentence)
    lower = sentence.lower().translate(_PUNCTUATION)
    kinds = [_BY_WORD[word] for word in lower.split() if word in _BY_WORD]
    kinds += [kind for phrase, kind in _BY_PHRASE if phrase in lower]
    if not sentence.isascii():
        kinds += [kind for piece, kind in _BY_PIECE if piece in sentence]
    return min(kinds, key=_ORDER.__getitem__) if kinds else None


def exact_words(sentence: str) -> tuple[str, ...]:
    """Return what must be kept letter by letter: numbers, identifiers, paths, addresses, words in capitals, names."""
    if not _ANY_EXACT.search(sentence):
        return ()
    found: list[str] = []
    before = ""
    for word in sentence.split():
        if word.isalpha() and word.isascii():
            # Two capitalised words are a name, unless the first only begins the sentence.
            if word.isupper() and len(word) > 2:
                found.append(word)
            elif word[0].isupper() and before:
                found.append(f"{before} {word}")
            before = word if word[0].isupper() else ""
            continue
        bare = word.strip(_ENDS)
        plain = bare.isalpha() and bare.isascii()
        if before and ((plain and bare[0].isupper()) or bare.isdecimal()):
            found.append(f"{before} {bare}")
        elif not plain:
            found += [run for run in (one.strip(_ENDS) for one in _RUN.findall(word)) if _INNER.search(run)]
        before = ""
    return tuple(found)
