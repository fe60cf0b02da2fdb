"""Chinese in one script: traditional characters as simplified ones, so that a rule is written once.

Every rule that looks for Chinese is written in simplified characters and sees text that went through `simplified`.
"""

from nanobot_memory_plugins.redaction.script.chinese_script_table import SIMPLIFIED, TRADITIONAL

SIMPLIFIED_OF = str.maketrans(TRADITIONAL, SIMPLIFIED)
"""For ``str.translate``, alone or with more in it."""
_ANY = frozenset(TRADITIONAL)


def simplified(text: str) -> str:
    """Return a text with its traditional characters as simplified ones. Every character keeps its place.

    One for one, whatever is next to it: 乾 is 干 in 乾坤 too. Texts are compared so, and never shown.
    """
    return text if text.isascii() or _ANY.isdisjoint(text) else text.translate(SIMPLIFIED_OF)
