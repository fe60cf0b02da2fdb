"""Numbers in words: English ones to twelve, Chinese ones to ninety-nine."""

ENGLISH_NUMBERS = {
    word: number
    for number, word in enumerate(
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"], start=1
    )
}
CHINESE_DIGITS = {digit: number for number, digit in enumerate("一二三四五六七八九", start=1)} | {"两": 2}


def chinese_number(text: str) -> int:
    """Return the value of figures, or of a Chinese number up to 99 in simplified characters; 0 for what is neither."""
    if text.isdecimal():
        return int(text)
    tens, ten, ones = text.partition("十")
    if not ten:
        return CHINESE_DIGITS.get(text, 0)
    if (tens and tens not in CHINESE_DIGITS) or (ones and ones not in CHINESE_DIGITS):
        return 0
    return CHINESE_DIGITS.get(tens, 1) * 10 + CHINESE_DIGITS.get(ones, 0)
