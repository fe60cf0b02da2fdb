"""Pleasantries: greetings, thanks, and words that only keep a conversation going. They say nothing of their author."""

from nanobot_memory_plugins.core.text.clauses import fold
from nanobot_memory_plugins.core.text.languages import languages_of
from nanobot_memory_plugins.core.text.words import Word, Words

# A longer text says something.
_LONGEST = 120

PLEASANTRIES = Words(
    (
        Word(r"\b(?:hi+|hello|hey+|yo|hiya|morning|evening|bye|goodbye|see (?:you|ya)|cheers|welcome)\b", "hi!", "hip"),
        Word(
            r"\b(?:thanks?|thank you|thx|ty|so much|a lot|very much|many|you're|no problem|no worries|take care)\b",
            "thanks a lot",
            "thankless",
        ),
        Word(
            r"\b(?:ok(?:ay)?|yes|yeah|yep|yup|no|nope|nah|sure|right|alright|fine|done|great|good|nice|perfect|cool"
            r"|awesome|wonderful|lovely|excellent|got it|i see|understood|well done|sounds|that's|makes sense|exactly"
            r"|i'm (?:good|fine|ok(?:ay)?|great|well|back|here|done)|how are you|how's it going|haha+|lol|hm+|ah+|oh"
            r"|wow)\b",
            "ok, great",
            "okra",
        ),
        Word(
            r"\b(?:please|go on|go ahead|do it|continue|next|more|again|stop|wait|test(?:ing)?|exit|quit|help|then|now"
            r"|and|the|there|all|it|you|day|night|later|tomorrow|one|first|second|a|b|c)\b",
            "go on, please",
            "goo",
        ),
        Word(
            "你好|您好|哈喽|大家好|在吗|早安|早上好|上午好|中午好|下午好|晚上好|晚安|再见|拜拜|回头见|嗨|早(?![饭餐])",
            "早上好",
            "早饭",
        ),
        Word("谢谢|多谢|感谢|谢[啦了]|非常|辛苦了?|不客气|不用谢|不用了?|没事|没关系|麻烦了", "谢谢您", "谢绝"),
        Word(
            "好[的吧啊呀嘞]?|嗯+|是的|没错|对的?|收到|知道了?|明白了?|懂了|太[好棒]了|真棒|不错|很好|厉害|哈+|可以|行|继续|下一个|哦|噢",
            "好的，明白了",
            "号",
        ),
        Word("[你您了啊吧呢呀吗的]", "你", "他"),
    )
)
"""What is left out of a message to see whether it says anything."""


def is_pleasantry(text: str) -> bool:
    """Whether a text is pleasantries and nothing else ("ok, thanks!", "好的，谢谢"); digits say nothing either."""
    if len(text) > _LONGEST:
        return False
    left = PLEASANTRIES.latin.sub(" ", PLEASANTRIES.chinese.sub(" ", fold(text)))
    if not any(character.isalpha() for character in left):
        return True
    for language in languages_of(text):
        left = language.small_talk_words.sub(" ", left)
    return not any(character.isalpha() for character in left)
