"""Search without an index: the documents themselves are looked through."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache

from nanobot_memory_plugins.core.values import Level, Query, SearchResult, Tier
from nanobot_memory_plugins.storage.bm25 import idf_of, scores_of
from nanobot_memory_plugins.storage.documents import Document
from nanobot_memory_plugins.storage.filters import passes
from nanobot_memory_plugins.storage.indexed_text import derived_of
from nanobot_memory_plugins.storage.query_signals import rare_characters, terms_of_named_days
from nanobot_memory_plugins.storage.results import hit_of, newest_first
from nanobot_memory_plugins.storage.segmentation import query_terms

# Documents of which it is kept for the next search: segmenting takes longer than scoring.
_REMEMBERED = 8_192


remembered = lru_cache(maxsize=_REMEMBERED)(derived_of)
"""What an index would keep of a document that it does not hold."""


def scan_markdown(documents: Iterable[Document], query: Query) -> SearchResult:
    """Search documents that were read from the files, by words: the same terms and the same order as with an index.

    Where numpy cannot be imported, the order is that of BM25 alone.
    """
    if not query.text.strip():
        return newest_first(documents, query, Level.MARKDOWN)
    found = [document for document in documents if passes(document, query)]
    derived = [remembered(document) for document in found]
    texts = [head if query.tier is Tier.LIGHT else f"{body} {head}".strip() for body, head, _ in derived]
    frequencies = Counter(term for text in texts for term in set(text.split()))
    now = datetime.now(UTC)
    wanted = query_terms(query.text)

    def known(terms: Sequence[str]) -> dict[str, int]:
        return {term: frequencies[term] for term in terms if term in frequencies}

    wanted += (
        *rare_characters(query.text, wanted, known, len(texts)),
        *terms_of_named_days(query.text, query.asked_at or now, wanted),
    )
    idf = idf_of(wanted, frequencies, len(texts))
    try:
        from nanobot_memory_plugins.storage.assemble import answer_from_files
    except ImportError:  # there is no numpy
        return _by_bm25(found, texts, idf, query)
    return answer_from_files(found, texts, [traits for _, _, traits in derived], idf, query, now)


def _by_bm25(
    documents: Sequence[Document], texts: Sequence[str], idf: Mapping[str, float], query: Query
) -> SearchResult:
    scores = scores_of([text.split() for text in texts], idf)
    found = sorted((place for place, (bm25, _) in enumerate(scores) if bm25 > 0), key=lambda place: -scores[place][0])
    zone = query.asked_at.tzinfo if query.asked_at is not None else None
    hits = [
        hit_of(
            documents[place],
            score=scores[place][0] / scores[found[0]][0],
            coverage=scores[place][1],
            terms=idf.keys(),
            zone=zone,
        )
        for place in found[: query.limit]
    ]
    return SearchResult(hits=tuple(hits), level=Level.MARKDOWN)
