"""Entries of which nothing is left to know: what they said is hidden."""

import re
from collections.abc import Mapping

from nanobot_memory_plugins.consolidation.model.entry import Entry

_PLACEHOLDER = re.compile(r"\[(?:REDACTED|API_KEY|PRIVATE_KEY|EMAIL|PHONE|CARD|ID_NUMBER|IBAN)\]")
# A clause of its own tells something of its own: "the network is HarborGuest, the password is [REDACTED]".
_CLAUSES = re.compile(
    r"[.;!?。；！？\n]+(?:\s|$)|[,，、；。]|\s(?:and|but|so|because|while|then)\s|(?:而且|并且|以及|还有|但是|因为|然后|另外|顺便|对了)"
    # Who dictates writes no marks: what begins behind the secret is another thing, unless it speaks of that.
    r"|(?<=\])\s*(?=[\u4e00-\u9fff])(?![是的这那就也吧了啊呢哦])"
)
# What is said of a secret besides: it says nothing that is worth an entry of its own.
_ASIDES = re.compile(
    r"(?i)\b(?:thanks?(?: you)?|thx|please|pls|ok(?:ay)?|right|cheers"
    r"|keep (?:it|that|this) (?:safe|secret|private|to yourself)"
    r"|(?:do not|don['’]t) (?:tell|share|forget|lose)(?: (?:it|that|this|anyone|anybody))*"
    r"|(?:it|this|that)(?:['’]s| is) (?:very )?(?:important|secret|confidential|private)"
    r"|i (?:always|keep) forget(?:ting)? (?:it|that))\b"
    r"|谢谢|多谢|请|麻烦|好吗|(?:千万|可|一定)?(?:别|不要)忘了?|很重要|保密|(?:别|不要)(?:告诉|泄露|外传)(?:给?(?:别人|任何人|他人))?"
)
_LEAST_WEIGHT = 0.9


def is_point_hidden(text: str) -> bool:
    """Tell whether what a text is about is hidden, and no clause of it says anything else."""
    if not _PLACEHOLDER.search(text):
        return False
    from nanobot_memory_plugins.consolidation.model.normalised import wording

    rest = " ".join(clause for clause in _CLAUSES.split(text) if not _PLACEHOLDER.search(clause))
    return wording(_ASIDES.sub(" ", rest)).weight < _LEAST_WEIGHT


def without_empty(entries: Mapping[str, Entry], known: Mapping[str, Entry]) -> dict[str, Entry]:
    """Return entries without those that are not ``known`` and of which only a placeholder is left."""
    return {id_: one for id_, one in entries.items() if id_ in known or not is_point_hidden(one.content)}
