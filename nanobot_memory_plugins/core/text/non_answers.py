"""Answers that know nothing: the assistant was never told, has no record of it, or cannot recall it."""

from nanobot_memory_plugins.core.text.acts import Act
from nanobot_memory_plugins.core.text.clauses import fold
from nanobot_memory_plugins.core.text.reading import reading_of
from nanobot_memory_plugins.core.text.words import LazyPattern, Word, Words

# An answer that knows nothing is short; a longer one goes on to say something.
_LONGEST = 240
_NOT = r"(?:do not|don't|did not|didn't|cannot|can not|can't|could not|couldn't|have not|haven't|am not|'m not)"
_NOW = r"(?: (?:actually|really|currently|yet|quite|unfortunately|yet to|ever|even))*"

NON_ANSWERS = Words(
    (
        Word(
            rf"\bi {_NOT}{_NOW} (?:know(?! (?:an?|any|of an?) better)|recall|remember|able to (?:recall|find|see)"
            rf"|say|tell|sure|certain|aware"
            r"|(?:find|found|see|seen) (?:any|anything|a|that|it)\b|been told)",
            "i do not know where it is.",
            "he does not know me",
        ),
        Word(
            rf"\b(?:i {_NOT}{_NOW} have|i have no|i've no|i lack|there (?:is|was) no|there's no|no|any|without)"
            r" (?:any |such |that |this |the |much |other )*"
            r"(?:information|records?|idea|memory|recollection|notes?|details|mention|entry|entries)\b"
            r"(?= (?:of|about|on|for|that|in)\b|[^\w]*$|[.,!?;])",
            "i have no record of that.",
            "no details were changed in the plan",
        ),
        Word(
            r"\byou (?:have not|haven't|never|did not|didn't|have never|have yet to|'ve never)"
            rf"{_NOW} (?:told|tell|mention(?:ed)?|shared?|said|say|given|give|specif(?:y|ied))\b"
            r"|\b(?:something|anything|nothing)(?: that)? you(?:'ve| have)? (?:told|mentioned|shared)",
            "you have not mentioned it.",
            "you told me on monday",
        ),
        Word(
            r"\b(?:has not|hasn't|have not|haven't|never) (?:come|came|been mentioned)(?: up)?\b"
            r"|\bwe (?:have not|haven't|never|have never|did not|didn't)"
            rf"{_NOW} (?:talk(?:ed)?|discuss(?:ed)?|spoken|speak|cover(?:ed)?(?= (?:that|it|this)))\b",
            "we haven't talked about that.",
            "we never sleep",
        ),
        Word(
            r"\b(?:there is|there's|i (?:see|find|have)|i can (?:see|find)) nothing\b"
            r"|\bnothing (?:about|on) [^.!?]{1,60} in (?:my|our|the)\b|\bnot that i know\b|\bno idea\b|\bi'm unsure\b"
            r"|\bnever told me\b",
            "there's nothing in my notes about it.",
            "nothing beats tea",
        ),
        Word(
            "我(?:这里|这边|目前|现在|暂时|还|也|并|可能|真的?|确实|对此|恐怕|的?记[录忆]里?)*"
            "(?:不(?:太)?(?:知道|清楚|了解|记得|确定|晓得)|记不(?:得|清)|没有?(?:找到|查到|任何|相关|这|那|[你您]"
            "|关于|听[你您]|印象|保存)"
            "|查不到|找不到|想不起|无法(?:得知|确定|查|回[答忆]))|没有?印象",
            "我不清楚，你没有告诉过我。",
            "他不知道我们来",
        ),
        Word(
            "[你您](?:好像|似乎|之前|以前|还|从来?|并)*(?:没有?|未)(?:曾经?|跟我|和我|对我|向我|在这里)*(?:告诉|提"
            "|说|讲|透露|提供|分享|聊)",
            "您之前没说过这个",
            "你说没有问题",
        ),
        Word(
            "(?:没有?|暂无|查无|未)(?:找到|查到|保存|记录)?(?:任何|相关|这方面|这个|这[笔条]|该|此类|关于"
            "|的)+[^,。!?]{0,12}"
            "(?:记录|信息|资料|记忆|内容|数据)|(?:没有?|还没)(?:聊|谈|提)[过到]",
            "暂时没有这方面的资料",
            "资料没有问题",
        ),
    )
)
"""With which an answer says that it knows nothing."""
_BUT = LazyPattern(r"\b(?:but|however|although|though|still)\b|但是?|不过|可是|只(?:知道|记得|说|有)")
# What an answer that knows nothing goes on with: an offer, or where else one might look.
_OFFER = LazyPattern(
    r"\b(?:if|could|can|would|should|may|might|let me|i'd|i'll|happy to|please|maybe|perhaps)\b"
    r"|如果|要是|可以|能|麻烦|请|告诉|建议|也许|可能"
)


def knows_nothing(text: str) -> bool:
    """Return whether an answer says that it does not know, and nothing that it does."""
    folded = fold(text)
    return len(text) <= _LONGEST and NON_ANSWERS.search(folded) is not None and not tells_besides(text)


def tells_besides(text: str) -> bool:
    """Return whether an answer that does not know tells something all the same: "..., but it begins with a 4"."""
    found = _BUT.search(fold(text))
    if found is None:
        return False
    rest = text[found.end() :]
    stated = (one.text for one in reading_of(rest).clauses if one.act in (Act.STATES, Act.REPORTS))
    return any(not _OFFER.search(one := fold(clause)) and not NON_ANSWERS.search(one) for clause in stated)
