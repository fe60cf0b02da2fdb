"""Chooses the questions: the same every time, spread evenly over conversations and categories."""

import random
from collections.abc import Sequence

from benchmarks.retrieval.datasets import Question

SEED = 7


def chosen(questions: Sequence[Question], count: int) -> list[Question]:
    """Return ``count`` questions that have an answer, one of each conversation and category in turn.

    A smaller count gives the beginning of a larger one, so that a short run can be continued.
    """
    chance = random.Random(SEED)
    cells: dict[tuple[str, str], list[Question]] = {}
    for question in sorted(questions, key=lambda question: question.id):
        if question.answer.strip():
            cells.setdefault((question.group, question.category), []).append(question)
    rows = list(cells.values())
    chance.shuffle(rows)
    for row in rows:
        chance.shuffle(row)
    turns = max(map(len, rows), default=0)
    return [row[turn] for turn in range(turns) for row in rows if turn < len(row)][:count]
