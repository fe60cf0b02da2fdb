"""What has been dealt with is known again: across restarts, cuts and processes, and not confused with what is new."""

import json
import os
import subprocess
import sys
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from nanobot_memory_plugins.core.files.seen_messages import MessageMarks
from nanobot_memory_plugins.core.values import messages_from_chat


def chat(*texts: str):
    return messages_from_chat(
        {"role": "user" if n % 2 == 0 else "assistant", "content": t} for n, t in enumerate(texts)
    )


def marked(folder: Path, *texts: str, key: str = "s") -> MessageMarks:
    marks = MessageMarks(folder)
    marks.change(key, lambda known: known.add(chat(*texts)))
    return MessageMarks(folder)  # read again, as after a restart


def new(marks: MessageMarks, messages, key: str = "s") -> list[bool]:
    return marks.read(key).is_new(messages)


def test_the_same_messages_are_known_after_a_restart(tmp_path):
    marks = marked(tmp_path, "a", "b", "c", "d")
    assert new(marks, chat("a", "b", "c", "d")) == [False] * 4
    assert new(marks, chat("a", "b", "c", "d", "e")) == [False] * 4 + [True]
    assert new(marks, chat("a", "b"), key="other") == [True, True]


def test_a_history_that_was_cut_is_known_from_its_first_message_on(tmp_path):
    marks = marked(tmp_path, "a", "b", "c", "d")
    assert new(marks, chat("c", "d", "e")) == [False, False, True]


def test_what_is_said_again_elsewhere_is_new(tmp_path):
    marks = marked(tmp_path, "use A", "ok", "use B", "fine")
    assert new(marks, chat("use B", "fine", "use A", "done")) == [False, False, True, True]


def test_tool_results_and_silent_calls_go_with_the_answer_that_follows(tmp_path):
    call = {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "function": {"name": "exec"}}]}
    result = {"role": "tool", "tool_call_id": "1", "content": "12 files"}
    marks = marked(tmp_path, "list", "there are 12")
    messages = messages_from_chat(
        [
            {"role": "system", "content": "s"},
            {"role": "user", "content": "list"},
            call,
            result,
            {"role": "assistant", "content": "there are 12"},
            call,
            result,
            {"role": "assistant", "content": "now 13"},
        ]
    )
    assert new(marks, messages) == [False, False, False, False, False, True, True, True]


def test_space_that_a_host_adds_changes_nothing(tmp_path):
    marks = marked(tmp_path, "one  line\nand another", "b")
    assert new(marks, chat("one line and another ", "b")) == [False, False]


def test_any_content_is_taken(tmp_path):
    odd = ["\ud800 alone", "\0", "x" * 400_000, "", " ", "\u2028"]
    marks = marked(tmp_path, *odd)
    assert not any(new(marks, chat(*odd)))
    assert new(marks, ()) == []


def test_a_file_that_cannot_be_read_or_written_costs_only_the_memory_of_restarts(tmp_path):
    marks = marked(tmp_path / "a", "x", "y")
    (file,) = (tmp_path / "a").glob("s*.json")
    assert file.stat().st_mode & 0o777 == 0o600
    file.write_text("{broken", encoding="utf-8")
    assert new(marks, chat("x", "y")) == [True, True]
    (tmp_path / "b").write_text("a file in the place of the folder", encoding="utf-8")
    here = MessageMarks(tmp_path / "b")
    here.change("s", lambda known: known.add(chat("x", "y")))
    assert new(here, chat("x", "y")) == [False, False]


def test_processes_do_not_lose_each_others_marks(tmp_path):
    code = (
        "import sys; from pathlib import Path\n"
        "from nanobot_memory_plugins.core.files.seen_messages import MessageMarks\n"
        "marks = MessageMarks(Path(sys.argv[1]))\n"
        "for n in range(20):\n"
        "    marks.change('s', lambda known: known.values.__setitem__(f'{sys.argv[2]}-{n}', 1))\n"
    )
    running = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path), name]) for name in "ab"]
    assert [one.wait(60) for one in running] == [0, 0]
    assert len(MessageMarks(tmp_path).read("s").values) == 40


def test_old_sessions_and_old_messages_are_forgotten(tmp_path, monkeypatch):
    monkeypatch.setattr("nanobot_memory_plugins.core.files.seen_messages._SESSIONS", 3)
    monkeypatch.setattr("nanobot_memory_plugins.core.files.seen_messages._REMEMBERED", 4)
    marks = MessageMarks(tmp_path)
    for number in range(6):
        marks.change(f"s{number}", lambda known: known.add(chat(*"abcdefgh")))
        os.utime(tmp_path / f"s{number}.json", (number, number))
    assert len(list(tmp_path.glob("s*.json"))) == 3
    assert len(json.loads((tmp_path / "s5.json").read_text(encoding="utf-8"))["singles"]) == 4


@settings(max_examples=60, deadline=None)
@given(texts=st.lists(st.text(min_size=1, max_size=8), max_size=12), cut=st.integers(0, 12))
def test_whatever_was_marked_is_never_new_again(tmp_path_factory, texts, cut):
    folder = tmp_path_factory.mktemp("marks")
    messages = chat(*texts)
    MessageMarks(folder).change("s", lambda known: known.add(messages))
    assert not any(new(MessageMarks(folder), messages))
    assert not any(new(MessageMarks(folder), messages[cut:]))
