"""Converts documents into hits, with the snippet that shows why they were found."""

import math
from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import datetime, tzinfo

from nanobot_memory_plugins.core.text.sentences import ends_in_question_mark, sentence_spans, sentences_of
from nanobot_memory_plugins.core.values import Hit, Level, Origin, Query, SearchResult
from nanobot_memory_plugins.storage.documents import Document, timestamp
from nanobot_memory_plugins.storage.filters import passes_filters
from nanobot_memory_plugins.storage.segmentation import segment
from nanobot_memory_plugins.storage.sources.markdown import SUPERSEDED
from nanobot_memory_plugins.storage.sources.source_files import FileKind

SNIPPET_CHARS = 360
# Longer questions are not shown with an answer: they would say more than it.
_QUESTION_CHARS = 200
# Characters of a long text that are searched for a snippet.
_SNIPPET_SOURCE = 20_000


def hit_of(
    document: Document,
    *,
    score: float = 1.0,
    coverage: float = 0.0,
    similarity: float | None = None,
    terms: Collection[str] = (),
    zone: tzinfo | None = None,
    answers: str = "",
) -> Hit:
    """Return a document as a hit, with its time in ``zone``, the time zone of the query."""
    time = in_zone(document.said_at, zone) if document.said_at is not None else None
    return Hit(
        id=document.key,
        text=document.text,
        path=document.path,
        line=document.line,
        score=score,
        origin=Origin(document.origin),
        scope=document.scope,
        time=time,
        heading=document.heading,
        speaker=document.speaker,
        snippet=snippet(document.text, terms),
        coverage=coverage,
        similarity=similarity,
        source=document.source,
        tldr=document.tldr,
        tags=document.tags,
        answers=answers,
        superseded=document.source == FileKind.LONG_TERM and SUPERSEDED in document.tags,
    )


def question_in(text: str) -> str:
    """Return the question at the end of a text, empty without one or where it is too long."""
    if not ends_in_question_mark(text):
        return ""
    sentences = sentences_of(text[-_QUESTION_CHARS:])
    is_whole = len(sentences) > 1 or len(text) <= _QUESTION_CHARS
    return sentences[-1].strip() if is_whole else ""


def newest_first(documents: Iterable[Document], query: Query, level: Level) -> SearchResult:
    """Return the documents that pass a query's filters, the newest first and undated ones last."""
    passing = [document for document in documents if passes_filters(document, query)]
    passing.sort(
        key=lambda document: (
            timestamp(document.time) if document.time else -math.inf,
            document.path,
            document.ordinal,
        ),
        reverse=True,
    )
    zone = query.asked_at.tzinfo if query.asked_at is not None else None
    return SearchResult(
        tuple(
            replace(hit_of(document), time=in_zone(document.time, zone) if document.time else None)
            for document in passing[: query.limit]
        ),
        level,
    )


def snippet(text: str, terms: Collection[str], *, limit: int = SNIPPET_CHARS) -> str:
    """Return at most ``limit`` characters around the sentence that contains the most terms.

    Of a longer sentence, such as a list, it returns the part around the first term.
    """
    if len(text) <= limit:
        return text
    sentences = [(start, text[start:end]) for start, end in sentence_spans(text[:_SNIPPET_SOURCE])]
    term_set = set(terms)
    best = sentences[0] if sentences else (0, "")
    if len(sentences) > 1:
        best = max(sentences, key=lambda sentence: len(term_set.intersection(segment(sentence[1]).split())))
    begin = best[0] + (_start_before_terms(best[1], term_set, limit) if len(best[1]) > limit else 0)
    # Near the end of the text the snippet starts before the sentence. Each ellipsis takes one character.
    start = max(0, min(begin, len(text) - limit + 1))
    room = limit - (start > 0)
    is_whole = start + room >= len(text)
    cut = text[start : start + room - (not is_whole)].strip()
    return ("…" if start else "") + cut + ("" if is_whole else "…")


def _start_before_terms(sentence: str, terms: Collection[str], limit: int) -> int:
    """Return where a snippet begins in a longer sentence: a little before the first of the terms."""
    lowered = sentence.lower()
    places = [place for place in map(lowered.find, terms) if place >= 0]
    place = max(0, min(places, default=0) - limit // 4)
    return place if place == 0 else max(place, sentence.find(" ", place, place + limit // 8) + 1)


def in_zone(time: datetime, zone: tzinfo | None) -> datetime:
    """Return the same moment in a zone; unchanged without a zone, and where the result is out of datetime's range."""
    try:
        return time.astimezone(zone) if zone is not None and time.tzinfo is not None else time
    except OverflowError:
        return time
