"""Numbers in words: English ones to twelve, Chinese ones to 99."""

from nanobot_memory_plugins.redaction.rules.lazy_pattern import LazyPattern

ENGLISH_NUMBERS = {
    word: number
    for number, word in enumerate(
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"], start=1
    )
}
CHINESE_DIGITS = {digit: number for number, digit in enumerate("一二三四五六七八九", start=1)} | {"两": 2}
_UP_TO_99 = LazyPattern("(?:([{0}]?)(十))?([{0}]?)".format("".join(CHINESE_DIGITS)))


def chinese_number(text: str) -> int:
    """Return the value of figures, or of a Chinese number up to 99 in simplified characters; 0 for what is neither."""
    if text.isdecimal():
        return int(text)
    found = _UP_TO_99.fullmatch(text)
    if found is None:
        return 0
    tens = 10 * CHINESE_DIGITS.get(found[1], 1) if found[2] else 0
    return tens + CHINESE_DIGITS.get(found[3], 0)
