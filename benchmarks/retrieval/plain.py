"""Whether our ranking finds less than a plain one: FTS5 with its defaults, or the weighted sum of words and meaning.

It counts questions instead of shares, so that sets of any size have the same bound: one question less is chance, two
are not.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmarks.retrieval.datasets import LabelledDocument, LabelledSet
from nanobot_memory_plugins.core import estimate_tokens

FUSION, FUSION_BY_WORDS = "plain fusion", "plain fusion, words alone"
FULL_TEXT = ("FTS5 unicode61", "FTS5 trigram")
# The plain ranking that each of our rows is compared to.
HELD_AGAINST = {"ours": (FUSION, *FULL_TEXT), "ours, words alone": (FUSION_BY_WORDS, *FULL_TEXT)}
ONE_QUESTION = 1
HITS, BLOCK = "hit@10", "B800"

_FIRST, _TOKENS, _ITEMS = 10, 800, 20
Found = Mapping[str, int]


def count_found(labelled: LabelledSet, run: Path) -> Found:
    """Return how many questions have evidence among the first ten memories, and in a block of 800 tokens."""
    documents = {document.id: document for document in labelled.documents}
    answers = [json.loads(line) for line in run.read_text(encoding="utf-8").splitlines()]
    ranked = {str(answer["query_id"]): [documents[id_] for id_ in answer["ranked"]] for answer in answers}
    found = {HITS: 0, BLOCK: 0}
    for question in labelled.questions:
        ordered, gold = ranked.get(question.id, []), set(question.gold)
        messages = list(dict.fromkeys(document.parent or document.id for document in ordered))
        found[HITS] += not gold.isdisjoint(messages[:_FIRST])
        found[BLOCK] += any((document.parent or document.id) in gold for document in _block(ordered))
    return found


def shortfalls(found_by_row: Mapping[str, Found]) -> Iterator[str]:
    """Yield a sentence for each figure in which our row is more than one question below a plain one."""
    for ours, plain_ones in HELD_AGAINST.items():
        for plain in plain_ones:
            if ours not in found_by_row or plain not in found_by_row:
                continue
            for figure, count in found_by_row[plain].items():
                if count - found_by_row[ours][figure] > ONE_QUESTION:
                    yield f"{ours} is BELOW {plain} in {figure}: {found_by_row[ours][figure]} questions, {count}"


def _block(ordered: list[LabelledDocument]) -> list[LabelledDocument]:
    """Return the memories that fit the tokens, in order. One that does not fit is skipped."""
    taken: list[LabelledDocument] = []
    left = float(_TOKENS)
    for document in ordered:
        cost = estimate_tokens(f"{document.line}\n")
        if cost <= left and len(taken) < _ITEMS:
            taken.append(document)
            left -= cost
    return taken
