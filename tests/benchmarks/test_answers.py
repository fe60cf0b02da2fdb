"""The answers are scored as SQuAD's are, every condition gets the same room, and a run goes on where it stopped."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import pytest
from hypothesis import given as hypothesis_given
from hypothesis import strategies

from benchmarks.answers import command
from benchmarks.answers.asking import INSTRUCTION, ask
from benchmarks.answers.blocks import block_of_size, evidence, note_line, our_blocks
from benchmarks.answers.record import Given, append_given, read_given
from benchmarks.answers.sample import chosen
from benchmarks.answers.scoring import mean_interval, token_f1
from benchmarks.answers.table import table
from benchmarks.retrieval.datasets import Question
from nanobot_memory_plugins.core.text.tokens import estimate_tokens
from tests.benchmarks.made_set import made_set
from tests.support.each import each


@each(
    ("answer", "expected", "f1"),
    [
        ("The blue folder.", "blue folder", 1.0),
        ("In a BLUE box", "in the blue folder", 2 / 3),
        ("Biscuit", "Rex", 0.0),
        ("", "", 1.0),
        ("", "Rex", 0.0),
        ("rex rex", "Rex", 2 / 3),
    ],
)
def test_token_f1(answer, expected, f1):
    assert token_f1(answer, expected) == pytest.approx(f1)


@hypothesis_given(strategies.text(), strategies.text())
def test_token_f1_is_symmetric_and_bounded(one, other):
    assert 0 <= token_f1(one, other) <= 1
    assert token_f1(one, other) == token_f1(other, one)


def test_the_interval_holds_the_mean_and_is_the_same_every_time():
    values = [0.0, 1.0] * 50
    interval = mean_interval(values)
    assert interval == mean_interval(values)
    assert interval.low < interval.mean == 0.5 < interval.high
    # The standard error of the mean is .05: the interval is about two of them wide on either side.
    assert 0.36 < interval.low < 0.44
    assert 0.56 < interval.high < 0.64


def made_questions(cells):
    return [
        Question(id=f"{group}{category}{number}", group=group, text="?", category=category, answer=answer, gold=("x",))
        for (group, category), count in cells.items()
        for number in range(count)
        for answer in ["yes" if number or category != "z" else ""]
    ]


def test_the_sample_is_even_and_a_short_one_is_the_beginning_of_a_long_one():
    questions = made_questions({("a", "x"): 30, ("a", "y"): 3, ("b", "x"): 30, ("b", "z"): 2})
    sample = chosen(questions, 8)
    cells = [("a", "x"), ("a", "y"), ("b", "x"), ("b", "z")]
    counts = [sum((question.group, question.category) == cell for question in sample) for cell in cells]
    assert sorted(counts) == [1, 2, 2, 3]
    assert chosen(questions, 20)[:8] == sample
    assert chosen([*reversed(questions)], 8) == sample
    assert all(question.answer for question in chosen(questions, 1_000))
    assert len(chosen(questions, 1_000)) == 64


def test_a_block_takes_the_best_that_fit_and_no_more_room_than_it_has(tmp_path):
    documents = {document.id: document for document in made_set(tmp_path / "made").documents}
    size = estimate_tokens(note_line(documents["a/1"])) + 2
    block = block_of_size(["a/1", "a/2", "a/3"], documents, size)
    assert block == "[3 May 2024] Ann: I adopted a greyhound called Biscuit last week."
    assert estimate_tokens(block_of_size(["a/2", "a/3", "a/1"], documents, 40)) <= 40
    assert block_of_size(["a/1"], documents, 0) == ""


def test_the_evidence_is_what_the_labels_name(tmp_path):
    labelled = made_set(tmp_path / "made")
    documents = {document.id: document for document in labelled.documents}
    assert evidence(labelled.questions[1], documents).endswith("Ben: The quarterly invoices are in the blue folder.")


@pytest.mark.slow
def test_our_block_is_what_a_host_gets_and_the_questions_are_not_kept(tmp_path, builtin_model):
    labelled = made_set(tmp_path / "made")
    asked = [labelled.questions[0], labelled.questions[0].model_copy(update={"id": "again"}), labelled.questions[2]]
    blocks = our_blocks(labelled, asked)
    assert "[3 May 2024] Ann: I adopted a greyhound called Biscuit" in blocks["q1"]
    assert "What is the name" not in blocks["again"]
    assert "小林: 我把备份服务器的端口" in blocks["q3"]
    assert "greyhound" not in blocks["q3"]


def record(question, condition, score=1.0, instruction="i"):
    return Given(question=question, condition=condition, instruction=instruction, tokens=10, answer="x", expected="x",
                 score=score, seconds=1.0)  # fmt: skip


def test_answers_survive_a_torn_line_and_another_instruction_is_left_out(tmp_path):
    file = tmp_path / "answers.jsonl"
    assert read_given(file, "i") == {}
    append_given(file, record("q1", "ours"))
    append_given(file, record("q1", "none", instruction="old"))
    with file.open("ab") as lines:
        lines.write(b'{"question": "q2", "cond')
    append_given(file, record("q3", "ours"))
    assert set(read_given(file, "i")) == {("q1", "ours"), ("q3", "ours")}


def test_the_table_compares_the_same_questions_and_shares_of_the_bound():
    given = {
        (answer.question, answer.condition): answer
        for number in range(40)
        for answer in (record(f"q{number}", "ours", 0.5), record(f"q{number}", "none", 0.1 * (number % 2)),
                       record(f"q{number}", "evidence", 1.0))
    }  # fmt: skip
    given["extra", "none"] = record("extra", "none", 1.0)
    lines = table(given, ("none", "ours", "evidence")).splitlines()
    assert lines[0].strip() == "40 questions"
    assert lines[2].split()[:2] == ["none", "0.050"]
    assert "+0.450" in lines[2]
    assert lines[2].endswith("*")
    assert "0.50" in lines[3].split()
    assert "no question" in table(given, ("none", "fts5"))


@pytest.fixture
def model():
    """A server that stands in for the model's own and answers with the last word of the first note."""
    bodies = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            content = json.dumps({"choices": [{"message": {"content": " in the blue folder "}}]}).encode()
            self.send_response(200)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *arguments):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield SimpleNamespace(process=SimpleNamespace(address=server.server_address), model_name="local", bodies=bodies)
    server.shutdown()
    thread.join()
    server.server_close()


def test_what_is_the_same_every_time_comes_first_in_the_prompt(model):
    assert ask(model, "[2024-05-03] Ann: hello", "Who?") == "in the blue folder"
    (body,) = model.bodies
    assert body["messages"][0] == {"role": "system", "content": INSTRUCTION}
    assert body["messages"][1]["content"] == "[2024-05-03] Ann: hello\n\nQuestion: Who?\nAnswer in at most six words:"
    assert (body["temperature"], body["max_tokens"], body["stop"]) == (0, 40, ["\n"])


@pytest.mark.slow
def test_a_run_goes_on_where_it_stopped(tmp_path, monkeypatch, model, capsys, builtin_model):
    made_set(tmp_path / "bench" / command.SET)

    class Server:
        def __init__(self, *arguments, **options):
            pass

        def __enter__(self):
            return model

        def __exit__(self, *error):
            pass

    monkeypatch.setattr(command, "LocalModelServer", Server)
    monkeypatch.setattr(command, "local_model_file", lambda: tmp_path)
    file = tmp_path / "answers.jsonl"
    options = ["--bench", str(tmp_path / "bench"), "--conditions", "none,fts5,ours,evidence", "--resume", str(file)]
    command.main([*options, "--questions", "1"])
    first = len(model.bodies)
    assert 1 <= first <= 4
    assert len(file.read_text(encoding="utf-8").splitlines()) == 4
    command.main([*options, "--questions", "3"])
    assert len(file.read_text(encoding="utf-8").splitlines()) == 12
    asked = len(model.bodies)
    command.main([*options, "--questions", "3"])
    assert len(model.bodies) == asked
    assert "3 questions" in capsys.readouterr().out
