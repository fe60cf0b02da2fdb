"""Measures the redactor on a labelled corpus that is kept outside the project; skipped where it is missing."""

import pytest

from benchmarks import redaction

PATH = redaction.corpus_path()


@pytest.mark.skipif(not PATH.exists(), reason="the labelled corpus is kept outside the project")
def test_recall_and_false_positives_on_the_corpus():
    rows = redaction.read_corpus(PATH)
    recall, false_positives = redaction.measure(rows)
    assert recall >= 0.97
    assert false_positives <= 0.02
    for row in rows:
        text = redaction.redact_text(row["text"])
        for kept in row.get("keep", []):
            assert kept in text, row["id"]
