"""Reads a SentencePiece model file: its pieces and its text normalisation."""

from dataclasses import dataclass

from nanobot_memory_plugins.storage.embedding.protobuf_schema import Schema, message_class

# Field numbers of sentencepiece_model.proto (google/sentencepiece).
_SCHEMA: Schema = {
    "SentencePiece": {"piece": (1, "string"), "score": (2, "float")},
    "NormalizerSpec": {"precompiled_charsmap": (2, "bytes")},
    "ModelProto": {"pieces": (1, "repeated SentencePiece"), "normalizer_spec": (3, "NormalizerSpec")},
}


@dataclass(frozen=True, slots=True)
class SentencePieceModel:
    """What a unigram tokenizer needs from a SentencePiece model.

    ``pieces`` is the vocabulary in the order of its ids, each with its log probability. ``charsmap``
    are the compiled normalisation rules, as the ``Precompiled`` normaliser of ``tokenizers`` takes them.
    """

    pieces: list[tuple[str, float]]
    charsmap: bytes


def read_sentencepiece_model(data: bytes) -> SentencePieceModel:
    """Parse the bytes of a ``.model`` file; raises ``ValueError`` when they are not one."""
    try:
        message = message_class("nanobot_memory.sentencepiece", _SCHEMA, "ModelProto").FromString(data)
    except Exception as error:  # protobuf's error type differs between its implementations
        raise ValueError("not a SentencePiece model") from error
    if not message.pieces:
        raise ValueError("a SentencePiece model without pieces")
    pieces = [(piece.piece, piece.score) for piece in message.pieces]
    return SentencePieceModel(pieces, message.normalizer_spec.precompiled_charsmap)
