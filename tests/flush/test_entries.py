"""Answers of every shape are read; none makes the reader stumble."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nanobot_memory_plugins.core.values import NoteType, messages_from_chat
from nanobot_memory_plugins.flush.entries import FlushedEntry, grounded, read_entries
from tests.support.each import each
from tests.support.examples import examples

WANTED = "The port is 5433"
ROW = {"type": "decision", "tags": ["db", "port"], "tldr": WANTED, "details": "why not", "quote": "port 5433"}

SHAPES = {
    "a list": json.dumps([ROW]),
    "one object": json.dumps(ROW),
    "fenced": f"Here it is:\n```json\n{json.dumps([ROW], indent=2)}\n```\nDone.",
    "wrapped": json.dumps({"memories": {"entries": [ROW]}}),
    "lists of lists": json.dumps([[ROW]]),
    "cut off": json.dumps([ROW])[:-2],
    "single quotes and a comma": "[{'type': 'decision', 'tags': ['db', 'port'], 'tldr': 'The port is 5433',"
    " 'details': 'why not', 'quote': 'port 5433',},]",
    "tags as text": json.dumps([{**ROW, "tags": "db, port"}]),
    "other names": json.dumps(
        [{"Category": "Decision", "Keywords": ["db", "port"], "Summary": WANTED, "reason": "why not"}]
    ),
    "chinese names": json.dumps(
        [{"类型": "决定", "标签": "db，port", "摘要": WANTED, "原因": "why not"}], ensure_ascii=False
    ),
    "after thoughts": f"<think>what is [worth] it</think>{json.dumps([ROW])}",
    "a markdown entry": "### 2026-02-16 14:20\ntype: decision\ntags: db, port\n"
    "tl;dr: The port is 5433\n\ndetails:\nwhy not\n",
    "markdown with bold names": "**type**: decision\n**tags**: db, port\n"
    "**tl;dr**: The port is 5433\n**details**: why not",
    "then no reply": json.dumps([ROW]) + "\nNO_REPLY",
}


@each("shape", SHAPES)
def test_an_entry_is_read_in_every_shape(shape):
    (entry,) = read_entries(SHAPES[shape])
    assert (entry.tldr, entry.type, entry.tags) == (WANTED, NoteType.DECISION, ("db", "port"))
    assert entry.details.strip() == "why not"


@pytest.mark.parametrize(
    "answer",
    [
        "- The port is 5433\n- Marta reviews",
        "1. The port is 5433\n2. Marta reviews",
        '["The port is 5433", "Marta reviews"]',
        "Decision: The port is 5433\nMarta reviews",
    ],
)
def test_lists_and_lines_are_entries_of_their_own(answer):
    assert [entry.tldr for entry in read_entries(answer)] == [WANTED, "Marta reviews"]


def test_two_markdown_entries_are_two():
    text = "type: decision\ntl;dr: first\ndetails:\n- a\n- b\n\ntype: bug\ntl;dr: second\ndetails: c"
    assert [(entry.tldr, entry.type) for entry in read_entries(text)] == [
        ("first", NoteType.DECISION),
        ("second", NoteType.BUG),
    ]


@each("answer", ["", "NO_REPLY", "[]", "I'm sorry, I cannot.", '[{"tldr": "NO_REPLY"}]', '[{"tldr": ""}, {}, null, 5]'])
def test_nothing_is_read_out_of_nothing(answer):
    assert read_entries(answer) == []


def test_the_same_entry_is_read_once_and_kept_short():
    entries = read_entries(json.dumps([ROW, {**ROW, "tldr": "the PORT is 5433."}, {**ROW, "tldr": "x" * 5_000}]))
    assert len(entries) == 2
    assert max(len(entry.tldr) for entry in entries) <= 300


def test_what_the_conversation_does_not_say_is_left_out():
    talk = messages_from_chat([{"role": "user", "content": "We decided that the database listens on port 5433."}])
    entries = [FlushedEntry("The database port is 5433."), FlushedEntry("The user bought a sailing boat in Portugal.")]
    assert grounded(entries, talk) == entries[:1]


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["tldr", "type", "tags", "details", "quote", "x"]), inner, max_size=5)
    ),
    max_leaves=20,
)


@settings(max_examples=examples(150), deadline=None)
@given(st.one_of(st.text(max_size=400), JSON.map(json.dumps), JSON.map(lambda value: json.dumps(value)[:-3])))
def test_no_answer_makes_the_reader_stumble(answer):
    for entry in read_entries(answer):
        assert entry.tldr
        assert len(entry.tldr) <= 300
        assert "\n" not in entry.tldr
        f"{entry.tldr}{entry.details}{entry.tags}".encode()


@pytest.mark.slow
@pytest.mark.parametrize("answer", ["[" * 40_000, '{"a":' * 8_000, "- " * 20_000, "[{" * 20_000, ("x: y\n" * 8_000)])
def test_hostile_answers_are_read_in_time(answer):
    import time

    began = time.thread_time()
    read_entries(answer)
    assert time.thread_time() - began < 10
