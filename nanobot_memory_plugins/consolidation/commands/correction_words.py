"""The words by which people correct themselves, leave something behind, or speak of something else; folded."""

import re

from nanobot_memory_plugins.core.text import CHINESE_WEEK, LazyPattern

CUES = LazyPattern(
    r"\b(?:no|nope|actually|correction|corrected|sorry|my mistake|my bad|oops|whoops|scratch that|wait|hang on"
    r"|i (?:meant|mean|misspoke|mistyped|mixed)|mixed (?:it|that|them|those) up|wrong|mistaken|typo|not right"
    r"|turns? out|in fact|fix that|make (?:that|it)|update|instead|rather|not|n't|anymore|any more|no longer|now"
    r"|moved|changed|switched|renamed|rescheduled|postponed|pushed|bumped|shifted|swapped|replaced|raised|lowered)\b"
    r"|不对|不是|错了?|更正|纠正|其实|应该是|改[成到为在了叫]|换[成到了]|推迟|提前到|延[到期后]|挪到|搬[到去]|现在|变成|更新"
    r"|不再|而是|[而依]家|抱歉|口误|准确|涨到|降到|调到"
)
"""By these somebody says that something was not right, or is not so any more."""

CHANGES = LazyPattern(
    r"\b(?:moved|changed|extended|until|became|stretched|raised|pushed|bumped|down to|up to|now|instead|no longer|as of"
    r"|that's|switched|shuffled)\b|[挪升延改调降涨]到|提前到|推迟到|变成|就剩|升|改成|[而依]家"
)
"""With these a value has changed, whatever else the clause tells."""

ENDS = LazyPattern(
    r"\b(?:left|quit|resigned|handed in|ditched|dropped|scrapped|scrapyard|g[ai]ven? up|retired|sold|called it off"
    r"|broke up|moved (?:out|back|on)|switched|changed|cancell?ed|stopped|no longer|any ?more|done with|packed in|gone"
    r"|died|passed away|lost|broke|swapped|got rid of|canned|axed|closed|went (?:to|on to|over to)|is fine|is over"
    r"|not an?)\b"
    r"|辞|离开|退|戒|卖|不[^,]{1,4}了|调[去走]|走了|没了|没事|掉[进到]?|坏了|丢了|报废|折给|送人|放弃|停了|取消|搬|分手"
    r"|离婚|转业|黄了|倒闭"
)
"""By these somebody leaves something behind."""

NOW = LazyPattern(
    r"\b(?:i'm|i am|we're|we are|it's|now|these days|instead|new|from here on|picked up|bought|got|so|successor"
    r"|follow)\b|现在|而家|改|新|分[给到]|提了|买了|换|是|专心|去|就|只好"
)
"""And by these they say what there is now."""

NOT_SO = LazyPattern(
    r"\b(?:also|too|as well|another|second|both|additionally|besides|plus|this (?:week|time|once)|just (?:this|for)"
    r"|only (?:this|for|today)|for now|today only|temporarily|tonight|exceptionally|used to|originally|previously"
    r"|formerly|initially|at first|back then|once|years? ago|almost|nearly|wanted to|want to|wish|hope|thought|thinking"
    r"|consider\w*|plan(?:s|ning)?|going to|will|might|may be|maybe|could|would|should|if|suppose\w*|imagine|pretend"
    r"|what if|say|joking|kidding|lol|haha|story|novel|movie|film|character|example|translate|dream\w*|code|function"
    r"|variable|as i said)\b"
    rf"|也|还有|另外|又|第二|再加|两个都|都是|这次|[这本]个?{CHINESE_WEEK}|这回|今天|今晚|临时|暂时"
    r"|以前|之前(?!.{0,2}错)|原来|曾经|本来"
    r"|当初|当时|差点|(?<!不)想(?!通)要?|打算|考虑|可能|也许|大概|如果|要是|假如|开玩笑|哈哈|故事"
    r"|小说|电影|角色|例子|比如|测试|代码|梦|假设|听说|据说|翻译|[\"“”「」『』《》]"
)
"""Beside these a message is about something else: another time, another one too, what is only thought of or quoted."""

LEAD = LazyPattern(
    r"^\W*(?:(?:no|nope|oh|ah|hm+|well|so|and|but|actually|correction|sorry|wait|hang on|oops|whoops|my mistake|my bad"
    r"|scratch that|to be (?:clear|precise|exact)|in fact|it turns out(?: that)?|turns out(?: that)?|i meant(?: that)?"
    r"|i mean|that'?s wrong|that is wrong|i (?:was|got (?:it|that)) wrong|i misspoke|update|by the way|btw|fyi"
    r"|just so you know|i have to correct myself|let me correct that)\b[\s,.:;!–—-]*"
    r"|(?:不对|不是的?|哦|啊|嗯|等等|等一下|更正(?:一下)?|纠正(?:一下)?|抱歉|不好意思|对不起|其实|说错了?"
    r"|我?(?:刚才)?[说记搞弄写打]错了?|错了|口误|准确[地的]?说|更新一下|对了)[\s,.:;!、。]*)+"
)
"""With what a correction begins, and which says nothing of the new value."""

NOT_OLD = LazyPattern(
    r"[\s,;–—-]*\b(?:and |but )?(?:not|instead of|rather than)\b [^,.;!?]*$|[\s,]*(?:而?不是)[^,.;!?。]*$"
)
"""The old value behind the new one."""

_OLD, _NEW, _ZH = r"(?P<old>[\w'.:@/ -]{1,40}?)", r"(?P<new>[\w'.:@/ -]{1,40})", "[^,.;!。]{1,20}"
_NEW_FIRST = r"(?P<new>(?:(?! (?:is|are|on|at|in|to|called|we|i) )[\w'.:@/ -]){1,40}?)"
PAIRS = tuple(
    map(
        re.compile,
        (
            rf"\bfrom {_OLD} to {_NEW}",
            rf"\bnot (?:on |at |in |the )?{_OLD}(?:,| but|;| -+) (?:it'?s |it is |i meant |rather |but )?{_NEW}",
            rf"\b(?:(?:is|are|it'?s|was|meant|on|at|in|to|called|be) )+{_NEW_FIRST}(?:,| and|;| -+)? "
            r"(?:not|instead of|rather than) (?:(?:on|at|in|to|called) )?(?P<old>[\w'.:@/ -]{1,40})",
            rf"\b(?:changed|switched|renamed|replaced|swapped) (?:from )?{_OLD} (?:to|with|for|by) {_NEW}",
            f"不是(?P<old>[^,.;。的]{{1,20}})[,、 ]*(?:而|应该)?是(?P<new>{_ZH})",
            f"(?<!不)是(?P<new>[^,.;。是不]{{1,20}})[,、 ]*而?不是(?P<old>{_ZH})",
            f"从(?P<old>[^,.;。从]{{1,20}}?)(?:已经)?(?:改|换|搬|调|挪|移|推迟|提前|涨|降|变)[成到为去]了?(?P<new>{_ZH})",
            f"把?(?P<old>[^,.;。把]{{1,20}}?)(?:改|换)成了?(?P<new>{_ZH})",
        ),
    )
)
"""The old value and the new one, named side by side."""

VERBS = LazyPattern(
    r"\b(?:was|is|were|are|am|be|been|lives?|works?|called|named|costs?|prefers?|likes?|loves?|drinks?|eats?|drives?"
    r"|uses?|using|speaks?|plays?|stud(?:y|ies)|goes|go|wears?|takes?|starts?|begins?|ends?|leaves?|arrives?|opens?"
    r"|closes?|moved|changed|switched|runs?|weighs?|has|have|got|belongs|stays?|meets?|owes?|earns?|pays?|turns?|reports?"
    r"|sits|expires?|departs?|lands?|falls|on|at)\b|(?<=it)'s\b|(?<=that)'s\b|(?<=i)'m\b|(?<=we)'re\b"
    r"|[是叫在住为姓用喜爱开喝吃养有到要]|改[成到为在]|换[成到]"
)
"""Behind the first of these stands what is said of a slot."""

COPULA = LazyPattern(
    r"was|is|were|are|'s|'re|be|been|called|named|on|at|moved|changed|[是叫为姓在到]|改[成到为在]|换[成到]"
)
"""Those of them that only say what something is, or where."""

ONE_AT_A_TIME = LazyPattern(r"works?|lives?|stud(?:y|ies)|drives?|weighs?|住")
"""What one does in one place or with one thing: who says it of themselves anew has changed it."""

HOME = LazyPattern(
    r"\b(?:i|we|he|she|they)(?: now|'m| am|'re| are)? (?:liv(?:e|es|ing) (?:in|at)|based in)\b|\blives in\b"
    r"|住(?![院宿]|酒店|宾馆)|[我们她他]家?(?:现在|已经|都)?搬[到去](?!.{0,6}[位桌室层楼组边排云])"
)
"""Where somebody lives: one has but one home, and "I live in York" need not name the old one."""

QUIET = frozenset(
    """
    no nope actually correction sorry mistake bad oop whoop scratch wait hang meant mean misspoke mix wrong mistaken
    typo right turn fact fix make updat instead rather move chang switch renam reschedul postpon push bump shift swap
    replac rais lower now ve sinc again been wa is got get said say told tell correct myself let precis exact day date
    time new since that's it's i'm
    """.split()  # noqa: SIM905
)
QUIET_ZH = frozenset(
    "不对错更正纠其实应该改成到为换推迟提前延期后挪搬现在变新而抱歉口误准确说记搞弄写打刚才已经调涨降去从把"
)
"""Terms that say nothing of a slot or a value."""
