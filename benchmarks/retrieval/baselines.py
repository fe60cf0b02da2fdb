"""The simplest alternatives: the whole memory, grep, and SQLite's full-text search with its defaults."""

import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence

from benchmarks.retrieval.datasets import LabelledDocument, LabelledSet, Question
from benchmarks.retrieval.exchange import RANKED, Answer

Baseline = Callable[[LabelledSet], Iterable[Answer]]

INJECTED = 10
"""Results that go into the prompt where a system has no number of its own."""

# A word, or a single character where words are not separated by spaces.
_CJK = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_RUN = re.compile(rf"[{_CJK}]+|[^\W_]+", re.UNICODE)
_IS_CJK = re.compile(rf"[{_CJK}]")
_SHORTEST_GREP_WORD = 4


def whole_memory(labelled: LabelledSet) -> Iterator[Answer]:
    """Inject everything, newest first."""
    groups = labelled.groups()
    for question in labelled.questions:
        everything = [document.id for document in reversed(groups[question.group])]
        yield Answer(question.id, everything[:RANKED], everything)


def grep(labelled: LabelledSet) -> Iterator[Answer]:
    """Search as with grep, one call per word, and order the lines by the number of words in them.

    Words of fewer than 4 letters are left out, as a person would. Of Chinese every pair of neighbouring
    characters is searched for. Ties keep the order of the file.
    """
    groups = labelled.groups()
    for question in labelled.questions:
        words = grep_words(question.text)
        found = []
        for document in groups[question.group]:
            line = document.line.casefold()
            if count := sum(word in line for word in words):
                found.append((count, document.id))
        found.sort(key=lambda pair: -pair[0])
        ranked = [identifier for _, identifier in found]
        yield Answer(question.id, ranked, ranked[:INJECTED])


def grep_words(text: str) -> list[str]:
    """Return the words of a question to search for."""
    words: list[str] = []
    for run in _RUN.findall(text.casefold()):
        if not _IS_CJK.match(run):
            words += [run] if len(run) >= _SHORTEST_GREP_WORD else []
        else:
            words += [run[place : place + 2] for place in range(len(run) - 1)]
    return list(dict.fromkeys(words))


def fts5(labelled: LabelledSet) -> Iterator[Answer]:
    """Search with FTS5's defaults: its unicode61 tokenizer, its bm25, and the question's words joined by OR."""
    return _full_text(labelled, "unicode61", lambda text: re.findall(r"\w+", text))


def fts5_trigram(labelled: LabelledSet) -> Iterator[Answer]:
    """Search with FTS5's trigram tokenizer, which finds Chinese inside sentences, by all trigrams joined by OR."""

    def trigrams(text: str) -> list[str]:
        return [run[place : place + 3] for run in re.findall(r"\w+", text) for place in range(max(1, len(run) - 2))]

    return _full_text(labelled, "trigram", trigrams)


def _full_text(labelled: LabelledSet, tokenizer: str, terms: Callable[[str], Sequence[str]]) -> Iterator[Answer]:
    by_group: dict[str, list[Question]] = {}
    for question in labelled.questions:
        by_group.setdefault(question.group, []).append(question)
    for group, documents in labelled.groups().items():
        yield from _full_text_of_group(documents, by_group.get(group, []), tokenizer, terms)


def _full_text_of_group(
    documents: Sequence[LabelledDocument],
    questions: Iterable[Question],
    tokenizer: str,
    terms: Callable[[str], Sequence[str]],
) -> Iterator[Answer]:
    connection = sqlite3.connect(":memory:")
    connection.execute(f"CREATE VIRTUAL TABLE lines USING fts5(text, tokenize='{tokenizer}')")
    rows = [(place, document.line) for place, document in enumerate(documents)]
    connection.executemany("INSERT INTO lines(rowid, text) VALUES (?, ?)", rows)
    for question in questions:
        words = dict.fromkeys(terms(question.text))
        match = " OR ".join('"' + word.replace('"', '""') + '"' for word in words)
        statement = "SELECT rowid FROM lines WHERE lines MATCH ? ORDER BY bm25(lines) LIMIT ?"
        found = connection.execute(statement, (match, RANKED)) if match else ()
        ranked = [documents[place].id for (place,) in found]
        yield Answer(question.id, ranked, ranked[:INJECTED])
    connection.close()


BASELINES: dict[str, Baseline] = {
    "whole memory": whole_memory,
    "grep, lines by words": grep,
    "FTS5 unicode61": fts5,
    "FTS5 trigram": fts5_trigram,
}
ONLY_CHINESE = {"FTS5 trigram"}
