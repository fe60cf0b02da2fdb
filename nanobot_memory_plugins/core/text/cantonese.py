"""Words that Cantonese has for itself, as those of written Chinese, so that a rule is written once.

Only what rules about memory look for: what denies an order, what points, what is put down. Everything else stays.
"""

import re

from nanobot_memory_plugins.core.text.words import LazyPattern

_ANY = re.compile("[唔呢𠮶啲嘅低冇咗]|头先|落嚟")
_POINTED = "[个句件单啲样条段次排番度铺]"
_WORDS = (
    (LazyPattern("唔使"), "不用"),
    (LazyPattern("唔好(?!意思|[睇食听味笑彩运用])(?=[\u4e00-\u9fff])"), "不要"),
    (LazyPattern(f"呢(?={_POINTED})"), "这"),
    (LazyPattern(f"𠮶(?={_POINTED})"), "那"),
    (LazyPattern("(?<=[这那])啲"), "些"),
    (LazyPattern("嘅嘢"), "的事"),
    (LazyPattern("嘅"), "的"),
    (LazyPattern("(?<=[记写录存抄])低"), "下"),
    (LazyPattern("头先"), "刚才"),
    (LazyPattern("落嚟"), "下来"),
    # At the end of an order it is "it": 記住佢.
    (LazyPattern("(?<=记[下住])佢(?=[\u4e00-\u9fff])(?![啦喇呀吖啊吧])"), "他"),
    (LazyPattern("冇(?=[讲说听问提])"), "没"),
    (LazyPattern("(?<=忘记)咗"), "了"),
)


def written(folded: str) -> str:
    """Return a folded text with such words as written Chinese has them. Every character keeps its place."""
    if _ANY.search(folded) is None:
        return folded
    for word, instead in _WORDS:
        folded = word.sub(instead, folded)
    return folded
