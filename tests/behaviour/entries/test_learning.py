"""Learning from a session after its end: once, in one call, with the user's own words."""

import asyncio
from typing import Any

import pytest

from nanobot_memory_plugins.core import MemoryHost, estimate_tokens
from nanobot_memory_plugins.tools.scripted_model import Reply
from tests.behaviour.kit.life import DAY, Conversation, Life
from tests.behaviour.kit.long_talk import chat
from tests.behaviour.kit.model import ReadingModel
from tests.behaviour.kit.waiting import until

TEA, HAMBURG, DOG = "I like green tea", "I live in Hamburg", "My dog is called Rex"
SAID = chat(f"{TEA}, and {HAMBURG}.", "Noted.", f"{DOG}.", "A fine name.", "He sleeps a lot.", "Dogs do.")


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "consolidation,storage,recall")


def learn_three(model: ReadingModel) -> None:
    model.learn("The user likes green tea", TEA, kind="preference")
    model.learn("The user lives in Hamburg", HAMBURG, importance="medium")
    model.learn("The user's dog is called Rex", DOG, importance="low")


async def idle(memory: MemoryHost, history: list[dict[str, Any]], key: str = "cli:direct", *, ended: bool = True):
    await Conversation(memory, key, history=list(history)).idle(ended=ended)


def by_text(life: Life) -> dict[str, dict[str, Any]]:
    return {one["content"]: one for one in life.entries()}


@pytest.mark.accept("EB-05", "EB-07", "EB-12", "EB-20")
async def test_a_session_is_read_once_in_one_call_and_entries_are_scored_by_importance(life: Life, model: ReadingModel):
    learn_three(model)
    async with life.host() as memory:
        await idle(memory, SAID, ended=False)
        assert len(model.asked("reading")) == 1
        entries = by_text(life)
        assert {text: one["score"] for text, one in entries.items()} == {
            "The user likes green tea": 0.8,
            "The user lives in Hamburg": 0.6,
            "The user's dog is called Rex": 0.4,
        }
        assert entries["The user likes green tea"]["category"] == "preference"
        assert {(one["source_session"], one["hits"]) for one in entries.values()} == {("cli:direct", 0)}
        before = (life.memory / "ENTRIES.md").read_bytes()
        await idle(memory, SAID)
    async with life.host() as memory:
        await idle(memory, SAID)
        await idle(memory, SAID[:2])
        assert len(model.asked("reading")) == 1
        assert (life.memory / "ENTRIES.md").read_bytes() == before
        # When the session continues, only the new messages are shown.
        model.learn("The user's cat is called Tom", "My cat is called Tom")
        await idle(memory, [*SAID, *chat("My cat is called Tom.", "Two pets, then.")])
    assert len(model.asked("reading")) == 2
    assert "sleeps a lot" not in model.asked("reading")[1].last_user
    assert len(life.entries()) == 4
    assert life.command("entries", "history", "--json").json["runs"][-1]["who"] == "extraction"


@pytest.mark.accept("EB-06", "EB-08", "EB-14")
async def test_known_entries_are_confirmed_or_replaced_and_never_duplicated(life: Life, model: ReadingModel):
    learn_three(model)
    async with life.host() as memory:
        await idle(memory, SAID)
        known = by_text(life)
        model.facts.clear()
        model.learn("The user likes green tea", TEA, confirms="green tea")
        model.learn("The user lives in Kiel", "I have moved to Kiel", importance="medium", ends=("Hamburg",))
        life.clock.advance(DAY)
        await idle(memory, chat("As I said, I like green tea.", "Yes.", "I have moved to Kiel.", "Nice."), "cli:two")
        assert all(f"[{one['id']}]" in model.asked("reading")[1].last_user for one in known.values())
        entries = by_text(life)
        assert len(entries) == 4
        tea, old, new = (
            entries[f"The user {what}"] for what in ("likes green tea", "lives in Hamburg", "lives in Kiel")
        )
        assert (tea["hits"], tea["score"]) == (1, pytest.approx(0.84))
        assert tea["last_activated"] > known["The user likes green tea"]["last_activated"]
        assert old["score"] == pytest.approx(0.3)
        assert (old["superseded_by"], new["supersedes"]) == (new["id"], [old["id"]])
        prompt = Conversation(memory, "cli:next").prompt()
        assert "Kiel" in prompt
        assert "Hamburg" not in prompt
        await memory.flush_index()
        block = await Conversation(memory, "cli:next").hear("Do you remember where I live, in Kiel or in Hamburg?")
        assert "Kiel" in block + prompt
    assert by_text(life)["The user likes green tea"]["hits"] == 1


def fill(life: Life, last: str) -> None:
    """Write 70 entries with a high score, and below them one with a low score."""
    lines = [f"### [e{n:03}] fact | 0.90 | 2026-02-16 | 0\nThe user owns book number {n}\n" for n in range(70)]
    lines.append(f"### [last] fact | 0.30 | 2026-02-16 | 0\n{last}\n")
    text = "# Agent Memory\n\n## Active Memories\n\n" + "\n".join(lines)
    (life.memory / "ENTRIES.md").write_text(text, encoding="utf-8")


@pytest.mark.accept("EB-06")
async def test_at_most_fifty_known_entries_are_shown_the_relevant_ones_included(life: Life, model: ReadingModel):
    fill(life, "The user likes green tea")
    async with life.host() as memory:
        await idle(memory, SAID)
    shown = [line for line in model.asked("reading")[0].last_user.splitlines() if line.startswith("[")]
    assert len(shown) == 50
    assert "[last] The user likes green tea" in shown


@pytest.mark.accept("EB-18")
async def test_an_entry_of_the_same_meaning_is_among_the_known_entries(life_with_vectors: Life, model: ReadingModel):
    fill(life_with_vectors, "The user commutes by bicycle")
    said = "I ride my bike to the office every day"
    model.learn("The user rides a bike to the office", said, confirms="commutes by bicycle")
    async with life_with_vectors.host() as memory:
        await memory.flush_index()
        await idle(memory, chat(f"{said}.", "Healthy.", "Even in the rain.", "Brave."))
    (entry,) = (one for one in life_with_vectors.entries() if one["hits"])
    assert (entry["id"], len(life_with_vectors.entries())) == ("last", 71)


@pytest.mark.accept("EB-05")
async def test_an_unusable_answer_or_an_empty_session_gives_no_entries_and_no_error(life: Life, model: ReadingModel):
    learn_three(model)
    async with life.host(core={"languageModel": {"attempts": 1}}) as memory:
        await idle(memory, [], "cli:empty")
        await idle(memory, chat("Hi!", "Hello."), "cli:short")
        assert model.asked("reading") == []
        for name, answer in {
            "junk": "[{",
            "words": "There is nothing.",
            "other": '{"a": 1}',
            "list": "[1, null]",
        }.items():
            model.fails["reading"] = Reply(answer)
            await idle(memory, [*SAID, *chat(f"This is {name}.", "Fine.")], f"cli:{name}")
        assert life.entries() == []
        # Afterwards learning works again.
        model.fails.clear()
        await idle(memory, [*SAID, *chat("And on.", "Fine.")], "cli:good")
        assert len(life.entries()) == 3


@pytest.mark.accept("EB-20")
async def test_an_unavailable_model_loses_nothing_across_restarts(life: Life, model: ReadingModel):
    learn_three(model)
    model.learn("The user's cat is called Tom", "My cat is called Tom")
    cat = chat("My cat is called Tom.", "Fine.", "She is grey.", "Nice.")
    async with life.host(model=False) as memory:
        await idle(memory, SAID)
    model.fails["reading"] = Reply(status=500)
    async with life.host(core={"languageModel": {"attempts": 1}}) as memory:
        talk = Conversation(memory, "cli:two")
        for said, reply in zip(cat[::2], cat[1::2], strict=True):
            await talk.turn(said["content"], reply["content"])
        await talk.idle(ended=True)
    model.fails.clear()
    life.clock.advance(DAY)
    async with life.host() as memory:
        await until(lambda: len(life.entries()) == 1)  # the missed call is made at the start
        await idle(memory, SAID)
        await idle(memory, SAID)
    assert len(life.entries()) == 4
    assert len(model.asked("reading")) == 3


@pytest.mark.accept("EB-20")
async def test_a_compacted_session_is_read_after_the_turn(life: Life, model: ReadingModel):
    learn_three(model)
    async with life.host() as memory:
        talk = Conversation(memory, history=list(SAID))
        await talk.compact()
        await until(lambda: len(life.entries()) == 3)
        await talk.idle(ended=True)
    assert len(model.asked("reading")) == 1
    assert len(life.entries()) == 3


@pytest.mark.accept("EB-20")
async def test_background_turns_are_read_and_keep_their_origin(life: Life, model: ReadingModel):
    job = chat("Check the disk.", "Deleting old snapshots frees the disk.")
    model.learn("Deleting old snapshots frees the disk", "Deleting old snapshots frees the disk", kind="experience")
    async with life.host() as memory:
        for _ in range(2):
            await memory.turn_finished(session_key="heartbeat", messages=job, context_window=32_000)
        await idle(memory, job, "cron:disk")
    assert 1 <= len(model.asked("reading")) <= 2
    assert {one["origin"] for one in life.entries()} == {"assistant"}


@pytest.mark.accept("EB-12", "EB-13")
async def test_concurrent_triggers_are_processed_one_by_one_and_none_is_lost(life: Life, model: ReadingModel):
    for number in range(6):
        model.learn(f"The user's garden {number} has {number} trees", f"garden {number} has {number} trees")
    async with life.host() as memory, life.host() as other:
        await asyncio.gather(
            *(
                idle(
                    one,
                    chat(f"My garden {number} has {number} trees.", "Fine.", "I like trees.", "So do I."),
                    f"cli:{number}",
                )
                for number in range(6)
                for one in (memory, other if number % 2 else memory)
            )
        )
    entries = life.entries()
    assert len(entries) == 6
    assert {one["hits"] for one in entries} == {0}


@pytest.mark.accept("EB-21")
async def test_a_long_history_is_shortened_before_the_model_reads_it(life: Life, model: ReadingModel):
    learn_three(model)
    told = [f"In chapter {n} of my diary I describe the garden of house {n}, with {n} trees." for n in range(700)]
    async with life.host() as memory:
        await idle(memory, [*SAID, *chat(*(text for one in told for text in (one, "Go on."))), *SAID[:2]])
    asked = model.asked("reading")
    assert asked
    assert all(sum(estimate_tokens(str(part["content"])) for part in one.messages) < 16_000 for one in asked)
    assert estimate_tokens(asked[-1].last_user) < 9_500


async def test_a_session_compacted_at_the_end_of_a_process_is_read_by_the_next(life: Life, model: ReadingModel):
    model.learn("The user likes green tea", TEA, kind="preference")
    async with life.host() as memory:
        talk = Conversation(memory)
        for said in (f"{TEA}, and {HAMBURG}.", f"{DOG}.", "He sleeps a lot."):
            await talk.hear(said)
        await memory.before_compaction(
            session_key=talk.key, messages=talk.history, context_window=8_000, reason="command"
        )
    assert life.entries() == []
    async with life.host():
        await until(lambda: "The user likes green tea" in by_text(life))
    assert len(model.asked("reading")) == 1
