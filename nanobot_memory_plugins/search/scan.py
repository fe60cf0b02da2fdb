"""Search without an index: the documents themselves are looked through."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import lru_cache

from nanobot_memory_plugins.core.values import Level, Query, SearchResult, Tier
from nanobot_memory_plugins.search.assemble import Examination, answer_of
from nanobot_memory_plugins.search.documents import Document
from nanobot_memory_plugins.search.features import Candidate, Question
from nanobot_memory_plugins.search.filters import passes
from nanobot_memory_plugins.search.indexed_text import body_terms, head_terms
from nanobot_memory_plugins.search.lexical import LexicalScore, idf_of, score_terms
from nanobot_memory_plugins.search.named_days import terms_of_named_days
from nanobot_memory_plugins.search.options import SearchOptions
from nanobot_memory_plugins.search.ranking import Parts, rank
from nanobot_memory_plugins.search.rare_characters import rare_characters
from nanobot_memory_plugins.search.results import newest_first
from nanobot_memory_plugins.search.segmentation import query_terms

# Documents whose terms are kept for the next search: segmenting takes longer than scoring.
_REMEMBERED = 8_192


def terms_of(document: Document) -> tuple[list[str], list[str]]:
    """Return the terms of a document outside the index: its body's and its head's."""
    body, head = _segmented(document)
    return body.split(), head.split()


@lru_cache(maxsize=_REMEMBERED)
def _segmented(document: Document) -> tuple[str, str]:
    return body_terms(document), head_terms(document)


def candidate_of(document: Document, score: LexicalScore, length: int, *, similarity: float | None) -> Candidate:
    """Return what the order of a document of ``length`` terms depends on."""
    return Candidate(
        text=document.text,
        bm25=score.bm25,
        coverage=score.coverage,
        matched=score.matched,
        similarity=similarity,
        place=(document.path, document.ordinal),
        speaker=document.speaker.casefold(),
        origin=document.origin,
        length=length,
        time=document.time,
        always_fresh=document.source == "long_term",
    )


def scan_markdown(documents: Iterable[Document], query: Query) -> SearchResult:
    """Search documents that were read from the files, by words: the same terms and the same order as with an index."""
    if not query.text.strip():
        return newest_first(documents, query, Level.MARKDOWN)
    found = [document for document in documents if passes(document, query)]
    texts = [head if query.tier is Tier.LIGHT else body + head for body, head in map(terms_of, found)]
    frequencies = Counter(term for terms in texts for term in set(terms))
    now, options = datetime.now(UTC), SearchOptions()
    wanted = query_terms(query.text)

    def known(terms: Sequence[str]) -> dict[str, int]:
        return {term: frequencies[term] for term in terms if term in frequencies}

    wanted += (
        *rare_characters(query.text, wanted, known, len(texts)),
        *terms_of_named_days(query.text, query.asked_at or now, wanted),
    )
    idf = idf_of(wanted, frequencies, len(texts))
    scores = score_terms(texts, idf)
    candidates = [
        candidate_of(document, score, len(terms), similarity=None)
        for document, terms, score in zip(found, texts, scores, strict=True)
    ]
    question = Question.of(query.text, idf, query.asked_at or now)
    parts: Parts | None = {} if query.explain else None
    order = rank(candidates, question, now, options, parts)
    best = sorted((place for place in range(len(found)) if scores[place].bm25 > 0), key=lambda place: -order[place])
    examined = Examination(tuple(found), tuple(candidates), question, tuple(wanted), options)
    return answer_of(examined, best, order, query, Level.MARKDOWN, parts)
