"""Acknowledgements: answers that only say that they have heard, with the good wishes that come with it."""

from nanobot_memory_plugins.core.text.clauses import core_of, fold
from nanobot_memory_plugins.core.text.questions import asks_by_a_word
from nanobot_memory_plugins.core.text.reading import reading_of
from nanobot_memory_plugins.core.text.words import LazyPattern, Word, Words

# A longer answer says something.
_LONGEST = 120
_WHAT = LazyPattern(r"(?:do you (?:know|remember|recall) )?(?:what|why|how|when|where|who|whom|whose|which)\b")
_HOW = (
    r"(?:good|great|nice|lovely|wonderful|brilliant|fantastic|awesome|excellent|amazing|exciting|annoying|terrible|sad"
    r"|a (?:pity|shame|relief)|(?:great|good|bad|lovely|wonderful) (?:news|idea)|fine|perfect|fun|rough|tough|sweet)"
)

ACKNOWLEDGEMENTS = Words(
    (
        Word(
            r"\b(?:(?:i have|i've|i'll|i will|i am|i'm|it is|it's|that is|that's|this is|duly|all|now|just|have)"
            r" (?:got )?){0,3}"
            r"(?:noted|got it|gotcha|understood|will do|made a note|remember(?:ed)?|keep (?:that|it|this) in mind"
            r"|sav(?:ed?|ing)|updated?|corrected|recorded|changed|fixed|done|set|(?:that|it|this) down"
            r"|(?:written|wrote|writing|taken|jotted) (?:that|it|this) down)"
            r"(?: (?:of )?(?:that|it|this))?(?: down)?"
            r"(?: for (?:you|later|(?:the )?(?:next time|future)))?(?: from now on)?\b(?! (?:that|the|my|your|an?)\b)",
            "ok, i'll keep that in mind.",
            "remember that the code is quillwort.",
        ),
        Word(
            r"\b(?:thanks?|thank you)(?: so much| a lot| very much)?(?: for (?:telling me|letting me know|sharing"
            r"|(?:the|this|that) (?:update|info|information|correction|reminder|details|heads-up)|confirming"
            r"|clarifying|asking|checking|your patience))?\b(?! (?:to|for)\b)",
            "thanks for the update",
            "thanks to the grant it opens in may",
        ),
        Word(
            r"\b(?:glad|happy|good|sorry|great) to (?:help|hear|know)(?: (?:it|that|so))?\b(?! (?:the|your|my|an?)\b)"
            r"|\bgood luck\b(?! (?:charm|in|with|at|on)\b)|\bsafe (?:trip|travels|journey)\b|\btake care\b"
            r"|\bhave (?:fun|an? (?:good|great|nice|lovely|safe) (?:day|time|evening|weekend|trip|flight))\b",
            "glad to help!",
            "a good luck charm of jade",
        ),
        Word(
            r"\b(?:ok(?:ay)?|sure(?: thing)?|al(?:l )?right|right|yes|yeah|yep|roger(?: that)?|copy that|of course"
            r"|certainly|absolutely|definitely|perfect|great|good|nice|lovely|brilliant|fantastic|wonderful|awesome"
            r"|excellent|amazing|cool|congratulations|congrats|well done|cheers|enjoy|oh no|wow|makes sense"
            r"|(?:you are|you're)(?: very| most)? welcome|my pleasure|any ?time|no (?:problem|worries))\b",
            "sure thing!",
            "it is around the corner",
        ),
        Word(
            rf"\b(?:(?:that|this|it)(?:'s| is| was| sounds| makes)|how|sounds) (?:really |so |very "
            rf"|all )?(?:{_HOW}|sense)\b"
            r"(?! (?:for|because|since|as|to)\b)"
            r"|\bwhat (?:a|an|lovely|great|good|wonderful|sad) (?:shame|pity|moment|day|news|idea|relief)\b",
            "that's annoying.",
            "it is great because the oven is new",
        ),
        Word(
            r"\b(?:that's |it's |how |very |so |too |most )*"
            r"(?:kind|sweet|thoughtful|generous|funny|hilarious|true|clever)"
            r"(?: of (?:you|them))?\b(?! (?:of|to|for|\w+ing)\b)|\b(?:ha(?: ?ha)*|he(?:he)+|lol|lmao)\b"
            r"|\b(?:i )?love (?:it|that)\b|\byou(?:'re| are) (?:the best|a (?:star|gem|legend|lifesaver))\b",
            "ha, very kind of you",
            "a kind of moss",
        ),
        Word(
            r"\b(?:just )?let me know if [^.!?]{0,60}|\bfeel free to (?:ask|reach out)[^.!?]{0,40}"
            r"|\b(?:is there )?(?:anything|something) else(?: i can (?:do|help with)(?: for you)?)?"
            r"|\bi'm here if [^.!?]{0,40}|\bhow (?:can|may) i help(?: you)?(?: today)?",
            "let me know if you need more.",
            "let me know the date",
        ),
        Word(
            "(?:(?:好[的嘞吧]?|行|嗯+|收到|可以|当然|没错|没问题|了解)[,。!~ ]*)+(?![一-鿿])"
            "|(?:我|这就|马上|已经?|都|会|全都?|再|[帮替为给]?[你您])*"
            "(?:记下|记住|记录|记好|了解|知道|明白|收到|更新|保存|修改|改好|调整|注意|留意|照做)"
            "(?:了|啦|的|来|好|下|住|这[个件一]?[点事条]?|[你您]的?|要求|偏好|话|信息|需求|情况|[ ,。!~])*(?![一-鿿])",
            "好的，已经记下了。",
            "卡记住你吃素",
        ),
        Word(
            "(?:如果|若|要是)?(?:还)?有(?:什么|任何|其他)?(?:需要|问题)[,的话]*(?:请|再|可以|都可以)*(?:随时|叫|找"
            "|问|告诉|联系|和|跟)+我?(?:说|联系|帮忙)?"
            "(?:吧|哦|就行|即可)?|随时(?:找|叫|问|告诉)我|不(?:用)?(?:客气|谢)|那就好|原来如此|恭喜(?:恭喜|[你您])?"
            "|加油|祝(?:[你您])?(?:一切)?(?:顺利|好运|成功|愉快|开心)(?![一-鿿])"
            "|(?:真|太|很)(?:是)?(?:好|棒|不错|可爱|厉害|可惜|遗憾)(?:了|啊|呀)?(?![一-鿿])"
            "|(?:听起来|听上去|这|那)?(?:真|很|挺)?(?:不错|很棒|很好|有趣)(?![一-鿿])|辛苦了|别担心",
            "有需要随时找我。",
            "真好吃",
        ),
        Word(
            "哈{2,}|嘿{2,}|笑死我?了?|(?:太|很|真|好)(?:真实|对|逗|搞笑|好笑|有意思|贴心|暖心|厉害|美|有才)(?:了|啊|呀)?(?![一-鿿])"
            "|说得?(?:对|好|太对了)(?![一-鿿])|有道理(?![一-鿿])"
            "|(?:谢谢|感谢|多谢)(?:[你您]的?)?(?:夸奖|喜欢|理解|关心|提醒|支持)?(?![一-鿿])",
            "哈哈哈太真实了",
            "很美的花园",
        ),
    )
)
"""What is left out of an answer to see whether it says more than that it has heard."""
_FILLERS = Words(
    (
        Word(r"\b(?:and|so|then|now|oh|ah|well|very|really|much|again|you|it|that|this|to|as always)\b", "oh", "ohm"),
        Word("[我你您了啊吧呢呀的,也就]", "啊", "阿"),
    )
)


def is_acknowledgement(text: str, asked: str = "") -> bool:
    """Return whether a text says that it has heard, and nothing else ("OK, noted.", "好的，记下了").

    Behind a question it may say yes: it is one only where what was ``asked`` wants more than that.
    """
    if len(text) > _LONGEST or (asked and not _wants_more_than_yes(asked)):
        return False
    left = folded = fold(text)
    for kind in (ACKNOWLEDGEMENTS, _FILLERS):
        left = kind.latin.sub(" ", kind.chinese.sub(" ", left))
        if left == folded:
            return False
    return not any(map(str.isalnum, left))


def _wants_more_than_yes(asked: str) -> bool:
    """Return whether a question, or its last clause, asks what, who or where."""
    clauses = reading_of(asked).clauses
    folded = fold(clauses[-1].text if clauses else asked)
    return _WHAT.match(folded, core_of(folded, 0)) is not None or asks_by_a_word(folded)
