"""Numbers in words: English ones to twelve, and Chinese ones."""

from nanobot_memory_plugins.core.text.words import LazyPattern

ENGLISH_NUMBERS = {
    word: number
    for number, word in enumerate(
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"], start=1
    )
}
CHINESE_DIGITS = {digit: number for number, digit in enumerate("一二三四五六七八九", start=1)} | {"两": 2}
CHINESE_NUMERALS = CHINESE_DIGITS | {"零": 0, "〇": 0, "壹": 1, "贰": 2, "叁": 3, "俩": 2, "仨": 3}
CHINESE_UNITS = {"十": 10, "百": 100, "千": 1_000, "万": 10_000, "亿": 100_000_000}
_UP_TO_99 = LazyPattern("[{0}]?十[{0}]?|[{0}]".format("".join(CHINESE_DIGITS)))


def chinese_number(text: str) -> int:
    """Return the value of figures, or of a Chinese number up to 99 in simplified characters; 0 for what is neither."""
    if text.isdecimal():
        return int(text)
    return int(chinese_value(text)) if _UP_TO_99.fullmatch(text) else 0


def chinese_value(text: str) -> float:
    """Return the value of a Chinese number in simplified characters: 六千五 is 6500, 二〇二六 is 2026."""
    if not any(one in CHINESE_UNITS for one in text):
        return float("".join(str(CHINESE_NUMERALS[one]) for one in text))
    total = section = digit = 0
    unit = 1
    after_zero = False
    for one in text:
        if one in "零〇":
            after_zero = True
        elif one in CHINESE_NUMERALS:
            digit = CHINESE_NUMERALS[one]
        elif CHINESE_UNITS[one] >= 10_000:
            total = (total + section + digit) * CHINESE_UNITS[one]
            section = digit = 0
            unit, after_zero = CHINESE_UNITS[one], False
        else:
            section += (digit or 1) * CHINESE_UNITS[one]
            digit, unit, after_zero = 0, CHINESE_UNITS[one], False
    # 六千五 leaves the hundreds unsaid.
    return total + section + (digit * unit // 10 if digit and unit >= 100 and not after_zero else digit)
