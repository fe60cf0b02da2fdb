"""A small labelled set, made here, in the form of those that are measured on."""

import json
from pathlib import Path

from benchmarks.retrieval.datasets import LabelledSet, read_set

DOCUMENTS = [
    ("a/1", "a", "Ann", "I adopted a greyhound called Biscuit last week."),
    ("a/2", "a", "Ben", "The quarterly invoices are in the blue folder."),
    ("a/3", "a", "Ann", "My dentist moved to Harbour Street."),
    ("b/1", "b", "小林", "我把备份服务器的端口改成了九千零一。"),
    ("b/2", "b", "小林", "周末去爬山，天气很好。"),
]
QUESTIONS = [
    ("q1", "a", "What is the name of Ann's greyhound?", "single", "Biscuit", ["a/1"]),
    ("q2", "a", "Where are the invoices?", "multi", "in the blue folder", ["a/2"]),
    ("q3", "b", "备份服务器的端口是多少？", "zh", "九千零一", ["b/1"]),
    ("q4", "a", "What did Ben never say?", "adversarial", "", ["a/3"]),
]


def made_set(folder: Path) -> LabelledSet:
    """Write the set to ``folder`` and return it, read."""
    folder.mkdir(parents=True)
    documents = [
        {"id": key, "group": group, "session": "s1", "order": place, "ts": "2024-05-03T10:00:00", "role": "user"}
        | {"speaker": speaker, "text": text}
        for place, (key, group, speaker, text) in enumerate(DOCUMENTS)
    ]
    questions = [
        {"id": key, "group": group, "text": text, "category": category, "ts": "now", "answer": answer, "gold": gold}
        for key, group, text, category, answer, gold in QUESTIONS
    ]
    for name, rows in (("docs", documents), ("queries", questions)):
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    return read_set(folder)
