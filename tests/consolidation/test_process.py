"""A session becomes entries, once."""

import asyncio
import json
import os
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.extraction.pipeline import Processed, Session, SessionProcessor
from nanobot_memory_plugins.consolidation.extraction.prompt import MOST_TOKENS
from nanobot_memory_plugins.consolidation.model.matcher import Matcher
from nanobot_memory_plugins.consolidation.operations.async_entries import AsyncEntryRepository
from nanobot_memory_plugins.consolidation.options import ConsolidationOptions
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.core.erasure.fingerprinting import Removal, remember_forgotten
from nanobot_memory_plugins.core.errors import CompletionTimeoutError
from nanobot_memory_plugins.core.files import MemoryPaths
from nanobot_memory_plugins.core.redaction import redact_text
from nanobot_memory_plugins.core.testing import plugin_context
from nanobot_memory_plugins.core.text.tokens import estimate_tokens
from nanobot_memory_plugins.core.values import Origin, Scope, messages_from_chat
from tests.support.files_of import text_of

from .learning import Model, chat, item, stored
from .made_entries import NOW, added, entry

TEA = chat("I like green tea, and I live in Hamburg.", "Noted.")
TEA_ANSWER = [item("The user likes green tea", "preference"), item("The user lives in Hamburg", importance="medium")]
DIRECT = Session("cli:direct")


def processor(workspace: Path, model: Model | None, clock: ManualClock | None = None) -> SessionProcessor:
    clock = clock or ManualClock(NOW)
    context = plugin_context(
        ConsolidationOptions(),
        plugin_name="consolidation",
        workspace=workspace,
        clock=clock,
        complete=model,
        visible_scope=lambda scope: Scope(user=scope.user),
    )
    memory = AsyncEntryRepository(workspace, clock=clock, redact=redact_text)
    return SessionProcessor(memory, Matcher(), context)


def everything_in(workspace: Path) -> str:
    return text_of(workspace)


async def learn(workspace: Path, model: Model | None, messages: list, session: Session = DIRECT, **more) -> Processed:
    return await processor(workspace, model, **more).process_session(session, messages_from_chat(messages))


@pytest.mark.accept("EB-05", "EB-12")
async def test_one_use_of_the_model_and_the_counts_are_true(workspace: Path):
    model = Model(TEA_ANSWER)
    assert await learn(workspace, model, TEA) == Processed(new=2)
    entries = stored(workspace)
    assert {text: one.score for text, one in entries.items()} == {
        "The user likes green tea": 0.8,
        "The user lives in Hamburg": 0.6,
    }
    assert {one.source_session for one in entries.values()} == {"cli:direct"}
    assert model.purposes == ["extraction"]
    (run,) = EntryRepository(workspace).journal.runs()
    assert run.who == "extraction"
    assert "cli:direct" in run.why


@pytest.mark.accept("EB-12")
async def test_the_same_messages_are_learned_from_once_in_whatever_process(workspace: Path):
    model = Model(TEA_ANSWER)
    await learn(workspace, model, TEA)
    before = (workspace / "memory" / "ENTRIES.md").read_bytes()
    assert await learn(workspace, model, TEA) == Processed()
    assert await learn(workspace, model, TEA[:1]) == Processed()
    assert len(model.asked) == 1
    assert (workspace / "memory" / "ENTRIES.md").read_bytes() == before
    more = [*TEA, *chat("My dog is called Rex.", "Nice.")]
    model.answers = [[item("The user's dog is called Rex")]]
    assert await learn(workspace, model, more) == Processed(new=1)
    assert "green tea" not in model.asked[1].partition("Conversation:")[2]


@pytest.mark.accept("EB-06")
async def test_what_is_known_is_shown_and_only_used_when_it_is_said_again(workspace: Path):
    await learn(workspace, Model(TEA_ANSWER), TEA)
    again = chat("As you know I like green tea! And I live in Hamburg.", "Yes.")
    known = {one.content: one.id for one in stored(workspace).values()}
    answer = [
        item("The user prefers green tea"),
        item("The user lives in Hamburg", reinforces=known["The user lives in Hamburg"]),
    ]
    model = Model(answer)
    assert await learn(workspace, model, again, Session("cli:other")) == Processed(updated=2)
    assert f"[{known['The user likes green tea']}] The user likes green tea" in model.asked[0]
    assert {one.hits for one in stored(workspace).values()} == {1}


@pytest.mark.accept("EB-06")
async def test_at_most_fifty_known_entries_are_shown_and_of_more_those_that_are_touched(workspace: Path):
    many = [entry(f"e{n:03}", f"The user owns book number {n}", 0.9) for n in range(70)]
    others = [
        entry("tea", "The user likes green tea", 0.3),
        entry("old", "The user likes mate tea", 0.9, superseded_by="tea"),
    ]
    gone = entry("gone", "The user likes black tea", 0.1)
    EntryRepository(workspace).update(added(*many, *others, gone), who="test", why="add")
    model = Model([])
    await learn(workspace, model, TEA)
    shown = [line for line in model.asked[0].splitlines() if line.startswith("[")]
    assert len(shown) == 50
    assert "[tea] The user likes green tea" in shown
    assert shown[-1].startswith("[tea]")  # best first
    assert not any(line.startswith(("[old]", "[gone]")) for line in shown)


@pytest.mark.accept("EB-14")
async def test_a_contradiction_named_by_id_halves_the_old_and_links_it(workspace: Path):
    EntryRepository(workspace).update(added(entry("old", "The user lives in Berlin", 0.8)), who="test", why="add")
    model = Model([item("The user lives in Hamburg", contradicts="old")])
    assert await learn(workspace, model, TEA) == Processed(new=1, updated=1)
    entries = stored(workspace)
    assert entries["The user lives in Berlin"].score == 0.4
    assert entries["The user lives in Berlin"].superseded_by == entries["The user lives in Hamburg"].id


async def test_ids_that_the_model_invents_or_misuses_do_no_harm(workspace: Path):
    known = [entry("port", "The database port is 5433", 0.8), entry("tea", "The user likes green tea", 0.5)]
    EntryRepository(workspace).update(added(*known), who="test", why="add")
    answer = [
        item("The user lives in Hamburg", contradicts="port", reinforces="nothing"),
        item("The user likes green tea", contradicts="tea"),
    ]
    assert await learn(workspace, Model(answer), TEA) == Processed(new=1, updated=1)
    entries = stored(workspace)
    assert entries["The database port is 5433"].superseded_by == ""
    assert entries["The user likes green tea"].score == 0.6


@pytest.mark.accept("EB-05")
@pytest.mark.parametrize(
    "history", [[], chat("hi", "Hello!"), chat("Thanks, bye!", "Bye."), chat("好的，谢谢！", "再见。")]
)
async def test_pleasantries_are_no_use_of_the_model(workspace: Path, history: list):
    model = Model(TEA_ANSWER)
    assert await learn(workspace, model, history) == Processed()
    assert model.asked == []


@pytest.mark.accept("EB-05")
@pytest.mark.parametrize("answer", ["[]", "null", "{}", '{"memories": []}', "There is nothing: []"])
async def test_nothing_is_asked_about_twice_where_something_was_stated_and_once_where_not(workspace: Path, answer: str):
    model = Model(answer)
    question = chat("What is the weather like in the city?", "Rain.")
    assert await learn(workspace, model, question, Session("cli:question")) == Processed()
    assert [(await learn(workspace, model, TEA)).left for _ in range(3)] == [True, False, False]
    assert len(model.asked) == 3
    assert stored(workspace) == {}


async def test_a_fact_beside_a_question_is_learned(workspace: Path):
    history = chat("I'm lactose intolerant, what can I use instead of cream?", "Oat cream.")
    assert (await learn(workspace, Model([item("The user is lactose intolerant")]), history)).new == 1


async def test_what_the_user_did_not_say_is_left_out(workspace: Path):
    history = [
        {"role": "user", "content": "Please look my calendar up, I prefer mornings."},
        {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "web", "arguments": "{}"}}]},
        {"role": "tool", "content": "The user owns a yacht."},
        {"role": "assistant", "content": "You own a yacht, and you seem to like golf."},
    ]
    model = Model([item("The user owns a yacht"), item("The user likes golf"), item("The user prefers mornings")])
    await learn(workspace, model, history)
    assert set(stored(workspace)) == {"The user prefers mornings"}
    assert "owns a yacht." not in model.asked[0]


async def test_the_example_that_the_model_was_shown_is_not_learned(workspace: Path):
    """Seen with a model of 1.5 billion parameters: it begins with the nurse in Oslo of its example."""
    said = chat("I have won my fourth chess tournament!", "Great.")
    told = [item("The user is a nurse in Oslo and has won their fourth chess tournament")]
    await learn(workspace, Model(told), said)
    assert [one.content for one in stored(workspace).values()] == ["The user has won their fourth chess tournament"]


async def test_what_an_answer_says_twice_is_one_entry(workspace: Path):
    said = chat("I am looking for a place to open a dance studio.", "Good luck.")
    told = [
        item(f"The user is {verb} for a place to open a dance studio", kind)
        for verb, kind in (("searching", "todo"), ("looking", "fact"))
    ]
    await learn(workspace, Model(told), said)
    assert [one.content for one in stored(workspace).values()] == [told[0]["content"]]


async def test_a_secret_reaches_neither_the_model_nor_a_file(workspace: Path):
    secret = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"
    model = Model([item(f"The user's key is {secret}"), item("The user likes green tea")])
    await learn(workspace, model, chat(f"My key is {secret}, and I like green tea.", "ok"))
    assert secret not in model.asked[0]
    assert secret not in everything_in(workspace)


async def test_the_day_of_the_message_says_until_when_a_todo_holds(workspace: Path):
    said = [{"role": "user", "content": "下周三有产品评审会议，要准备材料。", "timestamp": "2026-02-10T09:00:00+08:00"}]
    answer = [item("用户下周三有产品评审会议", "todo", expires_at="2026-02-17")]
    await learn(workspace, Model(answer), said)
    (one,) = stored(workspace).values()
    assert one.content == "用户下周三（2026-02-18）有产品评审会议"
    assert one.expires_at is not None
    assert timedelta(0) < one.expires_at - datetime(2026, 2, 18, tzinfo=UTC) <= timedelta(days=2)


async def test_the_prompt_speaks_the_users_language_and_names_the_day(workspace: Path):
    model = Model([])
    await learn(workspace, model, chat("我喜欢喝绿茶，住在杭州。", "好的。"))
    assert "今天是 2026-02-20，星期五" in model.asked[0]
    assert "用户: 我喜欢喝绿茶" in model.asked[0]
    await learn(workspace, model, TEA, Session("cli:other"))
    assert "Today is 2026-02-20, Friday." in model.asked[1]
    assert estimate_tokens(model.asked[1]) < 450


@pytest.mark.accept("EB-21")
async def test_a_long_history_is_reduced_to_what_is_stated_before_the_model_is_asked(workspace: Path):
    chatter = [text for n in range(40) for text in (f"What about case {n}?", "It depends. " * 200)]
    model = Model(TEA_ANSWER)
    done = await learn(workspace, model, [*TEA, *chat(*chatter)])
    assert done == Processed(new=2)
    assert len(model.asked) == 1
    assert estimate_tokens(model.asked[0]) < MOST_TOKENS + 600
    assert "I like green tea" in model.asked[0]
    assert "What about case 7" not in model.asked[0]


@pytest.mark.accept("EB-21")
@pytest.mark.parametrize(
    "short", ["- I like green tea\n- I live in Hamburg", CompletionTimeoutError("late"), "junk", "I'm sorry"]
)
async def test_what_is_still_too_long_is_made_short_by_one_more_use(workspace: Path, short: object):
    told = [
        f"In chapter {n} of my diary I describe the garden of house {n} at length, with {n} trees." for n in range(900)
    ]
    history = [*TEA, *chat(*[text for one in told for text in (one, "Go on.")])]
    model = Model(short, TEA_ANSWER)
    assert await learn(workspace, model, history) == Processed(new=2)
    assert model.purposes == ["extraction:shortening", "extraction"]
    assert all(estimate_tokens(one) < 12_700 for one in model.asked)
    assert estimate_tokens(model.asked[1]) < MOST_TOKENS + 600
    assert ("I live in Hamburg" in model.asked[1]) == (isinstance(short, str) and "Hamburg" in short)


@pytest.mark.parametrize("model", [None, Model(CompletionTimeoutError("late"))])
async def test_without_a_model_the_messages_wait_and_survive(workspace: Path, model: Model | None):
    assert (await learn(workspace, model, TEA)).left
    waiting = workspace / "memory" / ".entries" / "pending"
    (file,) = waiting.glob("*.json")
    assert file.stat().st_mode & 0o077 == 0
    # The host hands nothing over any more: the next process learns from what waits.
    assert await learn(workspace, Model(TEA_ANSWER), []) == Processed(new=2)
    assert list(waiting.glob("*.json")) == []
    assert await learn(workspace, Model(TEA_ANSWER), TEA) == Processed()


async def test_what_a_purge_means_does_not_wait_any_longer(workspace: Path):
    work = processor(workspace, None)
    await work.process_session(DIRECT, messages_from_chat([*TEA, *chat("My dog is called Rex.", "ok")]))
    assert work.pending.forget(lambda text: "green tea" in text) == 1
    assert [one.text for one in work.pending.read("cli:direct")] == ["Noted.", "My dog is called Rex.", "ok"]
    assert "green tea" not in everything_in(workspace)


def test_messages_that_two_put_aside_wait_together(workspace: Path):
    one, other = messages_from_chat(TEA), messages_from_chat(chat("My dog is called Rex.", "ok"))
    pending = processor(workspace, None).pending
    assert pending.add("cli:direct", one, Scope(user="me"))
    assert pending.add("cli:direct", other, Scope(user="me"))
    assert pending.add("cli:direct", one, Scope(user="me"))
    assert [message.text for message in pending.read("cli:direct")] == [message.text for message in (*one, *other)]
    assert pending.sessions() == [("cli:direct", Scope(user="me"))]
    pending.remove("cli:direct", (*one, *other))
    assert not pending.has("cli:direct")


@pytest.mark.parametrize("point", ["before journal", "after journal", "after replace"])
async def test_a_process_that_ends_while_it_writes_leaves_nothing_twice(workspace: Path, point: str):
    class Ended(BaseException):
        pass

    def end(at: str) -> None:
        if at == point:
            raise Ended

    model = Model(TEA_ANSWER)
    work = processor(workspace, model)
    work._memory.repository._at = end
    with pytest.raises(Ended):
        await work.process_session(DIRECT, messages_from_chat(TEA))
    done = await learn(workspace, model, TEA)
    entries = stored(workspace)
    assert set(entries) == {"The user likes green tea", "The user lives in Hamburg"}
    assert {one.hits for one in entries.values()} == {0}
    assert done == (Processed() if point == "after replace" else Processed(new=2))


async def test_whoever_is_cancelled_while_it_writes_lets_nobody_in_before_it_is_done(workspace: Path):
    model = Model(TEA_ANSWER)
    work = processor(workspace, model)
    with EntryRepository(workspace).locked():
        first = asyncio.create_task(work.process_session(DIRECT, messages_from_chat(TEA)))
        async with asyncio.timeout(20):
            while not model.asked:
                await asyncio.sleep(0.01)
        await asyncio.sleep(0.2)
        first.cancel()
        second = asyncio.create_task(learn(workspace, model, TEA))
        await asyncio.sleep(0.3)
        assert not second.done()
    assert await second == Processed()
    assert len(model.asked) == 1
    assert {one.hits for one in stored(workspace).values()} == {0}


async def test_entries_of_others_are_neither_shown_nor_used(workspace: Path):
    mine, theirs = Scope(user="me"), Scope(user="other")
    known = [
        entry("mine", "The user likes green tea", scope=mine),
        entry("theirs", "The user lives in Hamburg", scope=theirs),
    ]
    EntryRepository(workspace).update(added(*known), who="test", why="add")
    model = Model(TEA_ANSWER)
    said = Session("cli:direct", Scope(user="me", channel="cli", session="cli:direct"))
    assert await learn(workspace, model, TEA, said) == Processed(new=1, updated=1)
    assert "[mine]" in model.asked[0]
    assert "[theirs]" not in model.asked[0]
    snapshot = EntryRepository(workspace).load()
    assert [one.scope for id_, one in snapshot.entries.items() if id_ not in ("mine", "theirs")] == [
        Scope(user="me", channel="cli")
    ]


async def test_of_a_turn_that_nobody_spoke_in_nothing_is_said_of_the_user(workspace: Path):
    turn = chat("Check the backups.", "The backup script failed at night; rotating the key mended it. You like tea.")
    answer = [item("Rotating the key mends the backup script", "experience"), item("The user likes tea", "preference")]
    model = Model(answer)
    await learn(workspace, model, turn, Session("cron:backup", background=True))
    (one,) = stored(workspace).values()
    assert (one.content, one.origin) == ("Rotating the key mends the backup script", Origin.ASSISTANT)
    assert one.source_session == "cron:backup"
    assert "nobody is there" in model.instructions[0]


PROCESS = """
import asyncio, json, os, sys, time
sys.path.insert(0, os.getcwd())
from pathlib import Path
from nanobot_memory_plugins.consolidation.extraction.pipeline import Session
from nanobot_memory_plugins.core.values import messages_from_chat
from tests.consolidation.test_process import TEA, TEA_ANSWER, processor
from nanobot_memory_plugins.core.clock import SystemClock

workspace, key, begin = Path(sys.argv[1]), sys.argv[2], float(sys.argv[3])

async def model(messages, *, max_tokens, purpose):
    with open(workspace / "asked.txt", "a") as file:
        file.write(key + "\\n")
    await asyncio.sleep(0.3)
    return json.dumps(TEA_ANSWER)

async def main():
    work = processor(workspace, model, SystemClock())
    time.sleep(max(0, begin - time.time()))
    done = await work.process_session(Session(key), messages_from_chat(TEA))
    print(json.dumps([done.new, done.updated, done.left]))

asyncio.run(main())
"""


@pytest.mark.slow
@pytest.mark.accept("EB-12", "EB-13")
def test_eight_processes_at_once_learn_from_each_session_exactly_once(workspace: Path):
    keys = ["cli:one"] * 4 + ["cli:two"] * 2 + ["cli:three", "cli:four"]
    begin = str(time.time() + 4)
    running = [
        subprocess.Popen(
            [sys.executable, "-c", PROCESS, str(workspace), key, begin],
            cwd=Path(__file__).parents[2],
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for key in keys
    ]
    answers = []
    for one in running:
        out, err = one.communicate(timeout=120)
        assert one.returncode == 0, err.decode()
        answers.append(json.loads(out.splitlines()[-1]))
    assert sorted((workspace / "asked.txt").read_text().split()) == ["cli:four", "cli:one", "cli:three", "cli:two"]
    assert sorted(answers) == [[0, 0, False]] * 4 + [[0, 2, False]] * 3 + [[2, 0, False]]
    entries = stored(workspace)
    assert set(entries) == {"The user likes green tea", "The user lives in Hamburg"}
    assert {one.hits for one in entries.values()} == {3}


WORDS = "my therapist is Doctor Zebulon Krieger in Marzipan Alley"


@pytest.mark.parametrize("fails", [False, True])
async def test_an_order_to_forget_while_the_model_is_asked_counts(workspace: Path, fails: bool):
    def answer(_asked: str) -> object:
        remember_forgotten(MemoryPaths.of(workspace), [Removal("", (WORDS,))])
        if fails:
            raise CompletionTimeoutError("too slow")
        return [*TEA_ANSWER, item(f"The user says that {WORDS}")]

    said = chat(f"I like green tea, and I live in Hamburg. I say that {WORDS}.", "Noted.")
    done = await learn(workspace, Model(answer), said)
    assert done == (Processed(left=True, away=True) if fails else Processed(new=2))
    assert "Zebulon" not in everything_in(workspace)
    assert "green tea" in everything_in(workspace)
