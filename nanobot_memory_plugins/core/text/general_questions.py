"""General questions: about things at large ("how does a steam engine work?"), not about anybody's own.

They speak of a kind, or of what there is one of in the world. A person, a thing that is pointed at, a name inside the
sentence, what was, and what is now make a question somebody's.
"""

import re
import unicodedata

from nanobot_memory_plugins.core.text.clauses import fold
from nanobot_memory_plugins.core.text.words import LazyPattern, Word, Words

# A longer text says more than a question of one sentence.
_LONGEST = 160

_NOT_POINTED = r"(?!(?:the|this|that|these|those|on|in|for|there|left|next|new|up|wrong|good)\b)"
_OF_THE_WORLD = r"(?!(?:the (?!world|universe|earth|sun|moon|sea|sky)|this\b|that\b|these\b|those\b))"
GENERAL = Words(
    (
        Word(
            rf"(?:how|why) (?:do|does|is|are|can) (?:an? )?{_NOT_POINTED}[a-z-]+",
            "how does a steam engine work?",
            "how does the boiler work?",
        ),
        Word(
            rf"what(?:'s| is| are) (?:an? )?{_NOT_POINTED}[a-z-]+(?: [a-z-]+){{0,3}}\W*$",
            "what is quantum tunnelling?",
            "what is on the list?",
        ),
        Word(
            rf"what(?:'s| is| are| was) the (?:[a-z-]+ ){{1,3}}?(?:of|between) {_OF_THE_WORLD}",
            "what is the boiling point of nitrogen?",
            "what is the colour of the van?",
        ),
        Word(
            r"what causes?\b|who (?:invented|wrote|painted|discovered|composed)\b"
            r"|what (?:does|do) (?:an? )?[a-z' -]{2,30} stand for\b",
            "who discovered penicillin?",
            "who fixed the boiler?",
        ),
        Word(
            r"how (?:many|much) [a-z-]+ (?:(?:are|is)(?: there)? in|do|does|make|have) (?:an? |one )?(?!the\b)[a-z]+"
            r"|how (?:far|big|old|tall|long|high|deep|hot|heavy|fast) (?:is|are|do|does|can) (?:an? )?"
            r"(?!the (?!moon|sun|earth)|this|that)[a-z-]+",
            "how many litres are in a gallon?",
            "how long is the boat?",
        ),
        Word(
            "什么是|(?:是|叫)什么(?:意思|原理)|怎么(?:回事|形成|来的|产生)|为(?:什么|啥|何)|谁(?:发明|发现)"
            "|的?(?:作者|首都|原理|定义|发明者|由来|区别)(?:是|有)(?:谁|什么|啥|哪)|[0-9一]年有(?:多少|几)",
            "打雷的时候为什么先看到闪电？",
            "打雷的时候做什么好？",
        ),
    )
)
"""A question about a kind of thing, or about what there is one of."""
_LEAD = LazyPattern(r"\W*(?:(?:and|so|hey|hi|ok|okay|please|explain|(?:can you )?tell me)\b\W*)*+")
_SOMEBODY_S = LazyPattern(
    r"\b(?:i|we|me|us|my|our|mine|ours|you|your|he|she|they|him|her|his|hers|them|their|it|its|did|had|does he"
    r"|yesterday|today|tonight|tomorrow|now|still|again|currently|this|last|next)\b"
    "|[我咱你您他她它们这那了过昨该家刚]|当时|之前|上次|现在|最后|今天|明天|后来|没有?[去做买用选]|要不要|不(?:用|去|选|买|要)"
)
_NAMED_INSIDE = re.compile(r"[a-z,] [A-Z][a-z]")


def is_general_question(text: str) -> bool:
    """Return whether a text asks about things at large. Never raises."""
    said = text.strip()
    if len(said) > _LONGEST or "\n" in said or _NAMED_INSIDE.search(said):
        return False
    plain = fold(unicodedata.normalize("NFKC", said))
    if _SOMEBODY_S.search(plain):
        return False
    if GENERAL.chinese.search(plain):
        return True
    lead = _LEAD.match(plain)
    return GENERAL.latin.match(plain[lead.end() if lead is not None else 0 :]) is not None
