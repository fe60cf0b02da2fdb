"""No query makes a search raise, with an index or without."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nanobot_memory_plugins.core.clock import SystemClock
from nanobot_memory_plugins.core.values import Origin, Query, Tier
from nanobot_memory_plugins.storage.database import Database
from nanobot_memory_plugins.storage.documents import Document, FileChange, FileState
from nanobot_memory_plugins.storage.search.options import SearchOptions
from nanobot_memory_plugins.storage.search.scan import scan_markdown
from nanobot_memory_plugins.storage.search.searcher import Searcher

HOSTILE = [
    '"',
    '""',
    '"unclosed',
    "NEAR(a b, 2)",
    "NEAR",
    "a AND",
    "OR",
    "NOT NOT",
    "*",
    "a*",
    "^a",
    "a:b",
    "body_terms : x",
    "{head_terms} : x",
    "(",
    ")",
    "((((",
    "-a",
    "+a",
    "a - b",
    "\0",
    "a\0b",
    "\ud800",
    "\udfff x",
    "😀",
    "👩‍👩‍👧",
    "'; DROP TABLE docs; --",
    "%",
    "_",
    "\\",
    "\u202e",
    "a" * 1_000_000,
    "记忆" * 500_000,
    "x " * 500_000,
    "\"'`\u200b",
    "",
    " ",
    "\n",
    "?" * 1_000,
]
DOCUMENTS = tuple(
    Document(
        key=f"k{number}",
        path="memory/a.md",
        line=number,
        offset=number,
        ordinal=number,
        source="note",
        text=text,
        content_hash=str(number),
        origin=Origin.USER,
        tldr=text[:20],
    )
    for number, text in enumerate(
        ["the port is 6543", "我喜欢用 Python 写脚本", "a AND b OR NOT c", '"quoted" *stars*']
    )
)


@pytest.fixture(scope="module")
def searcher(tmp_path_factory) -> Iterator[Searcher]:
    database = Database.open(tmp_path_factory.mktemp("hostile") / "memory.db")
    state = FileState(path="memory/a.md", offset=1, prefix_hash="", size=1, mtime_ns=1)
    database.apply(FileChange(path="memory/a.md", state=state, documents=DOCUMENTS))
    yield Searcher(database, lambda: None, options=SearchOptions(), clock=SystemClock())
    database.close()


@pytest.mark.accept("V3-08")
@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: repr(text[:12]))
@pytest.mark.parametrize("tier", Tier)
def test_a_hostile_query_is_answered_and_bounded(searcher: Searcher, text: str, tier: Tier):
    started = time.monotonic()
    searcher.search(Query(text=text, tier=tier))
    scan_markdown(DOCUMENTS, Query(text=text, tier=tier))
    assert time.monotonic() - started < 2.0


@pytest.mark.accept("V3-08")
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(), max_size=300) | st.lists(st.sampled_from(HOSTILE[:24]), max_size=8).map(" ".join))
def test_no_text_makes_a_search_raise(searcher: Searcher, text: str):
    query = Query(text=text, since=datetime(2000, 1, 1, tzinfo=UTC) if len(text) % 7 == 0 else None)
    found = searcher.search(query)
    assert len(found.hits) <= query.limit
    scan_markdown(DOCUMENTS, query)


def test_a_hostile_query_still_finds_what_it_names(searcher: Searcher):
    assert searcher.search(Query(text='"port" NEAR( *')).hits[0].text == "the port is 6543"
