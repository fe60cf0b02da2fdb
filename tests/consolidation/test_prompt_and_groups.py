"""The entries in the prompt, and groups."""

from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanobot_memory_plugins.consolidation.model.entry import canonical_group
from nanobot_memory_plugins.consolidation.model.scoring import end_of
from nanobot_memory_plugins.consolidation.options import ConsolidationOptions
from nanobot_memory_plugins.consolidation.prompt import prompt_text
from nanobot_memory_plugins.consolidation.store.document import parse
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import MemoryHost, Origin
from nanobot_memory_plugins.core.text.tokens import estimate_tokens
from nanobot_memory_plugins.core.values.entries import Entry
from tests.support.each import each

from .made_entries import EXAMPLE, NOW, entry, entry_lists

OPTIONS = ConsolidationOptions()


def test_the_prompt_matches_the_document():
    assert prompt_text(parse(EXAMPLE.encode()).entries.values(), "zh", NOW, OPTIONS) == (
        "# 历史记忆\n\n关于用户的关键信息：\n"
        "- 用户喜欢简洁的代码风格，不喜欢过多注释\n"
        "- 用户的主要开发语言是 Python，常用 FastAPI 框架\n"
        "- 用户每天早上 9 点查看 A 股行情，关注新能源板块"
    )


def test_only_the_users_own_words_and_confirmed_findings_of_the_assistant_are_shown():
    soon = {"expires_at": end_of(date(2026, 2, 22), UTC)}
    entries = [
        entry(one.value, f"said by a {one.value}", origin=one, **soon) for one in Origin if one is not Origin.USER
    ]
    found = entry("found", "the cause is a full disk", origin=Origin.ASSISTANT, quote="The disk was full.")
    assert prompt_text([*entries, found], "en", NOW, OPTIONS) == ""
    assert "the cause is a full disk" in prompt_text([*entries, replace(found, hits=1)], "en", NOW, OPTIONS)


def test_a_plan_is_shown_near_its_day_and_removed_afterwards():
    flight = entry("f", "The user flies to Oslo", 0.1, expires_at=end_of(date(2026, 2, 25), UTC))
    talk = entry("t", "The talk is on 2026-02-25", 0.8, expires_at=end_of(date(2026, 2, 25), UTC))
    dog = entry("d", "The user has a dog", 0.9)

    def lines(now: datetime, language="en") -> list[str]:
        return prompt_text([dog, talk, flight], language, now, OPTIONS).splitlines()[3:]

    assert lines(datetime(2026, 2, 17, 9, tzinfo=UTC)) == ["- The user has a dog", "- The talk is on 2026-02-25"]
    assert lines(datetime(2026, 2, 18, 9, tzinfo=UTC))[1] == "- The user flies to Oslo (2026-02-25)"
    assert lines(datetime(2026, 2, 24, 9, tzinfo=UTC)) == [
        "- The talk is on 2026-02-25",
        "- The user flies to Oslo (2026-02-25)",
        "- The user has a dog",
    ]
    assert lines(datetime(2026, 2, 25, 9, tzinfo=UTC), "zh")[1] == "- The user flies to Oslo（2026-02-25）"
    assert lines(datetime(2026, 2, 26, tzinfo=UTC)) == ["- The user has a dog"]


@given(entry_lists, st.integers(50, 300), st.sampled_from(["zh", "en"]))
def test_the_token_budget_is_respected(entries: list[Entry], tokens: int, language):
    options = ConsolidationOptions(prompt_tokens=tokens, prompt_min_score=0)
    assert estimate_tokens(prompt_text(entries, language, NOW, options)) <= tokens


@each(
    ("given_name", "name"),
    [
        (" Work // Clients/ ", "work/clients"),
        ("../../etc", "etc"),
        ("a\nb", "a b"),
        ("工作／客户", "工作/客户"),
        ("/", ""),
    ],
)
def test_a_group_has_one_canonical_name(given_name: str, name: str):
    assert canonical_group(given_name) == name


async def test_a_file_that_was_unreadable_once_is_shown_as_soon_as_it_is_readable(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "consolidation")
    (workspace / "memory" / "ENTRIES.md").write_text("## Active Memories\n\n- The user likes tea\n", encoding="utf-8")
    EntryRepository(workspace).adopt_edits()
    with monkeypatch.context() as patch:
        patch.setattr(f"{EntryRepository.__module__}.read_inside", Mock(side_effect=PermissionError))
        host = MemoryHost(workspace)
        await host.start()
        assert host.prompt_entries(session_key="cli").text == ""
    assert "likes tea" in host.prompt_entries(session_key="cli").text
    await host.close()


async def test_entries_in_a_persons_own_long_term_file_stay_in_the_prompt(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "consolidation")
    theirs = "# Notes\n\n## Active Memories\n\n### [a1b2c3] fact | 0.92 | 2026-02-20 | 12\nThe user likes oolong tea\n"
    (workspace / "memory" / "MEMORY.md").write_text(theirs, encoding="utf-8")
    (workspace / "memory" / "ENTRIES.md").write_text("## Active Memories\n\n- The user has a cat\n", encoding="utf-8")
    async with MemoryHost(workspace) as host:
        for given in (theirs, host.base_context()):
            known = host.prompt_entries(given, session_key="cli")
            assert "has a cat" in known.text
            assert "has a cat" not in known.long_term
            assert known.long_term.startswith(theirs.rstrip())
