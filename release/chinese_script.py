"""``python -m release.chinese_script`` regenerates the table of traditional characters from OpenCC."""

import sys
from pathlib import Path

from opencc import OpenCC

TABLE = Path(__file__).parents[1] / "nanobot_memory_plugins" / "redaction" / "script" / "chinese_script_table.py"

# Unified ideographs with extension A, and the compatibility forms of Unicode's first plane.
_RANGES = ((0x3400, 0x9FFF), (0xF900, 0xFAFF))
# Where what is beside it decides, or OpenCC leaves it: what the words of the rules need. 接著, 瞭解, 藉口, 回覆, 甚麼,
# 暱稱; 帳號, which China writes with 账 and with 帐; the "you" for women, the "it" for animals, the older "only".
_CHOSEN = {
    "著": "着",
    "瞭": "了",
    "藉": "借",
    "覆": "复",
    "甚": "什",
    "帳": "账",
    "帐": "账",
    "妳": "你",
    "牠": "它",
    "暱": "昵",
    "祇": "只",
    "衹": "只",
}
# Characters of a line: they are two columns wide.
_LINE = 56

_TEXT = '''"""Traditional Chinese characters and the simplified ones that mean the same, place by place.

Made by ``python -m release.chinese_script`` from OpenCC {version} (Apache-2.0); not to be edited by hand.
"""

TRADITIONAL = (
{traditional}
)
SIMPLIFIED = (
{simplified}
)
'''


def pairs() -> dict[str, str]:
    """Return the simplified form of every traditional character, by China's, then by Taiwan's and Hong Kong's rules."""
    converters = [OpenCC(name) for name in ("t2s", "tw2s", "hk2s")]
    found: dict[str, str] = {}
    for first, last in _RANGES:
        for one in map(chr, range(first, last + 1)):
            simple = _CHOSEN.get(one) or next((to for by in converters if (to := by.convert(one)) != one), one)
            if simple != one and len(simple) == 1:
                found[one] = simple
    # 么 is 幺 in old texts, and 麼 in all others: what another one becomes stays as it is.
    made = set(found.values())
    return {one: _CHOSEN.get(to, to) for one, to in found.items() if one in _CHOSEN or one not in made}


def text_of_the_table(version: str) -> str:
    """Return the module that holds the table."""
    found = pairs()
    return _TEXT.format(version=version, traditional=_lines("".join(found)), simplified=_lines("".join(found.values())))


def _lines(characters: str) -> str:
    return "\n".join(f'    "{characters[at : at + _LINE]}"' for at in range(0, len(characters), _LINE))


if __name__ == "__main__":
    from importlib.metadata import version

    TABLE.write_text(text_of_the_table(version("opencc")), encoding="utf-8")
    print(f"{TABLE.name}: {len(pairs())} characters.", file=sys.stderr)
