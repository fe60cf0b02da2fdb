"""What somebody wants forgotten, found in a text and taken out of it."""

from collections.abc import Iterable
from dataclasses import replace

from nanobot_memory_plugins.core.erasure.letters import GAP
from nanobot_memory_plugins.core.erasure.matching import Stretch, Wanted
from nanobot_memory_plugins.core.erasure.retold import Retold
from nanobot_memory_plugins.core.values import Hit, Withheld


class WithheldWords:
    """Withheld texts, found as they were said and where they are told again, as an assistant echoes a user."""

    def __init__(self, held: Iterable[Withheld]) -> None:
        texts: list[str] = []
        names: list[str] = []
        for one in held:
            (names if one.is_name else texts).append(one.text)
        self._wanted = Wanted(texts, words=names)
        self._retold = Retold(texts, names)

    def are_in(self, text: str) -> bool:
        """Return whether a text holds or tells one of them."""
        return bool(self._wanted.count(text)) or any(True for _ in self._retold.spans(text))

    def rest(self, text: str) -> str:
        """Return a text without them, or nothing where it says nothing else."""
        left = self.without(text)
        return left if any(map(str.isalnum, left.replace(GAP, ""))) else ""

    def without(self, text: str) -> str:
        """Return a text with a gap in place of each sentence that holds or tells one of them."""
        left, _ = self._wanted.without(text)
        return Wanted.cut(left, [Stretch(start, end, start) for start, end in self._retold.spans(left)])


def hit_without(hit: Hit, wanted: WithheldWords) -> Hit | None:
    """Return a hit without the sentences that hold what is wanted, or None where it says nothing else."""
    if wanted.are_in(hit.answers):
        hit = replace(hit, answers="")
    if not (wanted.are_in(hit.text) or wanted.are_in(hit.snippet)):
        return hit
    left = wanted.rest(hit.text)
    # The snippet may have been cut amid the words.
    return replace(hit, text=left, snippet="") if left else None
