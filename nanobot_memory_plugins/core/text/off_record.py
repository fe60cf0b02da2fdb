"""What people say so that something is not kept: of a message, or of a conversation from here on."""

from enum import StrEnum

from nanobot_memory_plugins.core.text.acts import Act, clauses_of
from nanobot_memory_plugins.core.text.authored import text_to_assistant
from nanobot_memory_plugins.core.text.clauses import fold
from nanobot_memory_plugins.core.text.sentences import sentences_of
from nanobot_memory_plugins.core.text.words import LazyPattern, Word, Words, any_of


class OffRecord(StrEnum):
    """What is not to be kept."""

    MESSAGE = "message"
    PAUSE = "pause"
    RESUME = "resume"


_KEEP = r"(?:remember|save|store|keep|record|log|note|memori[sz]e|write|put|retain)"
_THIS = (
    r"(?:this|that|it|any of (?:this|it|that)|the following|what follows|this (?:message|part|bit|one|next part)"
    r"|what i(?:'m| am) (?:about to|going to) (?:say|tell you))"
)
_KEEP_ZH = "(?:记住|记下来?|记录|记|保存|存下来?|存|写下来?|留底|留记录|录)"
_THIS_ZH = (
    "(?:这个|这条(?:消息|信息)?|这段(?:话)?|这句(?:话)?|这件事|这些|这话|下面(?:的话|的内容|这段)?|以下(?:内容)?"
    "|接下来这[句段](?:话)?)"
)

MARKED = Words(
    (
        Word(
            rf"(?:(?:please|pls|just|and|but|so|also|by the way|btw) )*(?:don'?t|do not|never|you (?:must not"
            rf"|mustn'?t|shouldn'?t|should not)) {_KEEP} {_THIS}"
            r"(?: (?:down|anywhere|please|ok|okay|in your memory|to (?:your )?memory|on record|for later|at all"
            r"|though))*",
            "don't remember this",
            "don't remember this film",
        ),
        Word(
            r"(?:(?:this|that|it|the following|what follows|now|strictly|just|and|but|so|is|stays|keep (?:this"
            r"|that|it)|completely|totally|all|(?:this|that) (?:part|bit)) )*off the record(?: (?:please|ok"
            r"|okay|though|between us))*",
            "this is off the record",
            "an off the record player",
        ),
        Word(
            rf"(?:{_THIS_ZH},?)?(?:请|麻烦|就|也|都|你|千万)*(?:别|不要|不用|甭|勿|不许|唔好){_KEEP_ZH}(?:{_THIS_ZH}|下来|了|哦|啊|吧|哈|住"
            rf"|它|到记忆里)*|{_THIS_ZH}?(?:私下说|不入记忆|不留记录|不要留痕)",
            "这个别记",
            "别记错了",
        ),
    )
)
"""All of a clause: what stands beside it in the message is not to be kept."""

PAUSED = Words(
    (
        Word(
            r"/?memory (?:pause|off|stop)|(?:please )?(?:pause|stop|switch off|turn off) (?:the "
            r"|your )?memory(?: (?:please|now|for now))?",
            "memory pause",
            "memory usage",
        ),
        Word(
            r"(?:please )?(?:stop remembering(?: (?:things|anything|for now|this (?:chat|conversation"
            r"|session)))?|(?:don'?t|do not) (?:remember|save|store|keep|record)"
            r" (?:(?:anything|any) (?:of|from|in) |the rest of )?(?:this|our|the) (?:chat|conversation|session)"
            r"|off the record from (?:now|here)(?: on)?)",
            "stop remembering for now",
            "stop remembering my address",
        ),
        Word(
            "(?:请|先|现在|你|麻烦){0,4}(?:暂停|关闭|停止)(?:一下)?(?:你的)?记忆(?:功能)?|你?(?:先|这次|这次(?:聊天|对话)|接下来(?:的话|的内容)?|从现在起)(?:都|请"
            "|你)*(?:别|不要|不用)(?:记录?|保存|存)(?:了|下来)?",
            "暂停记忆",
            "记忆力不好",
        ),
    )
)
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
            "(?:请|现在|你|好了|可以){0,4}(?:恢复|打开|开启|继续)(?:一下)?(?:你的)?记忆(?:功能)?(?:吧|了)?|(?:现在|又|你){0,3}可以(?:继续|重新"
            "|开始)?记(?:录)?(?:了|吧)",
            "恢复记忆",
            "恢复记忆的电影",
        ),
    )
)
"""All of a message: a conversation from here on."""

# What else a message must say for "this" to mean it, and not what was said before.
_LEAST, _LEAST_ZH = 12, 4
_EDGES = " \t\n.,!;:。，！；：~～—–-()（）"
_LEAD = LazyPattern(rf"(?:{any_of(MARKED)})\s*[:,—–-]")


def off_record(text: str) -> OffRecord | None:
    """Return what a user's message wants not to be kept, in the user's own words; None for an ordinary one.

    "Don't remember this" alone means what was said before: that is an order to forget, and none of these.
    """
    own = text_to_assistant(text)
    whole = fold(own).strip(_EDGES)
    if PAUSED.fullmatch(whole):
        return OffRecord.PAUSE
    if RESUMED.fullmatch(whole):
        return OffRecord.RESUME
    marks, rest = 0, 0
    for sentence in sentences_of(own):
        if _LEAD.match(fold(sentence)):
            return OffRecord.MESSAGE
        for clause in clauses_of(sentence):
            if clause.act in (Act.REQUESTS, Act.STATES) and MARKED.fullmatch(fold(clause.text).strip(_EDGES)):
                marks += 1
            else:
                rest += len(clause.text.strip(_EDGES))
    least = _LEAST if own.isascii() else _LEAST_ZH
    return OffRecord.MESSAGE if marks and rest >= least else None
