"""Conversion of traditional Chinese characters to simplified ones, so that each rule is written only once.

Every rule for Chinese text is written in simplified characters and gets text that was converted with `simplified`.
"""

from nanobot_memory_plugins.redaction.script.chinese_script_table import SIMPLIFIED, TRADITIONAL

SIMPLIFIED_OF = str.maketrans(TRADITIONAL, SIMPLIFIED)
"""A table for ``str.translate``, which can be combined with others."""
_ANY = frozenset(TRADITIONAL)


def simplified(text: str) -> str:
    """Return a text with simplified characters in place of traditional ones. Every character keeps its position.

    The context is ignored: 乾 becomes 干 even in 乾坤. The result is for comparisons, and is never displayed.
    """
    return text if text.isascii() or _ANY.isdisjoint(text) else text.translate(SIMPLIFIED_OF)
