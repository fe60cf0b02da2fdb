"""Made-up Chinese words, and vectors without a model, in addition to the English words of ``nanobot-memory bench``."""

import hashlib
from collections.abc import Sequence

import numpy as np

from nanobot_memory_plugins.storage.segmentation import FUNCTION_CHARACTERS
from nanobot_memory_plugins.tools.bench.made_up import Language, english, unit_vectors

_CHINESE_WORDS = 40_000
# The characters of a newspaper. Their frequencies are as uneven as those of words.
_CHINESE_CHARACTERS = 3_000


def chinese() -> Language:
    """Return a language of two-character words, some common and most rare, after the single function characters."""
    generator = np.random.default_rng(11)
    characters = [chr(0x4E00 + 5 * n) for n in range(_CHINESE_CHARACTERS)]
    words: dict[str, None] = dict.fromkeys(sorted(FUNCTION_CHARACTERS))
    while len(words) < _CHINESE_WORDS:
        first, second = (_CHINESE_CHARACTERS ** generator.random(2)).astype(np.int64) - 1
        words[characters[first] + characters[second]] = None
    return Language("Chinese", tuple(words), "", 70)


class RandomModel:
    """A model with random vectors, for machines without one. The same text always has the same vector."""

    name = "random"
    dimension = 512

    def encode(self, texts: str | Sequence[str]) -> list[list[float]]:
        """Return one vector per text."""
        found = []
        for text in [texts] if isinstance(texts, str) else texts:
            seed = int.from_bytes(hashlib.sha256(text.encode("utf-8", "replace")).digest()[:8])
            found += unit_vectors(1, self.dimension, np.random.default_rng(seed)).tolist()
        return found


LANGUAGES = {"english": english, "chinese": chinese}
