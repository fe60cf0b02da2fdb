"""A tool may return anything: the event loop is not blocked, the call returns in time, and the note is kept."""

import time

import pytest

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.core.redaction import safe_preview
from nanobot_memory_plugins.observation import plugin as observation
from nanobot_memory_plugins.redaction.engine.redactor import Budget, Redactor
from nanobot_memory_plugins.redaction.engine.views import _MARGIN
from nanobot_memory_plugins.redaction.rules.rule import UNCHECKED

HOSTILE = {
    "pairs": lambda: "pwd=a;" * 2_000_000,
    "one run": lambda: "key:" * 2_000_000,
    "capitals": lambda: "password=" + "QZJXKVWPY" * 2_000_000,
    "Chinese": lambda: "密码是" * 2_000_000,
    "blanks": lambda: " " * 10_000_000,
}


def nested() -> list[object]:
    """Return a list that is nested a hundred thousand times."""
    value: list[object] = []
    for _ in range(100_000):
        value = [value, "x"]
    return value


LARGE = {
    "numbers": lambda: list(range(1_000_000)),
    "rows": lambda: {"rows": [{"id": number, "name": f"n{number}", "tags": ["x", "y"]} for number in range(30_000)]},
    "mapping": lambda: {number: number for number in range(300_000)},
    "keys": lambda: {"k" * 10_000_000: 1, tuple(range(300_000)): 2, 10**5_000: 3},
    "texts": lambda: ["pwd=a; " * 15_000] * 100,
    "bytes": lambda: b"\xff" * 10_000_000,
    "nested": nested,
}


async def loop_time(call) -> tuple[float, object]:
    """Return the processor time that a call takes in the event loop's thread, and its answer."""
    began = time.thread_time()
    answer = await call
    return time.thread_time() - began, answer


@pytest.mark.parametrize("kind", HOSTILE)
async def test_a_tool_result_of_any_content_is_kept_and_costs_the_loop_nothing(tmp_path, kind, monkeypatch):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "observation")
    result = HOSTILE[kind]()
    async with MemoryHost(tmp_path, config=MemoryConfig()) as memory:
        await memory.tool_executed(session_key="a", tool_name="exec", arguments={}, result="warm")
        seconds, receipt = await loop_time(
            memory.tool_executed(session_key="a", tool_name="web_fetch", arguments={}, result=result)
        )
    assert receipt.stored
    assert seconds < 0.05  # 2 ms where it is measured alone
    note = next((tmp_path / "memory").glob("20*.md")).read_text("utf-8")
    assert "web_fetch" in note
    assert len(note) < 20_000


@pytest.mark.parametrize("kind", LARGE)
async def test_a_tool_result_of_any_size_is_kept_cut_and_costs_the_loop_nothing(tmp_path, kind, monkeypatch):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "observation")
    large = LARGE[kind]()
    async with MemoryHost(tmp_path, config=MemoryConfig()) as memory:
        await memory.tool_executed(session_key="a", tool_name="exec", arguments={}, result="warm")
        used = []
        for arguments, result in (({}, large), ({"query": large}, "done")):
            seconds, receipt = await loop_time(
                memory.tool_executed(session_key="a", tool_name="query", arguments=arguments, result=result)
            )
            assert receipt.stored
            used.append(seconds)
    assert min(used) < 0.05  # 1 to 2 ms alone, 15 beside much else; to copy the rows takes 200, and the numbers 160
    assert len(next((tmp_path / "memory").glob("20*.md")).read_text("utf-8")) < 20_000


def test_no_part_of_a_secret_across_the_border_of_the_read_text_is_shown():
    limit = 2_000
    secret = "ghp_" + "aB3dE5fG7h" * 4
    for border in (limit, limit * 4 + _MARGIN):
        for before in range(border - len(secret) - 20, border + 5, 9):
            text = ("word " * border)[:before] + f" password: {secret} " + "word " * 20_000
            assert "aB3dE5" not in safe_preview(text, max_chars=limit)
    key = "MIIE" * ((limit * 4 + _MARGIN) // 4 - 30)
    shrinks = f"-----BEGIN PRIVATE KEY-----\n{key}\n-----END PRIVATE KEY-----\n"
    for before in range(0, limit * 4 + _MARGIN - len(shrinks), 9):
        shown = safe_preview(shrinks + "x " * (before // 2) + secret + " word" * 20_000, max_chars=limit)
        assert "aB3dE5" not in shown


@pytest.mark.parametrize("windows", [1, 2, 3])
def test_no_part_of_a_secret_across_the_end_of_the_budget_is_shown(windows):
    secret = "Tundra77wV" * 3
    for before in range(windows * 16_384 - 60, windows * 16_384 + 10, 7):
        text = ("word " * 20_000)[:before] + f" password={secret} " + "word " * 20_000
        ticks = iter(range(1_000))
        hidden = Redactor().redact(text, budget=Budget(windows + 0.5, lambda: float(next(ticks))))  # noqa: B023
        assert "Tundra" not in hidden
        assert hidden.endswith(UNCHECKED)


async def note_of_result(folder, *, limit: float, slow: float, monkeypatch) -> str:
    """Run a tool while redaction takes ``slow`` seconds, as on a busy machine, and return the note's text."""

    def slow_preview(value, **how):
        time.sleep(slow)
        return safe_preview(value, **how)

    monkeypatch.setattr(observation, "safe_preview", slow_preview)
    settings = {"core": {"tool_limit": limit}, "plugins": {"storage": {"embedding_provider": "none"}}}
    async with MemoryHost(folder, config=MemoryConfig.model_validate(settings)) as memory:
        receipt = await memory.tool_executed(
            session_key="cli:direct", tool_name="exec", arguments={"command": "look"}, result="three wombats"
        )
        assert receipt.stored
        return receipt.path.read_text(encoding="utf-8")


async def test_a_result_that_cannot_be_checked_in_time_is_hidden_and_the_note_kept(tmp_path, monkeypatch):
    note = await note_of_result(tmp_path, limit=1.0, slow=0.9, monkeypatch=monkeypatch)
    assert UNCHECKED in note
    assert "wombats" not in note
