"""Fixed and generated entries and files for the tests."""

from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from nanobot_memory_plugins.consolidation.model.entry import Category, content_of
from nanobot_memory_plugins.core.values import Origin, Scope
from nanobot_memory_plugins.core.values.entries import Entry, bounded_score

NOW = datetime(2026, 2, 20, 10, 30, tzinfo=UTC)

# The example of the design document, byte for byte.
EXAMPLE = """# Agent Memory

<!-- Last updated: 2026-02-20T10:30:00 -->
<!-- Total entries: 15 -->

## Active Memories

### [a1b2c3] preference | 0.92 | 2026-02-20 | 12
用户喜欢简洁的代码风格，不喜欢过多注释

### [d4e5f6] fact | 0.88 | 2026-02-19 | 8
用户的主要开发语言是 Python，常用 FastAPI 框架

### [g7h8i9] workflow | 0.85 | 2026-02-20 | 15
用户每天早上 9 点查看 A 股行情，关注新能源板块

## Archived Memories

### [x1y2z3] fact | 0.18 | 2026-01-10 | 2
用户曾尝试用 Vue 写前端，但后来放弃了
"""


def entry(id: str = "a1b2c3", content: str = "likes tea", score: float = 0.8, **more: object) -> Entry:  # noqa: A002
    values: dict[str, object] = {"category": "fact", "last_activated": NOW, **more}
    return Entry(id=id, content=content, anchor=score, **values)  # type: ignore[arg-type]


ids = st.text("abcdef0123456789", min_size=4, max_size=8)
texts = st.text(max_size=60).map(content_of).filter(bool) | st.sampled_from(
    [
        "# no heading",
        "\\# escaped",
        "<!-- created: x -->",
        "```",
        "~~~ code",
        "用户喜欢喝茶",
        "### [a] b | 1 | 2026-01-01 | 1",
    ]
)
times = st.datetimes(datetime(2000, 1, 1), datetime(2090, 1, 1), timezones=st.just(UTC))
words = st.text(max_size=20).map(lambda text: text.replace("\0", "").encode("utf-8", "replace").decode().strip())
names = words.filter(lambda text: "\ufffd" not in text)
scores = st.floats(0, 1).map(bounded_score) | st.sampled_from([0.0, 0.2, 0.8, 1.0])
drawn_entries = st.builds(
    Entry,
    id=ids,
    content=texts,
    category=st.sampled_from([*(c.value for c in Category), "mood"]),
    anchor=scores,
    last_activated=times,
    hits=st.integers(0, 10_000),
    created_at=st.none() | times,
    source_session=names,
    expires_at=st.none() | times,
    group=st.sampled_from(["", "work", "work/clients", "生活"]),
    supersedes=st.lists(ids, max_size=2, unique=True).map(tuple),
    superseded_by=st.just("") | ids,
    origin=st.sampled_from(Origin),
    scope=st.builds(Scope, agent=names, user=names, channel=names, session=names),
    anchor_days=st.integers(0, 20),
    decayed_days=st.integers(0, 400),
    importance=st.sampled_from(["", "high", "medium", "low"]),
)
entry_lists = st.lists(drawn_entries, max_size=8, unique_by=lambda one: one.id)

FOREIGN = [
    "Plain words.",
    "- a list\n- of two",
    "## A section of mine\n\nwith text",
    "# A title",
    "### A small heading\ntext below it",
    "#### Smaller",
    "```\n## Active Memories\n\ncode # not a heading\n```",
    "~~~\n# comment\n~~~",
    "```\nnever closed",
    "### [broken] fact | much | 2026-01-01 | 1\nnot an entry",
    "### [half",
    "### 2026-02-16 14:20 note\ntype: note\nid: 5f0c2a9be1d04437\n\ndetails:\nx",
    "<!-- a comment -->",
    "<!-- Last updated: never -->",
    "用户自己的笔记",
    "| a | table |\n|---|---|",
    "trailing spaces   \nand a tab\t",
    "    indented code",
]
foreign = st.lists(st.sampled_from(FOREIGN), min_size=1, max_size=3).map("\n\n".join)


def days(number: float) -> timedelta:
    return timedelta(days=number)


def added(*entries: Entry):
    """Return a change that adds entries."""
    return lambda current: {**current, **{one.id: one for one in entries}}
