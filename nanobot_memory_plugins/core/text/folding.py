"""The spelling in which texts are compared."""

from nanobot_memory_plugins.redaction.script.chinese_script import SIMPLIFIED_OF

_FOLD = SIMPLIFIED_OF | str.maketrans("：，；？！（）　’‘ʼ＇", ":,;?!() ''''")


def fold(text: str) -> str:
    """Return a text in lower case, simplified characters and narrow punctuation; every character keeps its place."""
    folded = text.translate(_FOLD)
    lower = folded.lower()
    return (
        lower if len(lower) == len(folded) else "".join(one if len(low := one.lower()) != 1 else low for one in folded)
    )
