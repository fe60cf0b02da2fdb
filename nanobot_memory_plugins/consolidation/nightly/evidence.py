"""Whether the words of an operation stand in what the model was shown at all; whose they are is told by quotes."""

from collections.abc import Iterable

from nanobot_memory_plugins.core.text.evidence import Evidence

# The share of a text's terms that one note or entry must hold, or all of them together: a paraphrase of one source
# lies well above the first, a mixture of words that happen to stand somewhere below the second.
_IN_ONE = 0.5
_IN_ALL = 0.8


class Sources:
    """Texts that an operation may rest on."""

    def __init__(self, texts: Iterable[str]) -> None:
        kept = [text for text in texts if text]
        self._each = [Evidence([text]) for text in kept]
        self._all = Evidence(kept)

    def grounds(self, text: str, *, in_one: float = _IN_ONE, in_all: float = _IN_ALL) -> bool:
        """Return whether the texts say what ``text`` says, as far as words can tell."""
        if self._all.share(text) < in_one:
            return False
        return self._all.share(text) >= in_all or any(one.share(text) >= in_one for one in self._each)
