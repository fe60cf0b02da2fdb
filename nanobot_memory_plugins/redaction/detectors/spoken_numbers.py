"""Numbers that somebody dictates: codes, combinations and telephones in words, ``oh seven seven``."""

from __future__ import annotations

from collections.abc import Iterator

from nanobot_memory_plugins.redaction.rules.keyword_index import KeywordIndex, Lowered
from nanobot_memory_plugins.redaction.rules.lazy_pattern import lazy_re
from nanobot_memory_plugins.redaction.rules.rule import PHONE, RANK_PERSONAL, Span
from nanobot_memory_plugins.redaction.rules.word_lists import words
from nanobot_memory_plugins.redaction.values.sentence_values import told_span

_NUMBER = (
    r"(?:zero|oh|o|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen"
    r"|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|double|triple)"
)
_TURN = r"(?:left|right|then|dash|and|hash|star|pound)"
_SPOKEN = lazy_re(rf"(?i)(?<![a-z]){_NUMBER}(?:[ ,-]{{1,2}}(?:{_NUMBER}|{_TURN})){{3,24}}(?![a-z])")
_IS_NUMBER = lazy_re(rf"(?i){_NUMBER}")
_CODE = lazy_re(
    r"(?i)(?<![a-z])(?:safe|combination|combo|pin|code|passcode|lock|padlock|alarm|card|account|password|cvv)(?![a-z])"
)
_PHONE = lazy_re(r"(?i)(?<![a-z])(?:phone|mobile|cell|landline|number|call|ring|reach)(?![a-z])")
_CUES = KeywordIndex(
    words(
        "safe combination combo pin code lock alarm card account password cvv phone mobile cell"
        " landline number call ring reach"
    )
)
_DIGITS = "[零〇一二三四五六七八九幺两]"
_RUN = (
    rf"(?<!{_DIGITS})(?P<secret>{_DIGITS}{{3,12}}(?:[ -]?{_DIGITS}{{2,8}}){{0,4}})"
    "(?![零〇一二三四五六七八九幺两十百千万个位次天年月号楼点])"
)
_CHINESE = lazy_re(
    rf"(?:(?P<phone>电话|手机|座机|号码)|(?P<code>密码|验证码|口令|[取提门]件?码))[^\n0-9A-Za-z，。]{{0,10}}?{_RUN}"
)
_MOBILE = lazy_re(rf"(?<!{_DIGITS})[幺一](?:[ -]?{_DIGITS}){{10}}(?!{_DIGITS}|[十百千万])")
# Of these some stand in every number that somebody dictates.
_COMMON = words("one two three four five six seven eight nine zero ten twenty thirty forty fifty sixty seventy eighty")
_FEWEST_WORDS = 2
_NEAR, _FEWEST_CODE, _FEWEST_PHONE = 90, 4, 7


def find_spoken(text: str, lower: Lowered) -> Iterator[Span]:
    """Find dictated numbers in the folded ``text``; ``lower`` is the same in lower case."""
    if _CUES.meets(lower) and sum(map(lower.count, _COMMON)) >= _FEWEST_WORDS:
        for match in _SPOKEN.finditer(text):
            number = len(_IS_NUMBER.findall(match.group()))
            before = text[max(0, match.start() - _NEAR) : match.start()]
            end = match.end()
            while text[match.start() : end].lower().endswith((" and", " then")):
                end = text.rindex(" ", 0, end)
            if number >= _FEWEST_PHONE and _PHONE.search(before):
                yield Span(match.start(), end, "phone", PHONE, RANK_PERSONAL)
            elif number >= _FEWEST_CODE and _CODE.search(before):
                yield told_span(match.start(), end)
    if not text.isascii():
        for match in _CHINESE.finditer(text):
            size = len(match["secret"].replace(" ", "").replace("-", ""))
            if match["code"] and size >= _FEWEST_CODE:
                yield told_span(*match.span("secret"))
            elif match["phone"] and size >= _FEWEST_PHONE:
                yield Span(*match.span("secret"), "phone", PHONE, RANK_PERSONAL)
        for match in _MOBILE.finditer(text):
            yield Span(*match.span(), "phone", PHONE, RANK_PERSONAL)
