"""The bootstrap plugin in a real host."""

import pytest

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.core.values.diagnosis import Health

PARTS = [f"line {number} of the file" for number in range(2_000)]
LARGE = "\n".join(PARTS)


@pytest.fixture(autouse=True)
def only_bootstrap(monkeypatch):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "bootstrap")


@pytest.fixture
async def memory(tmp_path):
    async with MemoryHost(tmp_path) as host:
        yield host


@pytest.mark.smoke
@pytest.mark.accept("BB-03")
async def test_files_beyond_the_budget_are_skipped_with_a_warning(tmp_path, warnings):
    options = {"plugins": {"bootstrap": {"max_chars": 24_000, "total_max_chars": 24_000}}}
    async with MemoryHost(tmp_path / "w", config=MemoryConfig.model_validate(options)) as memory:
        texts = memory.trim_bootstrap({"AGENTS.md": "a" * 23_450, "SOUL.md": "kind", "USER.md": "me"})
    assert list(texts) == ["AGENTS.md"]
    assert [line.strip() for line in warnings] == [
        f"bootstrap file {name} ({size} characters) is left out of the prompt: the budget of 24000 characters is spent"
        for name, size in (("SOUL.md", 4), ("USER.md", 2))
    ]


@pytest.mark.accept("BB-04")
async def test_doctor_reports_the_size_of_the_bootstrap_files(tmp_path, memory):
    (tmp_path / "memory").mkdir(exist_ok=True)
    (tmp_path / "AGENTS.md").write_text("word " * 400, encoding="utf-8")
    (tmp_path / "memory" / "MEMORY.md").write_text("用户喜欢咖啡\n" * 100, encoding="utf-8")
    (tmp_path / "SOUL.md").write_bytes(b"\xff\xfe")
    findings = [f for f in await memory.diagnose() if f.subject.startswith("bootstrap file")]
    assert [(f.subject, f.health) for f in findings] == [("bootstrap files", Health.GOOD)]
    assert "AGENTS.md, memory/MEMORY.md: 2,749 of 24,000 characters, about 1,125 tokens" in findings[0].state


@pytest.mark.accept("BB-04")
async def test_doctor_names_shortened_files_with_a_hint(tmp_path, memory):
    (tmp_path / "AGENTS.md").write_text(LARGE, encoding="utf-8")
    _, cut = [f for f in await memory.diagnose() if f.subject.startswith("bootstrap file")]
    assert cut.subject == "bootstrap file AGENTS.md"
    assert cut.health is Health.DEGRADED
    assert f"of {len(LARGE):,} characters are left out" in cut.state
    assert "maxChars" in cut.hint
