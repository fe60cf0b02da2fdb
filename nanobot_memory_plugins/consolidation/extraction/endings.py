"""Whether a quote of the user's ends a known entry: it tells of a change in what the entry is about, or a new value.

A model names what a new thing makes untrue; it may name what the user only asks about, or says nothing of.
"""

from collections.abc import Sequence

from nanobot_memory_plugins.consolidation.extraction.without_quotes.cues import announces_a_change, ends_something
from nanobot_memory_plugins.consolidation.extraction.without_quotes.supersession import plainly_ends, touched
from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.core.text import (
    RELATION_ZH,
    RELATIVES,
    Act,
    LazyPattern,
    QuotePlace,
    apart_from_conditions,
    denies,
    fold,
    phrases_of,
    stem,
)

# The share of an entry's terms that a clause, or what the model makes of it, must hold to speak of it.
_TOUCHES = 0.3
_CHANGES = LazyPattern(
    r"\b(?:quit\w*|left|leaving|handed in|gave notice|fired|laid off|let go|broke up|split up|separated|divorc\w+"
    r"|died|dead|passed|finish\w*|done|over|ended|expired|cancel\w+|call(?:ed)? off|start(?:s|ed|ing)?|became|turned"
    r"|promoted|hired|accepted|signed|resign\w+|graduated|recovered|healed|cured|got rid|returned|broke|lost|submitted"
    r"|filed|paid off|married|engaged|retir\w+|grew out|former\w*|lately|closed|shut|only"
    r"|together again|back together|got together|made up|reconciled|moved in)\b"
    r"|走了|去世|过世|没了|分手|离[婚了开职]|辞|搬|取消|结束|完[成了]|毕业|好了|停|退|不做|转|过期|升|开始|入职|跳槽|找到|通过"
    r"|考[完过]|办完|交了|拿到|黄了|丢了|坏了|送人|关[了门]|成了|变|后来|领[了完]?证|结婚|订婚|求婚|在一起|复合|了$"
)
_BESIDE = LazyPattern(r"\b(?:also|too|as well|another|second|besides|in addition|both)\b|[也还]|另外|同时")
# What belongs together in a life although it shares no word: who quits their job works at Siemens no more.
_SIDES = tuple(
    LazyPattern(one)
    for one in (
        r"\b(?:liv\w+|mov\w+ (?:to|in|into|out|away|house|flat)|flat|house|home|address|apartment|rent\w*|landlord)\b"
        r"|住|搬|房|家|地址|租",
        r"\b(?:work\w*|job|company|quit|notice|hired|fired|laid off|retir\w+|boss|office|employ\w+|resign\w*"
        r"|start\w* (?:at|as)|salary|promot\w+|engineer|manager|career|teach\w*|school)\b"
        r"|工作|上班|辞|离职|入职|公司|跳槽|退休|老板",
        r"\b(?:married|marry|wife|husband|divorc\w+|girlfriend|boyfriend|partner|broke up|split up|single|engaged"
        r"|dat(?:es|ing)|together|seeing)\b|婚|领证|分手|女友|男友|[女男]朋友|老婆|老公|妻|对象|单身",
        r"\b(?:vegetarian|vegan|eat\w*|meat|fish|diet|allerg\w+|drink\w*|smok\w+|alcohol)\b|吃|素|肉|过敏|烟|酒|戒",
        r"\b(?:use[sd]?|using|switch\w*|migrat\w+|editor|database|laptop|phone)\b|用|迁|电脑|手机",
        r"\b(?:class\w*|course|train\w*|run\w*|swim\w*|gym|lesson\w*|stud\w+|learn\w*|exam|level|degree)\b"
        r"|课|练|学|考|班|跑|泳",
        r"\b(?:car|drive\w*|drove|bike|driving)\b|车",
        r"\b(?:plan\w*|trip|travel\w*|flight|hotel|wedding|party|meeting|holiday)\b|计划|旅|航班|酒店|婚礼|会议",
        r"\b(?:pain|ill\w*|sick|injur\w+|medic\w+|takes?|pills?|tablets?|surgery|pregnan\w*)\b|病|痛|药|伤|怀孕|手术",
    )
)
_WHOSE = LazyPattern(
    rf"^(?:the )?user's (?!car\b|flat\b|house\b|team\b|company\b)({RELATIVES})\b|^用户的?({RELATION_ZH.pattern})"
)
# One person's, as things go on: a girlfriend becomes a wife.
_PARTNER = LazyPattern(
    r"(?:\buser's |^(?:the )?user .{0,60}\b(?:his|her|their) |用户的?)"
    r"(?:girlfriend|boyfriend|fianc[eé]e?|partner|wife|husband|spouse|[女男]朋?友|对象|未婚[妻夫]|妻子|老婆|太太|爱人|媳妇|丈夫|老公)"
)
# What one has one of at a time: a new value takes the place of the old one.
_ONE_OF = LazyPattern(
    r"^(?:the )?user(?:'s (?P<label>[a-z]+(?: [a-z]+)?) (?:is|are|was)| (?P<verb>lives|works|weighs|earns|drives))\b"
    r"|^用户(?:的(?P<label_zh>[\u4e00-\u9fff]{2,5})[是为]|(?:现在|目前)?(?P<verb_zh>住|在.{1,8}(?=上班|工作)))"
)


def is_ended(entry: Entry, content: str, passages: Sequence[QuotePlace]) -> bool:
    """Return whether quotes of the user's end an entry; ``content`` is what the model makes of them."""
    clauses = [
        clause.text
        for one in passages
        for clause in one.clauses
        if (clause.act in (Act.STATES, Act.REQUESTS) or not one.by_user)
        and not apart_from_conditions(clause.text)[0].strip()
    ]
    if not clauses or not _is_of_the_same(content, entry.content):
        return False
    said = " ".join(clauses)
    if any(plainly_ends(part, entry) for part in phrases_of(said)):
        return True
    if _BESIDE.search(fold(said)) and not ends_something(said):
        return False
    speaks = max(touched(said, entry), touched(content, entry)) >= _TOUCHES or _is_of_one_side(said, content, entry)
    changes = announces_a_change(said) or denies(said) or _CHANGES.search(fold(said)) is not None
    return (speaks and changes) or _gives_another_value(content, entry)


def _is_of_the_same(content: str, known: str) -> bool:
    """Return whether two texts tell of the same person: the user, or the same relative."""
    if _PARTNER.search(fold(content)) and _PARTNER.search(fold(known)):
        return True
    new, old = _WHOSE.match(fold(content)), _WHOSE.match(fold(known))
    word = next(one for one in new.groups() if one) if new is not None else ""
    return word in fold(known) and (old is None or next(one for one in old.groups() if one) in fold(content))


def _is_of_one_side(said: str, content: str, entry: Entry) -> bool:
    told, known = f"{fold(said)}\n{fold(content)}", fold(entry.content)
    return any(one.search(told) and one.search(known) for one in _SIDES)


def _gives_another_value(content: str, entry: Entry) -> bool:
    new, old = _ONE_OF.match(fold(content)), _ONE_OF.match(fold(entry.content))
    if new is None or old is None or fold(content) == fold(entry.content):
        return False
    return all(_word(new[name]) == _word(old[name]) for name in ("label", "verb", "label_zh")) and (
        (new["verb_zh"] or "")[:1] == (old["verb_zh"] or "")[:1]
    )


def _word(found: str | None) -> str:
    return stem(found) if found else ""
