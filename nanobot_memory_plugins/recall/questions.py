"""Questions that memory may answer although no word points at the past: about people, the user, or the agent.

Text is simplified Chinese or English, with its own case: a name in English begins with a capital letter.
"""

import re

from nanobot_memory_plugins.core.text import reading_of

# Looked at only so far: longer texts are no questions of one sentence.
_LONGEST_QUESTION = 300

_BARE_NAME = r"(?!(?:I|The|This|That|There|It|Python|Java|God)\b)[A-Z][a-z]+"
_NAME = rf"{_BARE_NAME}(?:['’]s)?"
_PERSON = r"(?:i|we|he|she|they|my|our|their|mine|ours|his|her|hers|theirs)"
_ENGLISH = re.compile(
    # What did Caroline research? Would Ann like it? How long has Mel been married?
    rf"\b(?i:did|does|has|had|have|was|were|would|might) {_NAME}\b"
    # What is Caroline's identity? Is Ann coming?
    rf"|\b(?i:is|are|what['’]s|who['’]s) {_NAME}['’]s\b|\b(?i:is|are) [A-Z][a-z]+ \w+ing\b"
    # What do Melanie's kids like? What kind of school is it that Ann is considering?
    rf"|(?<=[a-z] ){_BARE_NAME}(?:['’]s\b| (?i:is|was|has|had) [a-z]+(?:ing|ed)\b)"
    # Did you say so? What have you found?
    r"|\b(?i:did|have|had|were) you\b(?! (?i:ever heard|heard of|know))"
)
_ENGLISH_PERSON = re.compile(rf"\b{_PERSON}\b", re.IGNORECASE)
# How do I reverse a list? Can I ...: what anybody could ask.
_ANYBODY = re.compile(
    r"\b(?:how (?:do|can|could|should|would|might) (?:i|we)|(?:can|could|may|should|shall) (?:i|we)|"
    r"(?:if|when|after|before) (?:i|we)|i (?:want|need|would like|have a question)|i['’](?:d|m|ll|ve)|"
    r"(?:help|tell|give|show|teach|write|explain to|let) (?:me|us))\b",
    re.IGNORECASE,
)
_TELL = re.compile(r"\btell me about\b|讲讲|说说|介绍", re.IGNORECASE)

_CHINESE_PERSON = re.compile("我|咱|他|她|你(?:[^，。？?]{0,8}[了过])")
_CHINESE_ANYBODY = re.compile(
    "(?:帮|给|教|告诉|跟|和|替|为|让|请|陪)(?:一下)?我们?|我们?(?:该|应该|想|要|需要|如何|怎么|可以|有个问题)|其他|吉他|他们说"
)
# 小李买了什么车？ 是在哪天定下来的？
_CHINESE_PAST = re.compile(
    "[了过](?:什么|啥|哪|谁|几|多少|多久)|是(?:在|从)?(?:什么时候|哪[天年月里儿]|几号)[^，。？?]{1,12}的"
)


def is_personal(text: str) -> bool:
    """Return whether a text asks about somebody's life, or about what the user and the agent did."""
    if len(text) > _LONGEST_QUESTION or not (_TELL.search(text) or reading_of(text).asks):
        return False
    rest = _CHINESE_ANYBODY.sub("", text)
    if _CHINESE_PERSON.search(rest) or _CHINESE_PAST.search(rest):
        return True
    return bool(_ENGLISH.search(text) or _ENGLISH_PERSON.search(_ANYBODY.sub("", text)))
