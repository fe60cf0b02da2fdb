"""Which known entry says what a text says.

By id, by the same words, then by meaning. Two texts that say nearly the same of different things ("likes tea", "likes
coffee") are as close to each other for an embedding model as two that say the same in other words. So words decide: one
text must hold what the other says, and numbers, days, negation and what was turned down must agree. Vectors confirm it,
and let a text that adds more count as the same. The thresholds are measured: docs/entries.md.
"""

from array import array
from collections import OrderedDict, defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import mul

from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.consolidation.model.normalised import TextFingerprint, wording
from nanobot_memory_plugins.core import PluginContext, logger
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.protocols import EncodingStore

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
# Vectors that are kept, in the order of their use; 2 KB each.
_KEPT_VECTORS = 8_192


@dataclass(frozen=True, slots=True)
class Match:
    """An entry that fits a text. ``likeness`` is 0 to 1, ``by`` is "id", "text", "vectors" or "words"."""

    entry_id: str
    likeness: float
    by: str


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
        self._vectors: OrderedDict[str, array[float]] = OrderedDict()
        self._index = _Index({})

    async def closest(self, text: str, entries: Mapping[str, Entry], *, most: int = 5) -> list[Match]:
        """Return the entries that ``text`` may mean, best first; only plausible ones."""
        vectors = await self._vectors_of([text, *(entry.content for entry in entries.values())])
        return await run_in_daemon_thread(lambda: _closest(text, entries, vectors)[: max(0, most)])

    async def same(self, texts: Sequence[str], entries: Mapping[str, Entry]) -> list[Match | None]:
        """Return for each text the entry that says the same thing, or None."""

        def look() -> list[list[str]]:
            index = self._index
            if not index.holds(entries):
                self._index = index = _Index(entries)
            return [index.likely(text) for text in texts]

        likely = await run_in_daemon_thread(look)
        compared = {content for ids in likely for content in (entries[id_].content for id_ in ids)}
        asked = [text for text, ids in zip(texts, likely, strict=True) if ids]
        vectors = await self._vectors_of([*asked, *compared])
        return await run_in_daemon_thread(
            lambda: [_best_same(text, ids, entries, vectors) for text, ids in zip(texts, likely, strict=True)]
        )

    async def repeats(self, texts: Sequence[str]) -> list[bool]:
        """Return for each text whether an earlier one says the same."""
        vectors = await self._vectors_of(texts) if len(texts) > 1 else {}

        def look() -> list[bool]:
            return [
                any(says_the_same(text, other, _pair_cosine(text, other, vectors)) > 0 for other in texts[:place])
                for place, text in enumerate(texts)
            ]

        return await run_in_daemon_thread(look)

    async def _vectors_of(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of texts, or nothing while there is no model."""
        if self._encode is None:
            return {}
        missing = [text for text in dict.fromkeys(texts) if text.strip() and text not in self._vectors]
        if missing:
            try:
                made = await self._encode(missing)
            except Exception as error:  # a third party's store may fail in any way
                logger.warning("entries are compared by words alone: {}", type(error).__name__)
                made = None
            if made is None or len(made) != len(missing):
                return {}
            known = next(iter(self._vectors.values()), None)
            if known is not None and made and len(known) != len(made[0]):
                self._vectors.clear()  # another model has taken over
                return await self._vectors_of(texts)
            self._vectors |= {text: array("f", vector) for text, vector in zip(missing, made, strict=True)}
        found = {text: self._vectors[text] for text in texts if text in self._vectors}
        for text in found:
            self._vectors.move_to_end(text)
        while len(self._vectors) > _KEPT_VECTORS:
            self._vectors.popitem(last=False)
        return found


def says_the_same(one: str, other: str, cosine: float | None = None) -> float:
    """Return how like two texts are (0 to 1) when they say the same thing, else 0. Without a cosine by words alone."""
    return _sameness(wording(one), wording(other), cosine)


def _sameness(one: TextFingerprint, other: TextFingerprint, cosine: float | None) -> float:
    if one.key == other.key:
        return 1.0 if one.key else 0.0
    share = _agreed(one, other)
    if cosine is None:
        return _dice(one, other) if share >= _SHARED else 0.0
    if cosine < _LEAST_COSINE or share < (_SHARED_WITH_VECTORS if cosine >= _SURE_COSINE else _SHARED):
        return 0.0
    return min(1.0, cosine)


def _agreed(one: TextFingerprint, other: TextFingerprint) -> float:
    """Return the share of the longer text's weight that both hold; 0 where they say different things."""
    if (one.numbers, one.negated, one.past) != (other.numbers, other.negated, other.past):
        return 0.0
    shared = _shared(one, other)
    if not shared or min(one.weight, other.weight) - shared > _OWN_ON_BOTH_SIDES + 1e-9:
        return 0.0
    return shared / max(one.weight, other.weight)


class _Index:
    """The entries by their words: built once, asked for each text."""

    def __init__(self, entries: Mapping[str, Entry]) -> None:
        self._entries = dict(entries)
        self._by_key: dict[str, str] = {}
        self._by_term: defaultdict[str, list[str]] = defaultdict(list)
        # Of entries in the same words, the one that holds comes first.
        for id_, entry in sorted(entries.items(), key=lambda item: bool(item[1].superseded_by)):
            own = wording(entry.content)
            self._by_key.setdefault(own.key, id_)
            for term in own.terms:
                self._by_term[term].append(id_)

    def holds(self, entries: Mapping[str, Entry]) -> bool:
        """Return whether this is the index of these entries."""
        own = self._entries
        return own.keys() == entries.keys() and all(
            entry is own[id_]
            or (entry.content == own[id_].content and bool(entry.superseded_by) == bool(own[id_].superseded_by))
            for id_, entry in entries.items()
        )

    def likely(self, text: str) -> list[str]:
        """Return the ids of the entries that may say the same; an id that is named, or the same words, come alone."""
        if (known := named(text, self._entries)) is not None:
            return [known]
        own = wording(text)
        if not own.key:
            return []
        if (same := self._by_key.get(own.key)) is not None:
            return [same]
        shared: defaultdict[str, float] = defaultdict(float)
        for term, weight in own.terms.items():
            for id_ in self._by_term.get(term, ()):
                shared[id_] += weight
        least = _SHARED_WITH_VECTORS * own.weight - 1e-9
        return [id_ for id_, weight in shared.items() if weight >= least]


def named(text: str, entries: Mapping[str, Entry]) -> str | None:
    """Return the id that ``text`` is, in brackets or not, or None."""
    plain = text.strip().removeprefix("[").removesuffix("]").strip()
    return plain if plain in entries else None


def _best_same(text: str, ids: Sequence[str], entries: Mapping[str, Entry], vectors: Vectors) -> Match | None:
    found: list[tuple[float, bool, Match]] = []
    if (known := named(text, entries)) is not None:
        return Match(known, 1.0, "id")
    own = wording(text)
    for id_ in ids:
        entry = entries[id_]
        other = wording(entry.content)
        exact = own.key == other.key
        if not exact and _agreed(own, other) < _SHARED_WITH_VECTORS:
            continue  # whatever their vectors say
        cosine = _pair_cosine(text, entry.content, vectors)
        likeness = _sameness(own, other, cosine)
        if likeness:
            by = "text" if exact else "words" if cosine is None else "vectors"
            found.append((likeness, not entry.superseded_by, Match(id_, likeness, by)))
    return max(found, key=lambda one: one[:2])[2] if found else None


def _closest(text: str, entries: Mapping[str, Entry], vectors: Vectors) -> list[Match]:
    if (known := named(text, entries)) is not None:
        return [Match(known, 1.0, "id")]
    own = wording(text)
    found: list[tuple[float, bool, Match]] = []
    for id_, entry in entries.items():
        other = wording(entry.content)
        if own.key and own.key == other.key:
            match = Match(id_, 1.0, "text")
        else:
            # Who asks for an entry names what is particular about it, and not all that it says.
            covered = _shared(own, other) / own.weight if own.weight else 0.0
            words = 0.6 * covered + 0.4 * _dice(own, other)
            cosine = _pair_cosine(text, entry.content, vectors)
            if cosine is None:
                match = Match(id_, round(min(0.99, words), 4), "words")
            else:
                high, low = max(words, cosine), max(0.0, min(words, cosine))
                match = Match(id_, round(min(0.99, 0.6 * high + 0.4 * low), 4), "vectors")
        if match.likeness >= _PLAUSIBLE:
            found.append((match.likeness, not entry.superseded_by, match))
    return [match for *_, match in sorted(found, key=lambda one: one[:2], reverse=True)]


def _shared(one: TextFingerprint, other: TextFingerprint) -> float:
    return sum(weight for term, weight in one.terms.items() if term in other.terms)


def _dice(one: TextFingerprint, other: TextFingerprint) -> float:
    total = len(one.grams) + len(other.grams)
    return 2 * len(one.grams & other.grams) / total if total else 0.0


def _pair_cosine(one: str, other: str, vectors: Vectors) -> float | None:
    first, second = vectors.get(one), vectors.get(other)
    return _cosine(first, second) if first is not None and second is not None else None


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    return float(sum(map(mul, one, other)))
