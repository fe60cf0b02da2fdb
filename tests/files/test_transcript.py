import json
from datetime import UTC
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nanobot_memory_plugins.core.files.transcript import (
    TranscriptRecord,
    last_records,
    parse_transcript_line,
    render_transcript_line,
)
from nanobot_memory_plugins.core.values import Origin, Scope
from tests.support.each import each
from tests.support.examples import examples

TEXT = st.text(max_size=30) | st.sampled_from(["\0", "\n", "\u2028", '"},{', "\\", "😀", "记忆", "\x1b[0m"])
RECORDS = st.builds(
    lambda role, text, session, agent, user, channel, origin, id_, time, name: TranscriptRecord(
        role, text, session, Scope(agent, user, channel, session), origin, id_, time, name
    ),
    TEXT, TEXT, TEXT, TEXT, TEXT, TEXT, st.sampled_from(Origin), TEXT,
    st.none() | st.datetimes(timezones=st.just(UTC)), TEXT,
)  # fmt: skip


def record(text: str, session: str = "s") -> TranscriptRecord:
    return TranscriptRecord("user", text, session, Scope(session=session), Origin.USER, id=text)


@settings(max_examples=examples(300), deadline=None)
@given(RECORDS)
def test_a_record_is_read_back_from_its_line(record: TranscriptRecord) -> None:
    line = render_transcript_line(record)
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert parse_transcript_line(line) == record
    assert json.loads(line)["text"] == record.text


@each(
    "line",
    [
        b"", b"\n", b"{", b"[]", b"null", b'{"role":"user"}', b'{"role":1,"text":"x"}',
        b'{"role":"user","text":null}', b'{"role":"user","text":"tor',
        b"\xff\xfe", b"[" * 100_000, b"# Markdown", b"1" * 5000,
    ],
)  # fmt: skip
def test_an_incomplete_or_unrelated_line_is_ignored(line: bytes) -> None:
    assert parse_transcript_line(line) is None


@settings(max_examples=examples(40), deadline=None)
@given(st.lists(st.integers(0, 100_000), max_size=12), st.integers(0, 14))
def test_the_last_records_are_read_from_the_end(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[int], limit: int
) -> None:
    path = tmp_path_factory.mktemp("t") / "s.jsonl"
    texts = [f"{number}{'x' * size}" for number, size in enumerate(sizes)]
    path.write_bytes(b"".join(render_transcript_line(record(text)) for text in texts))
    found = [found.text for found in last_records(path, "s", limit)]
    assert found == (texts[-limit:] if limit else [])


def test_only_the_end_of_a_large_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    with path.open("wb") as file:
        file.truncate(50 << 30)  # sparse: reading it whole would take minutes
        file.seek(0, 2)
        file.write(b"\n" + render_transcript_line(record("end")))
    assert [found.text for found in last_records(path, "s", 1)] == ["end"]
    assert [found.text for found in last_records(path, "s", 5)] == ["end"]
