"""Search without an index: the documents themselves are looked through, and put in order by BM25. It needs no numpy."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime

from nanobot_memory_plugins.core.values import Level, Query, SearchResult, Tier
from nanobot_memory_plugins.storage.documents import Document, kept_terms
from nanobot_memory_plugins.storage.filters import passes
from nanobot_memory_plugins.storage.question_terms import K1, B, idf_of, rare_characters, terms_of_named_days
from nanobot_memory_plugins.storage.results import hit_of, newest_first
from nanobot_memory_plugins.storage.segmentation import query_terms


def search_files(documents: Iterable[Document], query: Query, now: datetime) -> SearchResult:
    """Search documents that were read from the files, by the same terms as with an index."""
    if not query.text.strip():
        return newest_first(documents, query, Level.MARKDOWN)
    found = [document for document in documents if passes(document, query)]
    texts = [(head if query.tier is Tier.LIGHT else f"{body} {head}").split() for body, head in map(kept_terms, found)]
    frequencies = Counter(term for text in texts for term in set(text))

    def known(terms: Sequence[str]) -> dict[str, int]:
        return {term: frequencies[term] for term in terms if term in frequencies}

    terms = query_terms(query.text)
    terms += rare_characters(query.text, terms, known, len(found))
    terms += terms_of_named_days(query.text, query.asked_at or now, terms)
    idf = idf_of(terms, frequencies, len(found))
    whole, average = sum(idf.values()) or 1.0, (sum(map(len, texts)) / len(texts) if texts else 0.0) or 1.0
    scored = []
    for place, text in enumerate(texts):
        norm = K1 * (1 - B + B * len(text) / average)
        counts = {term: text.count(term) for term in idf if term in text}
        if counts:
            score = sum(idf[term] * count * (K1 + 1) / (count + norm) for term, count in counts.items())
            scored.append((-score, place, min(1.0, sum(map(idf.__getitem__, counts)) / whole)))
    best = sorted(scored)[: query.limit]
    zone = query.asked_at.tzinfo if query.asked_at is not None else None
    hits = tuple(
        hit_of(found[place], score=score / best[0][0], coverage=coverage, terms=idf.keys(), zone=zone)
        for score, place, coverage in best
    )
    return SearchResult(hits, Level.MARKDOWN)
