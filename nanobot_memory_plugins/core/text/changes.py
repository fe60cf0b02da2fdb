"""What tells that something is not as it was: "the wedding is on the 18th now", "the rent goes up", 店租变两万二了."""

from nanobot_memory_plugins.core.text.calendar import CHINESE_WEEK, FULL_WEEKDAY, MONTH_NAME
from nanobot_memory_plugins.core.text.clauses import fold
from nanobot_memory_plugins.core.text.words import Word, Words
from nanobot_memory_plugins.redaction.script.chinese_script import simplified

_PUT = r"(?:put|pushed|moved|brought|set)"
CHANGES = Words(
    (
        Word(r"\b(?:now|nowadays|these days|by now|from now on|as of|instead)\b", "it is in Ghent now", "I know it"),
        Word(r"\b(?:any ?more|no longer)\b|\bwon'?t be\b", "we no longer meet", "a longer walk"),
        Word(
            r"\b(?:actually|after all|turn(?:s|ed) out|correction|update|mistaken|(?:was|were|is|had) wrong|wrong about"
            r"|not true any)\b|\b(?:had|have|got) (?:\w+ ){1,3}wrong\b",
            "they had the dates wrong",
            "wring it out",
        ),
        Word(
            r"\b(?:chang(?:ed|es|ing)|mov(?:ed|es|ing)|switch(?:ed|es|ing)|swapp(?:ed|ing)|replac(?:ed|es|ing)"
            r"|shift(?:ed|ing)|renamed|amended|extended|(?:up|down)graded|became|becomes|shuffled|converted)\b",
            "they moved the match",
            "a motion",
        ),
        Word(
            r"\b(?:postponed|delayed|rescheduled|cancell?ed|called off|double-booked|overbooked"
            rf"|{_PUT} (?:\w+ ){{0,3}}?(?:off|back|forward))\b",
            "the fair is put off",
            "put it on the shelf",
        ),
        Word(
            r"\b(?:go(?:es|ing|ne)?|went|[a-z]+ing|is|are) (?:up|down) to\b|\b(?:goes|going|went|gone) (?:up|down)\b"
            r"|\b(?:rais(?:ed|es|ing)|increas(?:ed|es|ing)|lowered|doubled|halved)\b",
            "the rent goes up to 710",
            "go to the lake",
        ),
        Word(
            r"\b(?:quit|quitting|leaving|left|resigned|retired|laid off|fired|g[ai]ven? (?:\w+ )?up|stopped|dropped"
            r"|sold|got rid of|broke(?:n)? up|split up|divorced|died|passed away|(?:took|taken|came|come) (?:\w+ )?off"
            r")\b",
            "I gave it up",
            "give me two",
        ),
        Word(
            rf"\b(?:from|since|starting|beginning) (?:the )?(?:\d{{1,2}}(?:st|nd|rd|th)?|{MONTH_NAME}|{FULL_WEEKDAY}"
            r"|next|this|last)\b",
            "from June it is 710",
            "from Leeds",
        ),
        Word(r"\b(?:a|the|my|our|his|her|their) new\b", "my new office", "the news"),
        Word(
            rf"现在|如今|而家|不再|从此|(?:从|自|打).{{1,8}}[起开]|(?:[天月号年]|{CHINESE_WEEK})起",
            "这个月起涨价",
            "一起吃饭",
        ),
        Word(
            "[改换搬变涨升降跌挪调延推](?:[到成为至去回了掉]|期|迟|后|早|涨|薪|价)|改(?![善天])|变卦",
            "婚礼改到十月",
            "改天再说",
        ),
        Word(
            "取消|提前|作废|黄了|泡汤|停[了掉]|戒[了掉]|卖[了掉]|丢了|坏了|[辞退离]了?职|退休|跳槽|转[行正学]|分手(?!机)|离婚",
            "婚礼取消了",
            "分开放",
        ),
        Word("(?:不|没)[^,.;，。；]{1,6}了", "粤菜不学了", "不是的"),
        Word("其实|更正|纠正|[记说搞弄写打]错|错了|变成|可以到|定了|定在|定下", "我记错了", "不错的菜"),
    )
)
"""Words of change, folded and in simplified characters."""


def tells_change(text: str) -> bool:
    """Return whether a text may tell that something has changed. Where nothing has, its words may be there, too."""
    return CHANGES.search(fold(simplified(text))) is not None
