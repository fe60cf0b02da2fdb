"""What people say so that something is not kept: of a message, or of a conversation from here on."""

import re
from enum import StrEnum

from nanobot_memory_plugins.core.text.acts import Act, Clause, clauses_of
from nanobot_memory_plugins.core.text.authored import text_to_assistant
from nanobot_memory_plugins.core.text.clauses import fold
from nanobot_memory_plugins.core.text.sentences import sentences_of
from nanobot_memory_plugins.core.text.words import Word, Words


class OffRecord(StrEnum):
    """What is not to be kept."""

    MESSAGE = "message"
    PAUSE = "pause"
    RESUME = "resume"


# What asks for the opposite of what it stands before: up to three words may come between.
_NOT = (
    r"(?:don'?t|do not|dont|never|not|no need (?:for you )?to|needn'?t|(?:rather|prefer(?: it)?(?: if)?"
    r"|like) (?:that )?you"
    r" (?:didn'?t|not|don'?t|wouldn'?t)|without|mustn'?t|shouldn'?t|nothing|no)"
)
_KEEP = (
    r"(?:remember(?:ed|ing)?|sav(?:e|ed|ing)|stor(?:e|ed|ing)|keep(?:ing)?|kept|record(?:ed|ing)?|log(?:ged|ging)?"
    r"|not(?:e|ed|ing)|memori[sz](?:e|ed)|retain(?:ed|ing)?|fil(?:e|ed|ing)|jot(?:ted)?|hold on ?to|hang on ?to"
    r"|writ(?:e|ten)"
    r"|put|add|go(?= (?:in|on)))"
)
_A_WHILE = r"for (?:a|one) (?:sec|second|moment|minute|bit|while)"
_THIS = (
    r"(?:this|that|it|these|those|any of (?:this|it|that)|anything (?:about|of|from|in) (?:this|it|that)"
    r"|all (?:of )?this"
    r"|the following|what follows|(?:this|that|the next|the last) (?:message|part|bit|one|next part|info"
    r"|information|thing"
    r"|sentence|paragraph|detail)|(?:this|that) last (?:bit|part|one|message|sentence|thing)"
    r"|what i(?:'m| am|'ve)? (?:about to|going to|just)? ?(?:say|said|tell you"
    r"|told you)|anything)"
)
# What may stand behind it: a file, a film or an address of this name is another matter.
_BEHIND = (
    r"(?: (?:down|away|anywhere|please|pls|ok|okay|yeah|about (?:me|us|him|her|them|it|this)|(?:in|into|to|from"
    r"|on) (?:your|the"
    r"|my) (?:\w+ )?(?:memory|memories|notes?|records?|files?|profile)|in memory|on (?:record|file)|in mind"
    r"|for (?:later|ever"
    r"|the future|next time)|(?:once|when|as soon as|after) (?:you|u)(?:'ve| have)? \w+|at all|though|either"
    r"|after(?: this)?|afterwards|beyond this|with you"
    r"|as (?:a )?memory|somewhere"
    r"|(?:(?:in|into|to) )?what you know(?: about me)?))*\s*$"
)
_HERE = (
    r"(?:from (?:now|here|this point)(?: on(?:wards?)?)?|(?:for )?the (?:rest|remainder) of (?:this|the"
    r"|our)(?: \w+)? ?(?:chat"
    r"|conversation|session|talk|chinwag)?|until (?:we|i)(?:'re|'m| are| am)? (?:finish|done|say|tell)\w*"
    r"|going forward|(?:from|of|in"
    r"|about) (?:this|our|the) (?:whole )?(?:chat|conversation|session|talk)|(?:this|our|the) (?:chat"
    r"|conversation|session)(?! (?:log|file|history|app)))"
)
_NOT_ZH = (
    "(?:别|不要|不用|不必|不许|不准|甭|勿|莫|咪|唔好|不能|不可以?|无需|没必要|不需要|不想(?:让?你)?"
    "|不希望你?)(?:再|给我|帮我|替我|把(?:它|这[个句段些件条]?(?:话|事|消息)?)?|往里|往心里|都|以后|还|往你那?小本本上"
    "|留|被|让|对外|全)*"
)
_KEEP_ZH = (
    "(?:记(?!错|恨|仇|者|性|忆|得)(?:住|下来?|低|录|着|进去|在心里)?|保存|留存|留底(?:儿)?|留着|留记录|留痕|保留"
    "|存(?!钱|款|折|货|不)(?:下来?|档|着|起来|进去)?"
    "|录(?!音|像|取)|写(?:下来?|进去|(?=这)|进)|划拉|收录|入库|归档)(?:下来|任何(?:内容|东西|信息))?"
)
_INTO_ZH = (
    "(?:[到进在入]?(?:你的?|我的)?(?:长期)?(?:记忆|资料|档案|笔记|脑子|小本本?|数据库|系统)(?:里|中)?(?:面|去)?)?"
)
_THIS_ZH = (
    "(?:这个(?:数|事|信息)?|这条(?:消息|信息)?|这段(?:话)?|这句(?:话)?|这件事|这事|这些(?:话)?|这话|这一?点"
    "|这部分|那[个句段些](?:话)?|[上下]面(?:的话|的内容|这[段句些](?:话)?)?|[以如]下(?:内容|信息|的话|的事)?"
    "|接下来这[句段](?:话)?|刚才(?:的话|那[句段]话?|说的)?|[下前]一?[句段](?:话)?|内容)"
)
_SOFT_ZH = "(?:谢谢|多谢|拜托|[可行好]以?[吗么]|[了哦啊吧哈喔呀哟呢噢嘛啦咯吗么,~!?\\s])*+"
_CAN_ZH = "(?:能不能|可不可以|能否|可否|可以|能)"
_HERE_ZH = (
    "(?:(?:从|打|自)(?:此刻|现在|这里|这儿|这一?[句刻])(?:开始|起)?|接下来|后面|后边|往下|等一?下|之后|待会儿?"
    "|(?:这次"
    "|本次|这场|这个|整个)(?:对话|聊天|会话))"
    "(?:接下来|这[个次]|本次|的|里|中|我|咱们?|们|你|要|所?说|聊|讲|话|内容|东西|事情?|对话|聊天|会话|后面|一律"
    "|往下|至|结束|为止|[,、])*+"
)

MARKED = Words(
    (
        Word(
            rf"\b{_NOT}(?: (?!why\b|who\b|how\b)[\w']+){{0,3}}? {_KEEP}(?: an? (?:note|record"
            rf"|memory) of)? {_THIS}{_BEHIND}",
            "i'd rather you didn't keep that anywhere",
            "don't save this file",
        ),
        Word(
            rf"(?:^|\b(?:that|this|it|following|and|but|which) (?:\w+ ){{0,2}}?)(?:to |should |must |may |is "
            rf"|can |need |will |i'd like it )?(?:not|never)"
            rf" (?:to )?(?:be )?{_KEEP}(?: {_THIS})?{_BEHIND}|^{_NOT} (?:to )?{_KEEP}(?: \w+)?(?: {_THIS})? away$",
            "this must not be stored anywhere",
            "this must not be stored in the fridge",
        ),
        Word(
            r"\bnot for (?:your|the) (?:memory|memories|notes|records?|files?)\b|\bleaves? no (?:trace"
            r"|record)\b|\b(?:stays?|keep (?:this|it|that)|leave (?:this|it|that)) out of (?:your|ur"
            r"|the) (?:memory|notes|records?|files?)\b|\bthings you (?:remember|know|keep) about me$"
            r"|\bin one ear and out (?:of )?the other\b|\bforget (?:this|it|that|i said this|what i(?:'m| am)? \w+)"
            r" (?:as soon as|once|after|when|right after|the moment|immediately after)\b|\bkeep (?:this|that"
            r"|it) out of"
            r" (?:your|the) (?:memory|notes|records?|files?)\b",
            "not for your memory",
            "not for the faint of heart",
        ),
        Word(
            r"^(?:(?:this|that|it|the following|what follows|now|strictly|just|and|but|so|is|stays|keep (?:this"
            r"|that|it)|completely|totally|all|speaking|(?:this|that) (?:part|bit)) )*off (?:the )?record"
            rf"(?: (?:please|ok|okay|though|between us|{_A_WHILE}))*(?=\s*(?:[^\w\s]|[^\x00-\x7f]|$))",
            "this is off the record",
            "an off the record player",
        ),
        Word(
            r"^(?:(?:let me|let us|let's|i|i'll|i'd like to|i want to|can i|could i|may i|can we|could we|we|now"
            r"|here's|here is) )+(?:(?:tell|say|share|speak|talk|ask|mention|add|admit|confess|keep|leave|make"
            r"|take|have|something|this|that|it|you|one thing|a thing|the rest|to|with|quickly) )*off (?:the )?record"
            rf"(?: {_A_WHILE})?$|^(?:keep|leave|make|take|consider|treat) (?:this|that|it|the rest) (?:\w+ )?"
            r"off (?:the )?record$",
            "can i tell you something off the record",
            "i told him off the record",
        ),
        Word(
            rf"^(?:[\w,]{{0,6}}?(?:这是|属于)?{_THIS_ZH}[,你就也都可请麻烦涉及个人隐私我]{{0,8}})?(?:请|麻烦|就"
            rf"|也|都|你|您|千万|可|先|脑子里|一概|暂时|哈|但|不过|{_CAN_ZH})*{_NOT_ZH}{_KEEP_ZH}{_INTO_ZH}"
            rf"(?:{_THIS_ZH})?{_SOFT_ZH}$|{_NOT_ZH}{_KEEP_ZH}{_INTO_ZH}(?:{_THIS_ZH}){_SOFT_ZH}$"
            rf"|^(?:请|麻烦)?你?那?个?(?:的)?(?:记忆|脑子|小本本)[里上]{_NOT_ZH}{_KEEP_ZH}(?:{_THIS_ZH})?{_SOFT_ZH}$",
            "这个别记",
            "别记错了",
        ),
        Word(
            f"^(?:{_THIS_ZH})?(?:请|麻烦|你|您)*{_CAN_ZH}(?:先|就|也)?不{_KEEP_ZH}(?:{_THIS_ZH})?{_SOFT_ZH}$"
            f"|(?:说|讲|聊|告诉你|来)一?[个件点句](?:不用|不要|别|不必|不能)(?:记|存|保存|记录)的"
            "|^(?:以下|下面|这[个段句])?(?:内容|的话|话)?不[作做]记录"
            f"|{_NOT_ZH}[往朝](?:你的?|我的)?(?:长期)?(?:记忆|资料|档案|笔记|小本本?)[里中]?面?(?:存|记|写|放|加|录)",
            "可不可以不记这条",
            "能不能不加班",
        ),
        Word(
            rf"阅后即焚|(?:就|请|你)*当(?:作)?(?:我|你)?(?:从来?|什么|啥|这[句段个])*(?:都)?没(?:有)?(?:说|听"
            rf"|讲|看)(?:过|见)?$|(?:听|看|说|答|聊|回答)(?:完|过|了)(?:我|你)?(?:就|请|以后|之后)*(?:忘(?:了"
            rf"|掉|记)|算了|拉倒"
            rf"|删(?:了|掉))|左耳(?:朵)?进,?右耳(?:朵)?出"
            rf"|{_NOT_ZH}(?:放|写|记|存|加|录)(?:到|进|入)(?:你的?|我的)?(?:长期)?(?:记忆|资料|档案|笔记"
            rf"|小本本?)|(?:私下说|不入记忆|不留记录|不留痕迹?|{_NOT_ZH}留痕)",
            "你听完就忘掉吧",
            "我听完了",
        ),
    )
)
"""What a clause says: what stands beside it in the message is not to be kept."""

PAUSED = Words(
    (
        Word(
            r"^(?:ok(?:ay)?,? |please )*/?memory (?:pause|off|stop)(?= (?:til|till|until|for|now|while|please)"
            r"|$)|^(?:please )?(?:pause|stop|switch off|turn off) (?:the "
            r"|your )?memory(?: (?:please|now|for now))?$",
            "memory pause",
            "memory usage",
        ),
        Word(
            rf"\bstop (?:remembering|saving|storing|recording|keeping|logging|memori[sz]ing)(?: (?:things|stuff"
            rf"|anything"
            rf"|everything|what i say|for now|for a bit|for a while|now|please))*(?: {_HERE})?(?: (?:ok|okay"
            rf"|please))*$",
            "stop remembering for now",
            "stop remembering my address",
        ),
        Word(
            rf"\b{_NOT}(?: (?!why\b|who\b|how\b)[\w']+){{0,3}}? {_KEEP}\b.{{0,40}}?\b{_HERE}"
            rf"|^{_HERE}\b.{{0,40}}?\b{_NOT}"
            rf"(?: [\w']+){{0,3}}? {_KEEP}\b(?: {_THIS})?{_BEHIND}"
            rf"|\bnothing\b.{{0,40}}\b{_HERE}\b.{{0,30}}\b{_KEEP}|\bnothing (?:i (?:say|type|write"
            rf"|tell you) )?(?:after|from|past) (?:this|here|now)(?: \w+)? (?:sticks|stays|is kept|gets (?:kept"
            rf"|saved|stored))"
            r"|\boff the record from (?:now|here)(?: on)?",
            "don't save anything from this conversation",
            "do not save the chat log file",
        ),
        Word(
            r"\b(?:go|be|switch to|turn on|enter|start) (?:an? )?(?:incognito|private)(?: mode)?"
            r"(?= (?:on me|for|now|please|mode)|$)",
            "go incognito for now",
            "go private with the company",
        ),
        Word("(?:进入|打开|开启?|切到?|换成?)(?:一下)?(?:无痕|隐身|隐私)模式", "打开无痕模式", "打开飞行模式"),
        Word(
            rf"^(?:请|先|现在|你|麻烦){{0,4}}(?:暂停|关闭|停止)(?:一下)?(?:你的)?记忆(?:功能)?{_SOFT_ZH}$"
            rf"|^(?:你|先|请|麻烦)*+{_HERE_ZH}(?:你|您|都|请|一概|一句|一律|也|全|通通"
            rf"|统统|先|就)*(?:{_NOT_ZH}(?:往里)?{_KEEP_ZH}{_INTO_ZH}|当没听[过见]|当我没说){_SOFT_ZH}$|^(?:你"
            rf"|先|请|麻烦)*把(?:你的)?记忆(?:功能)?(?:先)?(?:停"
            rf"|关)(?:了|掉|一下)|^(?:你|先)*把(?:你的)?小?本"
            rf"(?:本|子)?(?:收|合)起?来",
            "暂停记忆",
            "记忆力不好",
        ),
    )
)
PAUSED_ALONE = Words((Word(f"^(?:你|先|请)+{_NOT_ZH}{_KEEP_ZH}{_SOFT_ZH}$", "你先别记了", "你先别记错了"),))
"""All of a message: a conversation from here on. Beside something else: that alone."""
RESUMED = Words(
    (
        Word(
            r"/?memory (?:resume|on|continue|start)|(?:please )?(?:resume|unpause|continue|switch on"
            r"|turn on) (?:the |your )?memory(?: (?:please|now|again))?"
            r"|back on the record|you (?:can|may) (?:start )?remember(?:ing)? (?:things )?again",
            "memory resume",
            "memory on my phone",
        ),
        Word(
            "(?:请|现在|你|好了|可以){0,4}(?:恢复|打开|开启|继续)(?:一下)?(?:你的)?记忆(?:功能)?(?:吧|了)?"
            "|(?:现在|又|你){0,3}可以(?:继续|重新"
            "|开始)?记(?:录)?(?:了|吧)",
            "恢复记忆",
            "恢复记忆的电影",
        ),
    )
)
"""All of a message: a conversation from here on."""

# What else a message must say for "this" to mean it, and not what was said before.
_LEAST, _LEAST_ZH = 12, 4
# A longer message says more than that.
_LONGEST_ALONE = 100
_EDGES = " \t\n.,!?;:。，！？；：~～—–-()（）"
# What a sentence may begin and end with, politely; and what stands in it by itself.
_BEGINS = re.compile(
    r"^(?:(?:hey|hi|hello|so|ok|okay|look|listen|well|btw|by the way|oh|also|actually|and|but|please|pls|just)\b[ ,]*)+"
)
_CLOSES = re.compile(r"(?:[ ,]+(?:please|pls|thanks|thank you|thx|ok|okay|alright|will you|would you|could you))+$")
_APART = re.compile(r"[,:()]|[—–]|--|\s-\s")
_BY_ITSELF = re.compile(
    r"(?:(?:this|that|it|is|strictly|completely|totally|just|and|but|all|speaking) )*off (?:the )?record"
    rf"(?: {_A_WHILE})?"
)
_FIRST_PERSON = re.compile(r"(?:\b(?:i|we)\s|[我咱]们?)$")
_SECOND_PERSON = re.compile(r"\b(?:you|u)\b|[你您]")
_LEAD = re.compile(r"[:：—–]|--|\s-\s")
# Whoever asks why, or tells what others said, asks for nothing.
_ASKED_OF_OTHERS = re.compile(
    r"\b(?:asked|asks|told|tells|warned|begged|wants|wanted) (?:\w+ )?(?:not|never)\b"
    "|(?:让|叫|要求?|请|求)(?:他|她|它|别人|大家)们?"
)
_ASKS_WHY = re.compile(
    r"^(?:why|how|what|who|when|did|do|does|are|is|have|has|if)\b|为什么|为啥|怎么|干嘛|是不是|有没有|会不会"
    r"|是否|^(?!.*(?:能|可以|行|好)).*[吗么]$"
)


def off_record(text: str) -> OffRecord | None:
    """Return what a user's message wants not to be kept, in the user's own words; None for an ordinary one.

    "Don't remember this" alone means what was said before: that is an order to forget, and none of these.
    """
    return _heard(text)[0]


def takes_back(text: str) -> bool:
    """Return whether a user's message says that something is not to be kept, and nothing else: what came before it."""
    return len(text) <= _LONGEST_ALONE and _heard(text)[1]


def _heard(text: str) -> tuple[OffRecord | None, bool]:
    """Return what a message wants not to be kept, and whether that is what was said before it."""
    own = text_to_assistant(text)
    if RESUMED.fullmatch(fold(own).strip(_EDGES)):
        return OffRecord.RESUME, False
    marks, rest = 0, 0
    pauses = is_asked = False
    for sentence in sentences_of(own):
        if _is_announced(sentence):
            # What it announces may be taken for a text of others, and be left out here.
            return OffRecord.MESSAGE, False
        for clause in clauses_of(sentence):
            plain = _bare(clause.text)
            if _asked(PAUSED, clause, plain):
                return OffRecord.PAUSE, False
            alone = _asked(PAUSED_ALONE, clause, plain)
            pauses = pauses or alone is not None
            mark = alone or _asked(MARKED, clause, plain)
            marks += mark is not None
            is_asked = is_asked or (mark is not None and not _is_own_doing(plain, mark))
            rest += len(plain) - (len(mark.group()) if mark else 0)
    least = _LEAST if own.isascii() else _LEAST_ZH
    if marks and rest >= least:
        return OffRecord.MESSAGE, False
    return (OffRecord.PAUSE, False) if pauses else (None, is_asked)


def _is_own_doing(plain: str, mark: re.Match[str]) -> bool:
    """Return whether a mark stands behind "I" alone: "I don't remember that" asks nobody for anything."""
    return _FIRST_PERSON.search(plain, 0, mark.start()) is not None and _SECOND_PERSON.search(mark.group()) is None


def _bare(text: str) -> str:
    """Return a text as the patterns see it: without greetings and thanks, in English without commas."""
    plain = _CLOSES.sub("", _BEGINS.sub("", fold(text).strip(_EDGES))).strip(_EDGES)
    return " ".join(plain.replace(",", " ").split()) if plain.isascii() else plain


def _is_announced(sentence: str) -> bool:
    """Return whether a sentence says by itself that it is off the record: before a colon, or at either end."""
    folded = fold(sentence)
    lead = _LEAD.split(folded, maxsplit=1)
    if len(lead) > 1 and any(MARKED.search(_bare(one)) for one in (lead[0], lead[0].rpartition(",")[2])):
        return True
    parts = [bare for one in _APART.split(folded) if (bare := _bare(one))]
    return len(parts) > 1 and any(_BY_ITSELF.fullmatch(one) for one in (parts[0], parts[-1]))


def _asked(words: Words, clause: Clause, plain: str) -> re.Match[str] | None:
    """Return where a clause asks the assistant for what some words ask for; ``plain`` is its folded text."""
    found = words.search(plain)
    if (
        found is None
        or clause.act is Act.GUESSES
        or _ASKED_OF_OTHERS.search(plain)
        or (_ASKS_WHY.search(plain) and clause.act is Act.ASKS)
    ):
        return None
    return None if clause.act is Act.REPORTS and found.start() else found
