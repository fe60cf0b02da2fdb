"""Sixty days in 200 sessions: what stands among the entries at the end is true, current, and worked out right."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.model.entry import Entry, Section
from nanobot_memory_plugins.consolidation.model.matcher import Matcher
from nanobot_memory_plugins.consolidation.model.scoring import EXPIRED_SCORE
from nanobot_memory_plugins.consolidation.prompt.render import MOST_ENTRIES, MOST_TOKENS, prompt_text
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.core.redaction import redact_text
from nanobot_memory_plugins.core.text.tokens import estimate_tokens
from tests.consolidation.made_entries import fade

from .learning import host
from .simulated_life import BEGIN, DAYS, SCORES, Expected, Fact, Life, RuleModel, SimulatedSession, importance_of

SEED = 7
END = BEGIN + timedelta(days=DAYS)


def expected_scores(life: Life) -> dict[tuple[str, str], Expected]:
    """Work the scores out from what was said when."""
    scores: dict[tuple[str, str], Expected] = {}
    current: dict[str, str] = {}
    for session in life.sessions:
        for fact in session.facts:
            key, before = (fact.thing, fact.value), current.get(fact.thing, fact.value)
            if key in scores:
                scores[key].use(session.time)
            else:
                importance = importance_of(fact)
                scores[key] = Expected(SCORES[importance], session.time, lasts=importance == "high")
            if before != fact.value:
                scores[fact.thing, before].contradict(session.time)
            current[fact.thing] = fact.value
    return scores


async def live(workspace: Path, life: Life, model: RuleModel) -> None:
    clock = ManualClock(BEGIN)
    core = {"languageModel": {"dailyTokens": 10_000_000}}
    memory = host(workspace, model, clock=clock, core=core)
    for number, session in enumerate(life.sessions):
        clock.set(session.time)
        before = len(model.asked)
        await through(memory, session)
        # Once about the session, and each time about an earlier one in which nothing was found.
        assert 1 <= len(model.asked) - before <= 1 + session.triggers, session.key
        if number % 50 == 49:  # the process ends, and another one goes on
            await memory.close()
            memory = host(workspace, model, clock=clock, core=core)
    await memory.close()
    assert len(model.asked) <= 1.1 * len(life.sessions)
    fade(EntryRepository(workspace, clock=ManualClock(END), redact=redact_text))


async def through(memory, session: SimulatedSession) -> None:
    """Bring a session to its end as a host does: perhaps compacted, quiet more than once."""
    key, messages = session.key, session.messages
    if session.background:
        await memory.turn_finished(session_key=key, messages=messages, context_window=32_000)
        return
    if session.compacted:
        await memory.before_compaction(
            session_key=key, messages=messages[:2], context_window=32_000, reason="token_pressure"
        )
    for _ in range(session.triggers):
        await memory.session_idle(session_key=key, history=messages)


@pytest.fixture
def in_utc() -> Iterator[None]:
    """The days of the life are those of the machine's time zone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.slow
@pytest.mark.usefixtures("in_utc")
@pytest.mark.accept("EB-12", "EB-14", "EB-15")
async def test_sixty_days_leave_what_is_true_and_current(workspace: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "consolidation")
    life, model = Life(SEED), RuleModel(SEED)
    await live(workspace, life, model)
    snapshot = EntryRepository(workspace).load()
    entries = list(snapshot.entries.values())
    facts = [*life.changed, *([fact] for fact in life.stable)]
    by_thing = {values[0].thing: [one for one in entries if says_thing(one, values[0])] for values in facts}
    true = {one.id for found in by_thing.values() for one in found}
    todos = [one for one in entries if one.category == "todo"]

    # Every value of every fact stands there once, unless it has been forgotten, and nothing twice.
    scores = expected_scores(life)
    written = [
        (fact.thing, fact.value)
        for values in facts
        for fact in values
        for one in by_thing[fact.thing]
        if fact.value in one.content
    ]
    assert len(written) - len(set(written)) <= 0.01 * len(entries)
    junk = [one.content for one in entries if one.id not in true and one not in todos]
    assert len(junk) <= 0.05 * len(entries), junk

    # Scores as worked out by hand.
    wrong = []
    for values in facts:
        for fact in values:
            if (fact.thing, fact.value) not in scores:
                continue
            wanted = scores[fact.thing, fact.value]
            found = [one for one in by_thing[fact.thing] if fact.value in one.content]
            right = [(pytest.approx(wanted.at(END), abs=1e-5), wanted.hits)]
            if [(one.score, one.hits) for one in found] != right:
                wrong.append((fact, wanted.at(END), wanted.hits, [(one.content, one.score, one.hits) for one in found]))
    assert wrong == []

    # The newest value first: linked, and above what it has replaced, in the list and when it is asked for.
    matcher, stale_first = Matcher(), []
    for values in life.changed:
        (newest,) = [one for one in by_thing[values[0].thing] if values[-1].value in one.content]
        older = [one for one in by_thing[values[0].thing] if one is not newest]
        thing = values[0].thing
        question = f"最喜欢的{thing}" if values[0].language == "zh" else f"favourite {thing}"
        closest = [match.entry_id for match in await matcher.closest(question, snapshot.entries, most=3)]
        linked = all(one.superseded_by for one in older) and not newest.superseded_by
        first = closest and closest[0] == newest.id
        if not linked or not first:
            stale_first.append((newest.content, [one.content for one in older], closest))
    assert len(life.changed) == 100
    assert len(stale_first) <= 1, stale_first

    # Todos are over when their day is.
    assert len(todos) == len(life.todos)
    for one in todos:
        (said,) = [time for who, time in life.todos if who in one.content]
        friday = said.date() + timedelta(days=11 - said.weekday())
        assert f"({friday})" in one.content
        assert one.expires_at is not None
        midnight = datetime(friday.year, friday.month, friday.day, tzinfo=UTC)
        assert timedelta(0) < one.expires_at - midnight <= timedelta(days=2)
        over = one.expires_at <= END
        assert (one.section is Section.ARCHIVED) == over
        assert (one.score <= EXPIRED_SCORE) == over

    # Inside the budgets.
    text = prompt_text(entries, "en")
    assert estimate_tokens(text) <= MOST_TOKENS
    assert 10 <= text.count("\n- ") <= MOST_ENTRIES
    assert snapshot.path.stat().st_size < 300 * len(entries)
    assert snapshot.problems == ()


def says_thing(entry: Entry, fact: Fact) -> bool:
    words = entry.content.replace(":", " ").replace(".", " ")
    return f" {fact.thing} " in f" {words} " if fact.language == "en" else fact.thing in words
