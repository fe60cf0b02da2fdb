"""``nanobot-memory eval`` on small data sets, with the real command, files, index and model."""

import json
from pathlib import Path
from typing import Any

import pytest

from nanobot_memory_plugins.core.cli.main import run_command_line

Rows = list[dict[str, Any]]


def document(key: str, text: str, **more: Any) -> dict[str, Any]:
    base = {"group": "ann", "session": "one", "order": int(key[1:]), "ts": "2024-03-01T10:00:00", "role": "user"}
    return {"id": key, **base, "speaker": "Ann", "text": text, **more}


def question(key: str, text: str, gold: list[str], **more: Any) -> dict[str, Any]:
    base = {"group": "ann", "category": "x", "ts": "2024-06-01T10:00:00", "answer": ""}
    return {"id": key, **base, "text": text, "gold": gold, **more}


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    return written(tmp_path / "set", [document(f"d{number}", "It rains.") for number in range(3)], [])


def written(folder: Path, documents: Rows, questions: Rows) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in (("docs.jsonl", documents), ("queries.jsonl", questions)):
        (folder / name).write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return folder


def evaluated(capsys: pytest.CaptureFixture[str], folder: Path, *arguments: object, run: str = "run.jsonl") -> Rows:
    """Run the command without a model, and return the lines of the run."""
    target = folder.parent / run
    code, answer, errors = command(capsys, folder, "--run", target, "--no-embeddings", *arguments)
    assert code == 0, errors
    assert answer["ok"] is True
    return [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]


def command(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, dict[str, Any], str]:
    """Run the command line, and return its exit status, its JSON and its standard error."""
    capsys.readouterr()
    code = run_command_line(["eval", *map(str, arguments), "--json"])
    out, errors = capsys.readouterr()
    return code, json.loads(out) if out else {}, errors


def test_a_question_sees_nothing_of_another_group(capsys, tmp_path):
    same = "The treasure is buried under the old oak."
    documents = [
        document("d1", same, group="ann"),
        document("d2", same, group="ben"),
        document("d3", same, group=""),
        document("d4", same, group=None),
    ]
    asked = [
        question(f"q{number}", "where is the treasure buried?", [], group=group)
        for number, group in enumerate(("ann", "ben", "", None, "nobody"))
    ]
    lines = evaluated(capsys, written(tmp_path / "set", documents, asked))
    assert [sorted(line["ranked"]) for line in lines] == [["d1"], ["d2"], ["d3", "d4"], ["d3", "d4"], []]
    assert all(list(line) == ["query_id", "ranked", "injected"] for line in lines)
    # A repeated text is shown once.
    assert [line["injected"] for line in lines] == [line["ranked"][:1] for line in lines]


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        (b"{not json", "this is not JSON"),
        (b"[1, 2]", "this is no JSON object"),
        (b'{"text": "no id"}', "id: Field required"),
        (b'{"id": "d1", "text": "twice"}', "'d1' is also on line 3"),
        (b'{"id": "x", "text": ["a"]}', "text: Input should be a valid string"),
        (b'{"id": "x", "order": "third"}', "order: Input should be a valid number"),
        (b'{"id": "\xff"}', "not UTF-8"),
    ],
)
def test_bad_lines_are_named_with_their_cause(capsys, dataset, line, cause):
    path = dataset / "docs.jsonl"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\n\n", 1) + line + b"\n")
    target = dataset.parent / "run.jsonl"
    code, answer, errors = command(capsys, dataset, "--run", target, "--no-embeddings")
    assert code == 1
    assert answer["ok"] is False
    assert "docs.jsonl, line 5: " in answer["error"]
    assert cause in answer["error"]
    assert answer["hint"]
    assert cause in errors
    assert not target.exists()
