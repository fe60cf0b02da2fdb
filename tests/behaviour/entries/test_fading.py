"""The scores of entries: use, fading, archiving, and restoring."""

import pytest

from tests.behaviour.kit.life import DAY, Conversation, Life
from tests.behaviour.kit.model import ReadingModel


def scores(life: Life) -> dict[str, float]:
    return {one["content"]: one["score"] for one in life.entries()}


def remember(life: Life, text: str, *more: str) -> str:
    return str(life.command("entries", "remember", text, *more, "--json").json["entry"]["id"])


@pytest.mark.accept("EB-23", "EB-09", "EB-10")
async def test_an_entry_is_learned_shown_fades_and_is_restored(life: Life, model: ReadingModel):
    model.learn("The user cycles to work on Mondays", "I cycle to work on Mondays", importance="medium")
    async with life.host() as memory:
        talk = Conversation(memory)
        await talk.turn("I cycle to work on Mondays, by the way.")
        await talk.turn("Which tyres are good for winter?")
        await talk.turn("And which lamp?")
        await talk.idle(ended=True)
        assert "cycles to work" in Conversation(memory, "cli:next").prompt()
    (entry,) = life.entries()
    assert entry["score"] == 0.6

    async def days_later(days: int) -> list[dict]:
        life.clock.advance(days * DAY)
        first = life.entries()
        assert life.entries() == first  # reading again at the same moment changes nothing
        async with life.host() as memory:
            shown = "cycles to work" in Conversation(memory, f"cli:{days}").prompt()
        assert shown == bool(first and first[0]["score"] >= 0.5 and first[0]["section"] == "active")
        return first

    assert (await days_later(7))[0]["score"] == pytest.approx(0.6)
    assert (await days_later(1))[0]["score"] == pytest.approx(0.6 * 0.99)
    assert (await days_later(19))[0]["score"] == pytest.approx(0.6 * 0.99**20, abs=0.001)
    (archived,) = await days_later(100)
    assert archived["section"] == "archived"
    assert 0.05 < archived["score"] < 0.2
    # An archived entry is not in the prompt, but recall finds it.
    async with life.host() as memory:
        await memory.flush_index()
        assert "cycles to work" in await Conversation(memory, "cli:old").hear("Do you remember how I cycle to work?")
    await days_later(150)
    life.command("entries", "remember", "Something else")
    assert "The user cycles to work on Mondays" not in {
        one["content"] for one in life.entries() if one["section"] == "active"
    }
    assert life.command("entries", "restore", entry["id"]).status == 0
    back = next(one for one in life.entries() if one["id"] == entry["id"])
    assert back["score"] >= 0.4
    assert back["section"] == "active"


@pytest.mark.accept("EB-09")
def test_important_and_pinned_entries_stop_fading_at_one_half(life: Life):
    remember(life, "The user is allergic to peanuts", "--importance", "high")
    pinned = remember(life, "The user wants short answers", "--importance", "low", "--pin")
    remember(life, "The user saw a heron", "--importance", "low")
    assert next(one for one in life.entries() if one["id"] == pinned)["pinned"]
    life.clock.advance(600 * DAY)
    life.command("entries", "remember", "Something new")
    kept = {text: score for text, score in scores(life).items() if score >= 0.05}
    assert kept["The user is allergic to peanuts"] == 0.5
    assert "The user saw a heron" not in kept


def test_restoring_a_valid_entry_changes_nothing(life: Life):
    tea = remember(life, "The user likes tea", "--importance", "low")
    assert life.command("entries", "restore", tea, "--json").json["run"] is None
    life.clock.advance(200 * DAY)  # faded since it was written
    assert life.command("entries", "restore", tea, "--json").json["run"]
    assert scores(life) == {"The user likes tea": 0.4}


@pytest.mark.accept("EB-08")
def test_each_use_adds_a_fifth_of_what_is_missing_and_never_passes_one(life: Life):
    remember(life, "The user likes tea", "--importance", "low")
    wanted = 0.4
    for number in range(1, 13):
        done = life.command("entries", "remember", "The user likes tea", "--importance", "low", "--json").json
        wanted += (1 - wanted) * 0.2
        assert not done["new"]
        assert done["entry"]["hits"] == number
        assert done["entry"]["score"] == pytest.approx(min(wanted, 1), abs=0.005)
    assert max(scores(life).values()) <= 1


@pytest.mark.accept("EB-11")
async def test_the_prompt_contains_the_twenty_best_entries_pinned_ones_first(life: Life):
    lines = [f"### [e{n:02}] fact | {n / 40:.2f} | 2026-02-16 | 0\nnumber {n} counts\n" for n in range(41)]
    (life.memory / "ENTRIES.md").write_text(
        "# Agent Memory\n\n## Active Memories\n\n" + "\n".join(lines[8:]) + "\n## Archived Memories\n\n"
        "### [old] fact | 0.15 | 2026-02-16 | 0\nnumber of old counts\n\n" + "\n".join(lines[2:8]),
        encoding="utf-8",
    )
    remember(life, "number pinned counts", "--importance", "medium", "--pin")
    async with life.host() as memory:
        shown = [line for line in Conversation(memory).prompt().splitlines() if "counts" in line]
    assert len(shown) == 20
    assert "number pinned counts" in shown[0]
    assert [int(line.split()[2]) for line in shown[1:]] == list(range(40, 21, -1))


@pytest.mark.accept("EB-15")
async def test_a_todo_leaves_the_prompt_when_its_day_is_over(life: Life):
    remember(life, "The user sends the slides", "--category", "todo", "--expires", "2026-02-18")
    async with life.host() as memory:
        assert "slides" in Conversation(memory).prompt()
    life.clock.advance(4 * DAY)
    (entry,) = life.entries()
    assert (entry["section"], entry["score"] < 0.2) == ("archived", True)
    assert "Its last day: 2026-02-18" in life.command("entries", "show", entry["id"]).out
    async with life.host() as memory:
        assert "slides" not in Conversation(memory).prompt()
        await memory.flush_index()
        assert "slides" in await Conversation(memory, "cli:b").hear("Do you remember when the slides were due?")
