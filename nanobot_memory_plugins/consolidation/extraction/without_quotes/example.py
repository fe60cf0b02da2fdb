"""What of the example that the model is shown comes back as if the user had said it."""

import re

# Who speaks in the examples.
_OF_THE_EXAMPLE = re.compile(r"\b(?:oslo|nurse|rex)\b|奥斯陆|护士|雷克斯", re.IGNORECASE)
# How it is joined to what another user has said: "The user is a nurse in Oslo and has won a cup".
_BEFORE_A_VERB = re.compile(r"\bis a nurse in oslo,? (?:and|who) (?=(?:has|had|was|\w+(?:s|ed))\b)", re.IGNORECASE)
_BEFORE_ANOTHER = re.compile(
    r"\ba nurse in oslo,? and |(?:现在)?在奥斯陆当护士(?:，不再教书)?[，、]\s*(?:并且?|而且|也)?", re.IGNORECASE
)
_TITLE = re.compile(r"《([^《》]{1,60})》")


def only_what_was_said(text: str, mentioned: str) -> str:
    """Return a text without what it took from the example, or nothing when more of that than a clause is in it.

    Nothing, too, when it names a title in 《》 that nobody named. ``mentioned`` is what the user said with the known
    entries, in lower case.
    """
    if _is_foreign(text, mentioned):
        text = _BEFORE_ANOTHER.sub("", _BEFORE_A_VERB.sub("", text))
    named = all(title.casefold() in mentioned for title in _TITLE.findall(text))
    return text if named and not _is_foreign(text, mentioned) else ""


def _is_foreign(text: str, mentioned: str) -> bool:
    return any(word.casefold() not in mentioned for word in _OF_THE_EXAMPLE.findall(text))
