"""Standing wishes: what a user said that holds for later answers, and whether a message asks for such an answer."""

from nanobot_memory_plugins.core.text.clauses import fold
from nanobot_memory_plugins.core.text.words import Word, Words

# What of a text is looked through.
_LOOKED_THROUGH = 400

WISHES = Words(
    (
        Word(r"\bi (?:\w+ )?prefer\b", "i really prefer short answers", "he prefers it"),
        Word(r"\balways (?:[\w'-]+ ){1,8}(?:when|if)\b", "always add units when i ask", "i always lose them"),
        Word(r"\b(?:whenever|never|from now on)\b", "never use emojis", "whatever you like"),
        Word(r"\ballerg(?:y|ies|ic)\b", "i am allergic to nuts", "an allegory"),
        Word("过敏|忌口|一律|凡是", "我对花生过敏", "反应过度"),
        Word("以后(?!再说|的事)", "以后都用中文", "以后再说"),
    )
)
"""With which people say what holds for later."""

_LOOKING_BACK = Words(
    (
        Word(
            r"\b(?:did|have|has|had|was|were|when|how many|how long|what (?:is|are)|which|summar\w+|remind|order)\b",
            "when did i move",
            "suggest a book",
        ),
        Word("[了过]吗|什么时候|多少|哪|总结|几[号点个次]", "我去过吗", "推荐一本书"),
    )
)
"""With which a message asks for what was said, and for no advice."""
# Whoever asks for what was said does so at the beginning.
_BEGINNING = 80


def asks_for_advice(question: str) -> bool:
    """Say whether a message asks for something that the user's wishes may bear on, not for what was said."""
    return _LOOKING_BACK.search(fold(question[:_BEGINNING])) is None


def holds_wish(text: str) -> bool:
    """Say whether a text of the user's tells a wish for later answers, or what constrains them."""
    return WISHES.search(fold(text[:_LOOKED_THROUGH])) is not None
