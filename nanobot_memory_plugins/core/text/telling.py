"""Texts that ask for something and tell nothing."""

from nanobot_memory_plugins.core.text.acts import Act
from nanobot_memory_plugins.core.text.clauses import fold
from nanobot_memory_plugins.core.text.imagined import JOKES, PRETENDED
from nanobot_memory_plugins.core.text.questions import ENDING
from nanobot_memory_plugins.core.text.reading import reading_of
from nanobot_memory_plugins.core.text.wishes import holds_wish
from nanobot_memory_plugins.core.text.words import LazyPattern

# What of a text is read.
_LOOKED_THROUGH = 600
# Who writes no mark at the end of a question asks in few words: so many in Chinese at most, and else.
_UNMARKED_CHINESE, _UNMARKED = 30, 100
_CHINESE = LazyPattern("[\u3400-\u9fff]")

_TELL_ME = LazyPattern(
    r"(?:(?:can|could|would|will) you |please |pls |hey |and )*"
    r"(?:tell|remind|show|give) me (?!to\b|that\b|when i\b|about (?:it )?(?:tomorrow|later)\b|(?:on|at|in|every"
    r"|next)\b)"
    r"|(?:请|麻烦|帮我?|再|快|你|您)*(?:告诉我|提醒我一下|帮我(?:看看|查查|想想|回忆))(?=.*(?:什么|啥|哪|谁|几"
    r"|多少|怎|吗))"
)
# With which one begins to ask.
_PREFACE = LazyPattern(
    r"(?:(?:hey|hi|hello|sorry|thanks?|thank you|ok(?:ay)?|so|um|btw|by the way|(?:a )?quick (?:q|question|one)"
    r"|(?:just )?(?:wondering|curious|checking)|one more (?:thing|question)|another question"
    r"|i (?:forgot|forget|(?:can't|cannot|don't|do not) (?:remember|recall))(?: (?:it|that|again))?"
    r"|i (?:wonder|have a question)|good (?:morning|evening|afternoon)|there)\W*)+"
    r"|(?:(?:对了|话说|请问|不好意思|我?(?:又|都)?(?:忘了|想不起来了?|不记得了?)|问一下|想问一下?|你好|您好|谢谢"
    r"|那个)\W*)+"
)
_UNREAL = LazyPattern(
    r"\b(?:would|could)(?:n't)?\b|\b\w+'d\b|^(?:假如|假设|假使|倘若|设想|试想)|^(?:如果|要是)我(?!不|没)"
)


def only_requests(text: str) -> bool:
    """Return whether a text asks for something and tells nothing; what holds for later answers tells enough."""
    acts = {clause.act for clause in reading_of(text[:_LOOKED_THROUGH]).clauses}
    return bool(acts) and acts <= {Act.ASKS, Act.SUPPOSES, Act.REQUESTS} and not holds_wish(text)


def only_asks(text: str) -> bool:
    """Return whether a text asks or supposes, and tells nothing: "tell me my shoe size" asks, too."""
    if len(text) > _LOOKED_THROUGH:
        return False
    unmarked = _UNMARKED_CHINESE if _CHINESE.search(text) else _UNMARKED
    if len(text) > unmarked and not ENDING.search(fold(text)):
        return False
    asks = False
    for clause in reading_of(text).clauses:
        said = fold(clause.text).strip(" ,.!?;:-")
        if clause.act is Act.ASKS or (clause.act is Act.REQUESTS and _TELL_ME.match(said)):
            asks = True
        elif clause.act is not Act.SUPPOSES and not _PREFACE.fullmatch(said):
            return False
    return asks


def only_supposes(text: str) -> bool:
    """Return whether a text tells only what would be if: "If I sold the house I would move. What do flats cost?"."""
    if len(text) > _LOOKED_THROUGH:
        return False
    clauses = reading_of(text).clauses
    acts = {clause.act for clause in clauses}
    supposed = [clause.text for clause in clauses if clause.act is Act.SUPPOSES]
    return acts <= {Act.ASKS, Act.SUPPOSES} and any(_UNREAL.search(fold(one)) for one in supposed)


def only_jokes(text: str) -> bool:
    """Return whether a text says of itself that it is in jest: "I have ten cats, just kidding", or "I'm the pope".

    What begins so ("just kidding, I have three") takes back what was said before, and is none.
    """
    if len(text) > _LOOKED_THROUGH:
        return False
    folded = fold(text)
    end = JOKES.search(folded)
    if end is not None and folded[: end.start()].strip(" ,.!?;:"):
        return True
    told = [one for one in reading_of(text).clauses if one.act not in (Act.ASKS, Act.REQUESTS)]
    return {one.act for one in told} == {Act.IMAGINES} and any(PRETENDED.search(fold(one.text)) for one in told)
