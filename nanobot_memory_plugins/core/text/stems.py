"""Stems of English words: what the forms of a word have in common, for comparing texts."""

from functools import lru_cache

_LONGEST = 6


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """Return what the forms of an English word have in common, roughly; at most six letters."""
    if not word.isascii() or len(word) <= 3:
        return word[:_LONGEST]
    for ending, put in (("ies", "y"), ("sses", "ss"), ("ing", ""), ("ed", ""), ("es", "e"), ("s", "")):
        if word.endswith(ending) and not (ending == "s" and word.endswith(("ss", "us", "is"))):
            cut = word[: -len(ending)] + put
            if len(cut) >= 3 and any(vowel in cut for vowel in "aeiouy"):
                word = cut
                if ending in ("ing", "ed") and cut[-1] == cut[-2] and cut[-1] not in "lsz":
                    word = cut[:-1]
            break
    return word.removesuffix("e")[:_LONGEST] if len(word) > 3 else word
