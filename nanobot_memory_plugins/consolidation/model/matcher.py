"""Which known entry says what a text says.

By the same words, then by meaning. Two texts that say nearly the same of different things ("likes tea", "likes
coffee") are as close to each other for an embedding model as two that say the same in other words. So words decide: one
text must hold what the other says, and numbers, days, negation and what was turned down must agree. Vectors confirm it,
and let a text that adds more count as the same. The thresholds are measured: docs/entries.md.
"""

from array import array
from collections.abc import Awaitable, Callable, Container, Mapping, Sequence
from operator import mul

from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.consolidation.model.normalised import TextFingerprint, wording
from nanobot_memory_plugins.core import PluginContext, logger
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.protocols import EncodingStore
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict

Encode = Callable[[Sequence[str]], Awaitable[list[list[float]] | None]]
Vectors = Mapping[str, Sequence[float]]

# What one of two texts may say that the other does not, when each says something of its own: a predicate.
_OWN_ON_BOTH_SIDES = 0.3
# The share of the longer text's weight that both must hold: by words alone, and where vectors agree.
_SHARED, _SHARED_WITH_VECTORS = 0.6, 0.5
# The cosine below which texts are not the same whatever their words, and the one that lets the smaller share do.
_LEAST_COSINE, _SURE_COSINE = 0.65, 0.85
# The likeness from which an entry is worth showing as what may be meant.
_PLAUSIBLE = 0.4
# Vectors that are kept; 2 KB each.
_KEPT_VECTORS = 8_192


def encoding(context: PluginContext) -> Encode:
    """Return what encodes texts with the model of the store that is open by then, if it has one."""

    async def encode(texts: Sequence[str]) -> list[list[float]] | None:
        store = context.store
        return await store.encode(texts) if isinstance(store, EncodingStore) else None

    return encode


class Matcher:
    """Finds entries by what they say. ``encode`` gives one vector a text, or None while there is no model.

    Nothing here blocks the event loop. Without vectors words alone decide.
    """

    def __init__(self, encode: Encode | None = None) -> None:
        self._encode = encode
        self._vectors: BoundedDict[str, array[float]] = BoundedDict(_KEPT_VECTORS)

    async def same(self, texts: Sequence[str], entries: Mapping[str, Entry]) -> list[str | None]:
        """Return for each text the id of the entry that says the same thing, or None."""

        def look() -> list[list[str]]:
            known = {id_: wording(entry.content) for id_, entry in entries.items()}
            return [_likely_ids(text, known) for text in texts]

        likely = await run_in_daemon_thread(look)
        compared = {entries[id_].content for ids in likely for id_ in ids}
        vectors = await self._vectors_of([*(text for text, ids in zip(texts, likely, strict=True) if ids), *compared])
        return [_best_same(text, ids, entries, vectors) for text, ids in zip(texts, likely, strict=True)]

    async def _vectors_of(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of texts, or nothing while there is no model."""
        missing = [text for text in dict.fromkeys(texts) if text.strip() and text not in self._vectors]
        if missing and self._encode is not None:
            try:
                made = await self._encode(missing) or []
            except Exception as error:  # a third party's store may fail in any way
                logger.warning("entries are compared by words alone: {}", type(error).__name__)
                made = []
            for text, vector in zip(missing, made, strict=True) if len(made) == len(missing) else ():
                self._vectors[text] = array("f", vector)
        return {text: self._vectors[text] for text in texts if text in self._vectors}


def says_the_same(one: str, other: str, cosine: float | None = None) -> float:
    """Return how like two texts are (0 to 1) when they say the same thing, else 0. Without a cosine by words alone."""
    return _sameness(wording(one), wording(other), cosine)


def _sameness(one: TextFingerprint, other: TextFingerprint, cosine: float | None) -> float:
    if one.key == other.key:
        return 1.0 if one.key else 0.0
    share = _agreement(one, other)
    if cosine is None:
        return share if share >= _SHARED else 0.0
    if cosine < _LEAST_COSINE or share < (_SHARED_WITH_VECTORS if cosine >= _SURE_COSINE else _SHARED):
        return 0.0
    return min(1.0, cosine)


def _agreement(one: TextFingerprint, other: TextFingerprint) -> float:
    """Return the share of the longer text's weight that both hold; 0 where they say different things."""
    if one.numbers != other.numbers or one.negated is not other.negated or one.past is not other.past:
        return 0.0
    shared = _shared_weight(one, other)
    if not shared or min(one.weight, other.weight) - shared > _OWN_ON_BOTH_SIDES + 1e-9:
        return 0.0
    return shared / max(one.weight, other.weight)


def _likely_ids(text: str, known: Mapping[str, TextFingerprint]) -> list[str]:
    """Return the ids of the entries that may say the same; the same words come alone."""
    fingerprint = wording(text)
    same = [id_ for id_, other in known.items() if other.key == fingerprint.key] if fingerprint.key else []
    return same or [id_ for id_, other in known.items() if _agreement(fingerprint, other) >= _SHARED_WITH_VECTORS]


def _named_id(text: str, ids: Container[str]) -> str | None:
    """Return the id that ``text`` is, in brackets or not, or None."""
    plain = text.strip().removeprefix("[").removesuffix("]").strip()
    return plain if plain in ids else None


def _best_same(text: str, ids: Sequence[str], entries: Mapping[str, Entry], vectors: Vectors) -> str | None:
    def rank(entry: Entry) -> tuple[float, bool]:
        cosine = _cosine(text, entry.content, vectors)
        return says_the_same(text, entry.content, cosine), not entry.superseded_by

    best = max(ids, key=lambda id_: rank(entries[id_]), default="")
    return best if best and rank(entries[best])[0] else None


def closest(text: str, entries: Mapping[str, Entry], *, most: int = 5) -> list[tuple[str, float]]:
    """Return the entries that ``text`` may mean by its words, best first, each with its likeness; only plausible ones.

    1 is an id, or the same words.
    """
    if (known := _named_id(text, entries)) is not None:
        return [(known, 1.0)]
    fingerprint = wording(text)

    def likeness(entry: Entry) -> float:
        other = wording(entry.content)
        if fingerprint.key and fingerprint.key == other.key:
            return 1.0
        # Who asks for an entry names what is particular about it, and not all that it says.
        shared, longer = _shared_weight(fingerprint, other), max(fingerprint.weight, other.weight)
        return min(0.99, 0.6 * shared / (fingerprint.weight or 1) + 0.4 * shared / (longer or 1))

    found = [(id_, likeness(entry)) for id_, entry in entries.items()]
    plausible = [match for match in found if match[1] >= _PLAUSIBLE]
    plausible.sort(key=lambda match: (match[1], not entries[match[0]].superseded_by), reverse=True)
    return plausible[:most]


def _shared_weight(one: TextFingerprint, other: TextFingerprint) -> float:
    if one.terms.keys().isdisjoint(other.terms):  # as most are
        return 0.0
    return sum(weight for term, weight in one.terms.items() if term in other.terms)


def _cosine(one: str, other: str, vectors: Vectors) -> float | None:
    first, second = vectors.get(one), vectors.get(other)
    return float(sum(map(mul, first, second))) if first is not None and second is not None else None
