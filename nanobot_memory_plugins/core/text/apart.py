"""Whether a part of a clause stands by itself in it: a fact before a question or a guess, typed without a comma.

"It's a little sailboat something funny maybe" guesses at its end alone; 我有足底筋膜炎怎么排比较好 asks how to plan.
"""

from nanobot_memory_plugins.core.text import hearsay
from nanobot_memory_plugins.core.text.acts import Act, Clause, clauses_of
from nanobot_memory_plugins.core.text.clauses import core_of, fold
from nanobot_memory_plugins.core.text.words import LazyPattern

_EDGES = " \t\n,.!?;:。…~"
# On these what stands behind them depends.
_GOVERNS = LazyPattern(
    r"\b(?:if|whether|that|when|because|do|does|did|is|are|was|were|am|can|could|should|would|will|has|have|had"
    r"|think|thought|guess|suppose|assume|believe|say|says|said|hear|heard|know|sure|hope|wish|afraid|bet|imagine"
    r"|not|n't|never|like|unless|until|or|pretend|dreamed|told|tell|true|right)\W*$"
    r"|(?:如果|要是|假如|假设|万一|是不是|是否|会不会|难道|怕|担心|觉得|认为|以为|说|讲|比如|不|没|别|若|除非|到底|究竟"
    r"|梦见|梦到|骗|假装|知道|想)\W*$"
)
# With these what stands before them goes on, or is asked about as a whole.
_GOES_ON = LazyPattern(
    r"[的得地吗么吧呢没不]|还是|或者?|对[吧吗不么]|是[不吗吧]|真的|right\b|correct\b|true\b|or\b|and\b"
)
_HEDGE = "|".join(one.pattern for one in hearsay.GUESSES)
_HEDGES = LazyPattern(rf"(?:{_HEDGE})|\b(?:but|idk|no idea|no clue|not certain)\b|\W")
_HEDGE_BEHIND = LazyPattern(rf"(?: \w+)? *(?:{_HEDGE})")


def stands_apart(clause: Clause, quoted: str) -> bool:
    """Return whether what is quoted of a clause that asks or guesses is neither asked nor guessed in it."""
    text, part = fold(clause.text), fold(quoted).strip(_EDGES)
    at = text.find(part)
    if not part or at < 0 or len(part) == len(text.strip(_EDGES)):
        return False
    before, after = text[core_of(text, 0) : at], text[at + len(part) :]
    if not all(one.act in (Act.STATES, Act.REQUESTS) for one in clauses_of(quoted)) or _GOVERNS.search(before):
        return False
    if clause.act is Act.GUESSES:
        is_hedged = _HEDGE_BEHIND.match(after) or not _HEDGES.sub("", after)
        return hearsay.GUESSES.search(before) is None and not is_hedged
    # In English what asks stands first, and governs all behind it.
    if text.isascii() and before.strip():
        return False
    behind = after.strip(_EDGES)
    return not _GOES_ON.match(behind) and any(one.act is Act.ASKS for one in clauses_of(behind))
