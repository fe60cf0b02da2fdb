"""Text that is handed over to be translated, corrected or reworded: what stands in it is not what is asked.

"Fix the grammar: Me and him goes to market yesterday" asks for nothing that was said yesterday.
"""

import re

from nanobot_memory_plugins.core.text.clauses import fold
from nanobot_memory_plugins.core.text.words import LazyPattern, Word, Words

# How far an order to work on a text is looked for.
_ORDER_CHARS = 160
_TEXT = (
    r"(?:grammar|spelling|punctuation|sentences?|texts?|wording|phrasing|style|paragraphs?|mistakes?|errors?|typos?)"
)

TEXT_WORK = Words(
    (
        Word(
            r"\b(?:translat(?:e|ed|ing|ion)|proof-?read(?:ing)?|rephras(?:e|ing)|reword(?:ing)?|paraphras(?:e|ing)"
            r"|spell-?check|transliterate|transcribe)\b",
            "translate: what did we do yesterday",
            "a new translator at work",
        ),
        Word(
            rf"\b(?:fix|correct|check|improve|polish|edit|clean up|shorten|simplify|rewrite"
            rf"|change) (?:[\w']+ ){{0,4}}{_TEXT}\b"
            r"|^\W*(?:please |can you |could you )?(?:rewrite|shorten|simplify|polish)(?: (?:this|that"
            r"|it))?(?: [\w ]{0,20})?\W*$",
            "fix the grammar",
            "fix the bike",
        ),
        Word(
            r"\bhow (?:do|would|can|should) (?:you|i|we|one) (?:say|spell|pronounce|write)\b|\bhow (?:to"
            r"|is) (?:say|pronounced)\b"
            r"|\bwhat (?:does|do|is|are) (?:the )?(?:word|phrase|expression|idiom|meaning of)\b"
            r"|\bwhat does\b[^?]{0,6}mean\b",
            "how do you say in french",
            "how do you feel",
        ),
        Word(
            "翻译|[翻译]成|译为|润色|校对|改(?:得|写|错|通顺|顺)|语法|病句|错别字|怎么(?:说|读|念|写)"
            "|什么意思|啥意思|造句|缩写|扩写|精简|概括一下这",
            "翻译成英文",
            "改天再说",
        ),
    )
)
"""An order to work on a text."""
_QUOTED = LazyPattern(
    "\"[^\"\n]{2,400}\"|(?<!\\w)'[^'\n]{2,400}'(?!\\w)|“[^“”\n]{2,400}”|‘[^‘’\n]{2,400}’(?!\\w)|「[^「」\n]{2,400}」"
    "|『[^『』\n]{2,400}』"
)
_HANDED = re.compile(r"[:：\n]|\s[-–—]+\s|——")


def without_worked_on(text: str) -> str:
    """Return a message without the text that it hands over to be worked on; other messages stay as they are."""
    bare = _QUOTED.sub(" ", text)
    handed = _HANDED.search(bare)
    order = bare[: handed.start()] if handed is not None else bare
    if handed is None and bare == text:
        return text
    if TEXT_WORK.search(fold(order[:_ORDER_CHARS])) is None:
        return text
    return " ".join(order.split()) or text
