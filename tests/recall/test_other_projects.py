"""Memories of other projects come last in a block, with the project's name."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from nanobot_memory_plugins.core import MemoryHost, Scope
from nanobot_memory_plugins.core.values import Hit, Origin
from nanobot_memory_plugins.recall.block import build_block
from nanobot_memory_plugins.recall.deduplicate import merge_repeats
from nanobot_memory_plugins.recall.options import RecallOptions
from tests.support.patient import patient_config

DAY = datetime(2026, 2, 16, tzinfo=UTC)
CONFIG = patient_config(nanobot={"enabled": False})


def hit(key: str, text: str, project: str = "", *, path: str = "memory/a.md", days: int = 0) -> Hit:
    scope, time = Scope(project=project), DAY + timedelta(days=days)
    return Hit(
        id=key, text=text, path=path, line=1, score=1.0, origin=Origin.USER, coverage=1.0, time=time, scope=scope
    )


def test_memories_of_other_projects_come_last_even_if_newest_and_in_the_same_file():
    hits = [
        hit("b", "We test with jest", "ana/beta", days=9),
        hit("a", "We test with pytest", "ana/alpha"),
        hit("p", "I like short answers", path="memory/b.md", days=-1),
    ]
    block = build_block(hits, RecallOptions(), project="ana/alpha")
    assert block is not None
    assert block.hit_ids == ("a", "p", "b")
    assert block.text.splitlines() == [
        "a.md",
        "- [16 February 2026] user: We test with pytest (line 1)",
        "b.md",
        "- [15 February 2026] user: I like short answers (line 1)",
        "a.md",
        "- [25 February 2026] user (other project: ana/beta): We test with jest (line 1)",
    ]


def test_the_same_decision_in_two_projects_counts_twice():
    said = [hit("a", "We release on Thursdays", "ana/alpha"), hit("b", "We release on Thursdays", "ana/beta", days=1)]
    assert [one.id for one in merge_repeats(said)] == ["a", "b"]
    persons = hit("p", "We release on Thursdays", days=2)
    assert [one.id for one in merge_repeats([said[0], persons])] == ["p"]


async def test_a_turn_shows_other_projects_last_in_chinese_too(tmp_path: Path):
    question, marked = "还记得测试怎么运行吗？", "（另一项目：b/b）"
    async with MemoryHost(tmp_path, config=CONFIG) as host:
        for project, text in (("a/a", "测试用 pytest 运行"), ("b/b", "测试用 jest 运行")):
            await host.message_received(session_key=project, text=text, scope=Scope(project=project))
        await host.flush_index()
        turn = await host.message_received(session_key="new", text=question, scope=Scope(project="a/a"))
        lines = [line for line in (turn.block or "").splitlines() if line.startswith("- ")]
        search = host.tool("memory_search")
        assert search is not None
        found = await search.run({"query": question}, session_key="b/b")
    assert any("jest" in line for line in lines)
    for line in lines:
        assert (marked in line) is ("jest" in line)
    assert [line for line in lines if marked in line] == lines[-sum("jest" in line for line in lines) :]
    assert "| project b/b |" in found


def test_a_repeated_heading_of_a_file_counts_against_the_budget():
    hits = [hit(name, "We test", f"ana/{name}", path=f"memory/{'long ' * 200}.md") for name in ("alpha", "beta")]
    block = build_block(hits, RecallOptions(max_context_tokens=500), project="ana/alpha")
    assert block is not None
    assert block.hit_ids == ("alpha",)
