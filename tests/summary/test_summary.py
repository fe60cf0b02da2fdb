"""Summaries of sessions that have gone quiet or have ended."""

import asyncio
import time
from datetime import UTC, datetime

import pytest

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost, Note
from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.core.testing import install_plugin
from nanobot_memory_plugins.core.text.tokens import estimate_tokens
from nanobot_memory_plugins.core.values import Origin
from tests.flush.conftest import chat, notes

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
TALK = chat(
    "Please move the Bluebird database to port 5433.",
    "I changed the configuration to port 5433.",
    "And restart it.",
    "Restarted, it listens on 5433.",
    "Does the health check pass?",
    "Yes, the health check passes.",
)
SENSIBLE = "The user wanted the Bluebird database on port 5433. It was reconfigured and restarted; the check passes."
CHINESE = chat("把蓝鲸数据库移到 5433 端口", "已改为 5433。", "重启一下", "已重启。", "健康检查通过了吗？", "通过了。")


class Model:
    def __init__(self, answer=SENSIBLE) -> None:
        self.answer = answer
        self.asked: list[str] = []
        self.purposes: list[str] = []

    async def __call__(self, messages, *, max_tokens, purpose):
        self.asked.append(messages[-1]["content"])
        self.purposes.append(purpose)
        if isinstance(self.answer, BaseException):
            raise self.answer
        return await self.answer() if callable(self.answer) else self.answer


@pytest.fixture
def workspace(tmp_path):
    return tmp_path / "workspace"


@pytest.fixture
def memory(workspace, monkeypatch):
    """Make a host; made again, it is the next process."""
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "summary")

    def make(model=None, *, core=None, clock=None, **options) -> MemoryHost:
        config = MemoryConfig.model_validate({"core": core or {}, "plugins": {"summary": options}})
        return MemoryHost(workspace, config=config, llm=model, clock=clock)

    return make


async def idle(host, history, *, ended=False, session="cli:direct"):
    return await host.session_idle(session_key=session, history=history, ended=ended)


@pytest.mark.accept("V3-13")
async def test_a_quiet_session_of_three_turns_gets_one_summary_in_the_days_note(memory, workspace):
    model = Model()
    async with memory(model) as host:
        await idle(host, TALK[:4])
        assert model.asked == []
        await idle(host, TALK)
        await idle(host, TALK)
    async with memory(model) as host:
        await idle(host, TALK)
    assert len(model.asked) == 1
    (note,) = notes(workspace)
    assert note.origin is Origin.SUMMARY
    assert "summary" in note.tags
    assert "5433" in f"{note.tldr} {note.details}"
    assert "what the user wanted, what was done, and how it ended" in model.asked[0]


@pytest.mark.accept("V3-13")
async def test_it_is_made_of_the_last_twenty_messages(memory):
    model = Model()
    long = chat(*[f"remark number {n} on the database" for n in range(50)])
    async with memory(model) as host:
        await idle(host, long)
    assert "remark number 30 " in model.asked[0]
    assert "remark number 29 " not in model.asked[0]


@pytest.mark.accept("V3-13")
@pytest.mark.parametrize(
    ("talk", "unit"), [(TALK, "The port of the Bluebird database is 5433. "), (CHINESE, "数据库端口是5433。")]
)
async def test_it_is_as_long_as_200_chinese_characters_at_most(memory, workspace, talk, unit):
    async with memory(Model(unit * 60)) as host:
        await idle(host, talk)
    (note,) = notes(workspace)
    assert 100 < estimate_tokens(note.details) <= 200
    assert note.details.endswith((".", "。"))


async def test_the_language_is_that_of_the_conversation(memory, workspace):
    model = Model("用户想把蓝鲸数据库移到 5433 端口，已改配置并重启，健康检查通过。")
    async with memory(model) as host:
        await idle(host, CHINESE)
    assert "请用中文" in model.asked[0]
    (note,) = notes(workspace)
    assert note.title == "会话摘要"


async def test_each_idle_period_is_summarised_when_enough_is_new(memory, workspace):
    model, clock = Model(), ManualClock(NOW)
    async with memory(model, clock=clock) as host:
        await idle(host, TALK)
        clock.advance(3_600)
        more = [*TALK, *chat("Now the cache for Bluebird.", "Which size?")]
        await idle(host, more)
        assert len(model.asked) == 1  # one turn is too little
        more += chat("512 MB for the Bluebird cache.", "Set to 512 MB.", "Restart that too.", "The cache is restarted.")
        model.answer = "The Bluebird cache was set to 512 MB and restarted."
        await idle(host, more)
    assert len(model.asked) == 2
    assert "512 MB" in model.asked[1]
    assert "health check" not in model.asked[1]
    assert len(notes(workspace)) == 2


async def test_two_summaries_of_a_session_are_an_interval_apart_but_its_end_does_not_wait(memory, workspace):
    model, clock = Model(), ManualClock(NOW)
    async with memory(model, clock=clock, summary_interval=600) as host:
        await idle(host, TALK)
        clock.advance(599)
        more = [*TALK, *chat("Bluebird cache?", "512", "Bluebird port?", "5433", "Bluebird check?", "passes")]
        await idle(host, more)
        assert len(notes(workspace)) == 1
        await idle(host, more, ended=True)
    assert len(notes(workspace)) == 2


async def late() -> str:
    await asyncio.sleep(30)
    return SENSIBLE


@pytest.mark.accept("V5-10")
@pytest.mark.parametrize(
    "answer",
    [
        late,
        ValueError("no"),
        "",
        "I'm sorry, I can't do that.",
        "zebra obelisk marmalade trombone",
        '{"summary": "The z',
        "NO_REPLY",
    ],
    ids=["late", "error", "empty", "refusal", "junk", "half json", "no reply"],
)
async def test_when_the_model_is_of_no_use_it_is_put_together_from_the_messages(memory, workspace, answer):
    core = {"language_model": {"purpose_timeouts": {"summary": 0.5}, "attempts": 1}}
    began = time.monotonic()
    async with memory(Model(answer), core=core) as host:
        await idle(host, TALK)
    assert time.monotonic() - began < 10
    (note,) = notes(workspace)
    text = f"{note.tldr}\n{note.details}"
    assert "move the Bluebird database to port 5433" in text
    assert "the health check passes" in text
    assert "zebra" not in text
    assert estimate_tokens(note.details or note.tldr) <= 200


@pytest.mark.accept("V5-10")
async def test_the_limit_is_ten_seconds_by_default():
    from nanobot_memory_plugins.core.language_model import LanguageModelOptions

    assert LanguageModelOptions().timeout_for("summary") == 10
    assert LanguageModelOptions().timeout_for("summary:deepseek") == 10


@pytest.mark.accept("V5-10")
async def test_concat_calls_no_model(memory, workspace):
    model = Model()
    async with memory(model, summary_mode="concat") as host:
        await idle(host, CHINESE)
    assert model.asked == []
    (note,) = notes(workspace)
    assert "用户想要：把蓝鲸数据库移到 5433 端口" in f"{note.tldr}\n{note.details}"
    assert "结果：通过了。" in note.details


async def test_the_provider_that_is_named_reaches_the_host(memory):
    model = Model()
    async with memory(model, summary_llm_provider="deepseek") as host:
        await idle(host, TALK)
    assert model.purposes == ["summary:deepseek"]


@pytest.mark.parametrize("mode", ["llm", "concat"])
async def test_secrets_reach_neither_the_model_nor_the_file(memory, workspace, mode):
    key = "sk-proj-Zx81mWq0LkTr9vBn3HsPdYc7UeAoGi5J"
    talk = chat(
        f"The Bluebird key is {key}", "Noted.", "Use it on port 5433.", "Done.", "Is it set?", f"Yes, {key} is set."
    )
    model = Model(f"The Bluebird key {key} is set on port 5433.")
    async with memory(model, summary_mode=mode) as host:
        await idle(host, talk)
    stored = "".join(file.read_text(encoding="utf-8") for file in (workspace / "memory").glob("*.md"))
    assert "Bluebird" in stored
    assert key[:12] not in stored + str(model.asked)


@pytest.mark.accept("NC-05")
async def test_a_session_that_ends_with_nothing_written_gets_one_fallback_summary(memory, workspace):
    model = Model("The user asked to move the Bluebird database to port 5433, which was done.")
    async with memory(model) as host:
        await idle(host, TALK[:2])
        assert notes(workspace) == []
        await idle(host, TALK[:2], ended=True)
        await idle(host, TALK[:2], ended=True)
    (note,) = notes(workspace)
    assert "5433" in note.tldr
    assert note.scope.session == "cli:direct"


@pytest.mark.accept("NC-05")
async def test_a_session_of_which_something_was_noted_needs_no_fallback(memory, workspace):
    model = Model()
    async with memory(model) as host:
        await host.keep(Note(tldr="Bluebird moves to port 5433"), session_key="cli:direct")
        await host.keep(Note(tldr="exec returned", tags=("observation",), origin=Origin.TOOL), session_key="cli:other")
        await idle(host, TALK[:2], ended=True)
        assert len(notes(workspace)) == 2
        await idle(host, TALK[:2], ended=True, session="cli:other")  # a tool's observation is no note of the session
        await idle(host, TALK[:2], ended=True, session="cli:third")
    assert len(notes(workspace)) == 4


async def test_sessions_are_told_apart_and_an_empty_one_leaves_nothing(memory, workspace):
    model = Model()
    async with memory(model) as host:
        await idle(host, TALK, session="a")
        await idle(host, TALK, session="b")
        await idle(host, [], ended=True, session="c")
        await idle(host, [{"role": "assistant", "content": "hello"}], ended=True, session="d")
        await idle(host, [None, {"role": "tool", "content": "x"}], ended=True, session="e")
    assert {note.scope.session for note in notes(workspace)} == {"a", "b"}


@pytest.mark.parametrize("answer", [SENSIBLE, ValueError("no")])
async def test_content_of_any_form_is_taken(memory, workspace, answer):
    odd = [
        {"role": "user", "content": [{"type": "image_url"}, {"type": "text", "text": "Bluebird on port 5433"}]},
        {"role": "user", "content": b"\xff\x00"},
        {"role": "user", "content": "lone \ud800"},
        {"role": "user", "content": "word " * 2_000_000},
        None,
        {"role": "assistant", "content": {"text": "the check passes"}},
    ]
    async with memory(Model(answer)) as host:
        await idle(host, odd)
    assert len(notes(workspace)) == 1
    assert host.plugins.host.failures()[("summary", "on_session_idle")] == 0


async def test_it_does_not_wait_for_other_plugins_and_they_not_for_it(tmp_path, workspace, monkeypatch):
    site = tmp_path / "site"
    site.mkdir()
    source = """
        from nanobot_memory_plugins.core import Note, hookimpl

        @hookimpl
        def on_session_idle():
            raise SystemExit(1)
    """
    install_plugin(site, monkeypatch, "hostile", source)
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "hostile,summary")
    async with MemoryHost(workspace, llm=Model()) as host:
        await idle(host, TALK)
    assert len(notes(workspace)) == 1


@pytest.mark.parametrize("answer", ["OK, noted.", "Sure, thanks!", "好的，已记录。", "<think>The Bluebird port 5433"])
async def test_a_summary_without_content_is_not_stored(memory, workspace, answer):
    talk = [*TALK, *chat("OK, noted. Thanks!", "Sure, 好的，已记录。")]
    async with memory(Model(answer)) as host:
        await idle(host, talk)
    (note,) = notes(workspace)
    assert note.tldr.startswith("The user wanted: Please move the Bluebird database to port 5433")


@pytest.mark.parametrize("mode", ["llm", "concat"])
async def test_a_session_of_pleasantries_has_no_summary(memory, workspace, mode):
    model = Model("The user said hello and thanked the assistant for everything.")
    talk = chat("Hello!", "Hi, how can I help?", "好的，谢谢", "Any time.", "Thanks, bye!", "Goodbye.")
    async with memory(model, summary_mode=mode) as host:
        await idle(host, talk, ended=True)
    assert notes(workspace) == []
    assert model.asked == []


async def test_the_model_is_told_on_which_day_each_message_was_said(memory):
    model, days = Model(), (4, 4, 4, 4, 5, 5)
    talk = [{**one, "timestamp": f"2026-05-{day:02d}T12:00:00"} for one, day in zip(TALK, days, strict=True)]
    async with memory(model, clock=ManualClock(datetime(2026, 5, 6, 12, tzinfo=UTC))) as host:
        await idle(host, talk)
    assert "Today is 2026-05-06, Wednesday." in model.asked[0]
    assert model.asked[0].index("2026-05-04, Monday:\nuser: Please move") < model.asked[0].index("2026-05-05, Tuesday:")


EMPTY = chat(
    "Where is the server room?",
    "Sorry, I do not know where the server room is. You never told me.",
    "OK",
    "Let me know if you need anything else.",
    "Write a poem in which a chef says: I live by the sea.",
    "I live by the sea, where the gulls steal the bread.",
)


async def test_what_says_nothing_stands_in_no_summary_that_is_put_together(memory, workspace):
    talk = [*EMPTY, *chat("The van is sage green now.", "Noted, thanks for the update.")]
    async with memory(summary_mode="concat") as host:
        await idle(host, talk, ended=True)
    (note,) = notes(workspace)
    assert note.tldr == "The user wanted: The van is sage green now."
    assert note.details == ""


async def test_a_session_in_which_nothing_was_told_has_no_summary(memory, workspace):
    async with memory(summary_mode="concat") as host:
        await idle(host, EMPTY, ended=True)
    assert notes(workspace) == []


async def test_what_is_only_supposed_stands_in_no_summary_with_the_answer_to_it(memory, workspace):
    talk = chat(
        "Our dentist is Dr Quist, on Mill Road.",
        "Dr Quist on Mill Road, then I will look there for the opening hours.",
        "If I earned 200,000 a year I would quit and live in Berlin. What would that cost a month?",
        "In Berlin a comfortable single life costs around 2,800 to 3,500 euros a month.",
    )
    async with memory(summary_mode="concat") as host:
        await idle(host, talk, ended=True)
    (note,) = notes(workspace)
    assert "Quist" in f"{note.tldr}{note.details}"
    assert "Berlin" not in f"{note.tldr}{note.details}"
