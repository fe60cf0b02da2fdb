"""Whether our order finds less than something plain: FTS5 as it comes, or the weighted sum of words and meaning.

Questions are counted and not shares, so that a set of any size is held to the same: one question below is chance, two
are not.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmarks.retrieval.datasets import LabelledDocument, LabelledSet
from nanobot_memory_plugins.core import estimate_tokens

FUSION, FUSION_BY_WORDS = "plain fusion", "plain fusion, words alone"
FULL_TEXT = ("FTS5 unicode61", "FTS5 trigram")
# What each of our rows is held against.
HELD_AGAINST = {"ours": (FUSION, *FULL_TEXT), "ours, words alone": (FUSION_BY_WORDS, *FULL_TEXT)}
ONE_QUESTION = 1
HITS, BLOCK = "hit@10", "B800"

_FIRST, _TOKENS, _ITEMS = 10, 800, 20
Met = Mapping[str, int]


def met(labelled: LabelledSet, run: Path) -> Met:
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


def below(met_by: Mapping[str, Met]) -> Iterator[str]:
    """Yield a sentence for each figure in which a row of ours is more than one question below a plain one."""
    for ours, plain_ones in HELD_AGAINST.items():
        for plain in plain_ones:
            if ours not in met_by or plain not in met_by:
                continue
            for figure, count in met_by[plain].items():
                if count - met_by[ours][figure] > ONE_QUESTION:
                    yield f"{ours} is BELOW {plain} in {figure}: {met_by[ours][figure]} questions, {count}"


def _block(ordered: list[LabelledDocument]) -> list[LabelledDocument]:
    """Return the memories that fit the tokens, taken in their order; one that does not fit is passed over."""
    taken: list[LabelledDocument] = []
    left = float(_TOKENS)
    for document in ordered:
        cost = estimate_tokens(f"{document.line}\n")
        if cost <= left and len(taken) < _ITEMS:
            taken.append(document)
            left -= cost
    return taken
