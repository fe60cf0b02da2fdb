"""Characters that show nothing or steer what shows them, as ranges for a class of a regular expression.

With the places at which honest text needs one of them: between the letters of scripts that join, inside an emoji.
"""

LINE_BREAKS = "\r\x0b\x0c\x85\u2028\u2029"
"""Everything that ends a line somewhere, but the line feed."""

CONTROLS = "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"
"""C0 and C1 without tab and line breaks, halves of surrogate pairs, and what is no character."""

# Unicode's Default_Ignorable_Code_Point, the marks of interlinear annotation and the filler of Khitan. In two parts,
# since a class without characters beyond U+FFFF is looked up in a table: three times as fast.
INVISIBLE_16_BIT = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
)
INVISIBLE_BEYOND = "\U00016fe4\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
INVISIBLE = INVISIBLE_16_BIT + INVISIBLE_BEYOND
"""Zero-width characters, marks of direction, variation selectors, tags, fillers: text without any width of its own."""

_EMOJI = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u2460-\u24ff\u25a0-\u27bf\u2900-\u297f\u2b00-\u2bff"
    "\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
# Arabic to Tibetan, Myanmar, Khmer to Mongolian and to Vedic, the Brahmic and Arabic blocks beyond.
_JOINING = (
    "\u0600-\u0fff\u1000-\u109f\u1700-\u1cff\ua800-\uabff\ufb50-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc"
    "\U00010a00-\U00010fff\U00011000-\U00011fff\U0001e900-\U0001e95f"
)
_MONGOLIAN = "\u1820-\u18aa"
# The only flags of tags that Unicode recommends: England, Scotland, Wales.
_FLAGS = "|".join("".join(chr(0xE0000 + ord(letter)) for letter in region) for region in ("gbeng", "gbsct", "gbwls"))

NEEDED = "|".join(
    (
        f"\U0001f3f4(?:{_FLAGS})\U000e007f",
        f"(?<=[{_JOINING}])[\u200c\u200d](?![{INVISIBLE}])",
        f"(?<=[{_MONGOLIAN}])[\u180b-\u180f](?![{INVISIBLE}])",
        f"(?<=[{_EMOJI}])[\ufe0e\ufe0f](?=\u200d[{_EMOJI}]|[^{INVISIBLE}]|\\Z)",
        f"(?<=[{_EMOJI}\ufe0f])\u200d(?=[{_EMOJI}])",
        "(?<=[0-9#*])\ufe0f(?=\u20e3)",
    )
)
"""An expression for invisible characters where honest text needs them, one at a time."""
