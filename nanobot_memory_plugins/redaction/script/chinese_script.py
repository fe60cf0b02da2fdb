"""Chinese in one script: traditional characters as simplified ones, so that a rule is written once.

Every rule that looks for Chinese is written in simplified characters and sees text that went through `simplified`.
"""

import re
from functools import cache

from nanobot_memory_plugins.redaction.script.chinese_script_table import SIMPLIFIED, TRADITIONAL

SIMPLIFIED_OF = str.maketrans(TRADITIONAL, SIMPLIFIED)
"""For ``str.translate``, alone or with more in it."""


def simplified(text: str) -> str:
    """Return a text with its traditional characters as simplified ones. Every character keeps its place.

    One for one, whatever is next to it: 乾 is 干 in 乾坤 too. Texts are compared so, and never shown.
    """
    if text.isascii() or _any().search(text) is None:
        return text
    return text.translate(SIMPLIFIED_OF)


@cache
def _any() -> re.Pattern[str]:
    """Most texts hold none, and looking for one is far cheaper than translating."""
    return re.compile(f"[{TRADITIONAL}]")
