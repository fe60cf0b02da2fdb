"""Passages one by one, as tests think of them, and as the columns that the order is made of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from types import SimpleNamespace

import numpy as np

from nanobot_memory_plugins.core.values import Origin
from nanobot_memory_plugins.storage.candidates import Candidates
from nanobot_memory_plugins.storage.features import Features
from nanobot_memory_plugins.storage.lexical import LexicalScores
from nanobot_memory_plugins.storage.text_traits import traits_of


@dataclass(frozen=True)
class Passage:
    """What the order of one passage depends on. ``place`` is (file, ordinal)."""

    text: str = "words"
    bm25: float = 0.0
    coverage: float = 0.0
    matched: frozenset[str] = frozenset()
    similarity: float | None = None
    place: tuple[str, int] = ("a", 0)
    speaker: str = ""
    origin: Origin = Origin.USER
    length: int = 0
    time: datetime | None = None
    always_fresh: bool = False


def columns_of(passages: Sequence[Passage], idf: Mapping[str, float]) -> Candidates:
    """Return passages as candidates of a question with these terms."""
    held = [[term in one.matched for one in passages] for term in idf]
    return Candidates(
        words=LexicalScores(
            bm25=np.array([one.bm25 for one in passages], dtype=np.float64),
            coverage=np.array([one.coverage for one in passages], dtype=np.float64),
            matched=np.array(held, dtype=np.bool_).reshape(len(idf), len(passages)),
            lengths=np.array([one.length for one in passages], dtype=np.int64),
        ),
        similarity=np.array([np.nan if one.similarity is None else one.similarity for one in passages]),
        traits=np.array([traits_of(one.text) for one in passages], dtype=np.int64),
        paths=[one.place[0] for one in passages],
        ordinals=np.array([one.place[1] for one in passages], dtype=np.int64),
        speakers=[one.speaker for one in passages],
        origins=[one.origin for one in passages],
        times=[one.time for one in passages],
        always_fresh=np.array([one.always_fresh for one in passages], dtype=np.bool_),
    )


def rows_of(features: Features) -> list[SimpleNamespace]:
    """Return the features of each passage."""
    names = [one.name for one in fields(Features)]
    rows = zip(*(getattr(features, name).tolist() for name in names), strict=True)
    return [SimpleNamespace(**dict(zip(names, row, strict=True))) for row in rows]
