"""Questions for the profile: "what do you know about me?", or about somebody."""

from nanobot_memory_plugins.core.text import RELATION_ZH, LazyPattern, Word, Words, fold

# Characters of a message that asks for one.
_LONGEST = 120
_NAME = r"[^\s,.;:!?][^,.;:!?]{0,40}?"
_KNOW = (
    r"(?:know|remember|recall|have (?:stored|learned|learnt|kept|saved|noted|remembered|in your memory|on file|down)"
    r"|(?:'ve|have) (?:got )?in your memory|(?:have )?stored?|saved?|keep|have)"
)
_LEAD = r"^(?:(?:so|hey|hi|hello|ok|okay|and|now|well|please|who am i|by the way|btw)\b[, ?]*){0,3}"
_ASKED = r"(?:(?:can|could|would|will) you )?(?:please )?(?:(?:tell|show|give) me |list |say )"
_THINGS = r"(?:facts?|information|info|data|details|things|stuff|memories|notes)"
_SO_FAR = r"(?:,? (?:so far|(?:right |by )?now|at the moment|already|please|today))*"
_END = rf"{_SO_FAR}\W*$"
_KNOW_ZH = "(?:知道|记得|了解|记住|记下|保存|存下|存|收集|掌握|记录|记(?!忆))(?:了|到|过|的|着)?"
_WHAT_ZH = "(?:什么|哪些|多少|啥|些什么|些啥|哪几件)(?:事情?|东西|信息|资料|内容|记忆)?"
_LEAD_ZH = (
    r"^\W*(?:那|所以|对了|请问|你认识我吗)?[,，]?(?:请|你)?(?:(?:告诉|跟)我(?:说说)?|说说|列出|说一?下|讲讲)?(?:看)?"
)
_ME = frozenset({"me", "myself", "我", "我们"})
# ``about`` is in one group of each: the first that is there.
_ASKS = Words(
    (
        Word(
            rf"{_LEAD}(?:what|{_ASKED}(?:what|everything|all))(?: else| all)? (?:do |did )?you"
            rf" (?:really |actually |still |all |already )?{_KNOW}(?: so far)? (?:about|of|on) ({_NAME}){_END}",
            "what do you know about me?",
            "what do you know about me and taxes in spain, and how do i file them?",
        ),
        Word(
            rf"{_LEAD}what have you (?:got|stored|learned|learnt|kept|remembered|saved|noted|found out|collected)"
            rf"(?: so far)? (?:about|of|on) ({_NAME}){_END}",
            "what have you stored about me",
            "what have you stored in the file",
        ),
        Word(
            rf"{_LEAD}(?:what|which) {_THINGS} (?:do|did|have) you (?:already |still )?(?:know|have|remember(?:ed)?"
            rf"|keep|kept|stored?|saved?|got|collected)(?: stored| saved)?(?: so far)? (?:about|on|of) ({_NAME}){_END}",
            "what information do you have about me?",
            "what information do you need about me?",
        ),
        Word(
            rf"{_LEAD}do you (?:still )?(?:know|remember|have) (?:anything|something) (?:about|on) ({_NAME}){_END}"
            rf"|{_LEAD}what(?:'s| is| are) (?:in your memory|stored|saved|known|on file|(?:your|the) (?:memories"
            rf"|notes)) (?:about|on|of) ({_NAME}){_END}",
            "do you know anything about me?",
            "do you know anyone like me?",
        ),
        Word(
            rf"{_LEAD}(?:{_ASKED})?(?:an? )?(?:summary of |summari[sz]e )(?:what|everything|all)"
            rf" you (?:know|remember|have stored) (?:about|of|on) ({_NAME}){_END}",
            "summarise what you know about me",
            "summarise what i know about it",
        ),
        Word(
            rf"{_LEAD_ZH}你?(?:都|还|现在|目前|已经)*{_KNOW_ZH}(?:关于)?({_NAME})的?{_WHAT_ZH}(?:吗|呢)?\W*$",
            "你都记得我什么?",
            "你知道几点了",
        ),
        Word(
            rf"{_LEAD_ZH}(?:关于|对于?)({_NAME})[,，]?(?:的事[,，]?)?你?(?:都|还|现在|目前|已经)*{_KNOW_ZH}{_WHAT_ZH}\W*$",
            "关于小李你都知道什么?",
            "关于小李的事我们明天再说",
        ),
        Word(
            rf"{_LEAD_ZH}你(?:对于?|关于)({_NAME})(?:都|还|现在|目前)*(?:{_KNOW_ZH}{_WHAT_ZH}|有{_WHAT_ZH}(?:了解|记忆|印象|认识))\W*$",
            "你对我了解多少?",
            "你对我说了什么?",
        ),
        Word(
            rf"{_LEAD_ZH}你?(?:的)?(?:记忆|脑子|笔记|记录)(?:里|中|库里)?(?:面)?(?:都|还|现在)*有(?:关于)?({_NAME})的?{_WHAT_ZH}\W*$"
            rf"|{_LEAD_ZH}你(?:都|还|现在)*有({_NAME})的{_WHAT_ZH}\W*$"
            rf"|^\W*(?:请|你)?(?:列出|说说|告诉我|把)?你(?:所)?{_KNOW_ZH}(?:关于)?({_NAME})的(?:一切|所有(?:事情?|信息)?|事情?|全部)(?:都(?:说|列)(?:一下|出来)?)?\W*$",
            "你的记忆里有关于我的什么?",
            "你的记忆里有空间吗",
        ),
    )
)


# "Me and taxes" is a topic, and 我喜欢 of 你还记得我喜欢什么吗 a clause: neither is a person.
_NOBODY = LazyPattern(
    rf"^(?:me|myself) (?:and|or|that|who|in|on|from)\b|^我们?+(?!$|家|的|{RELATION_ZH.pattern})|[几怎]"
    "|[^我](?:喜欢|讨厌|想要|说|住在|爱吃)"
)


def asked_about(text: str) -> str | None:
    """Return of whom a message asks what is known: a name, nothing for the user, None where it asks nothing of it."""
    plain = text.strip()
    found = _ASKS.search(fold(plain)) if len(plain) <= _LONGEST else None
    if found is None:
        return None
    place = next(number for number, group in enumerate(found.groups(), 1) if group)
    about = plain[found.start(place) : found.end(place)].strip()
    if _NOBODY.search(fold(about)):
        return None
    return "" if fold(about) in _ME else about
