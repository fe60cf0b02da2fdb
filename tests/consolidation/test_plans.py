"""Plans with a day: kept with it, shown when they are due, gone when they are over, and found afterwards."""

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.clock import ManualClock
from tests.support.chinese import in_both_scripts

from .learning import Model, chat, host, item, stored
from .made_entries import NOW, added, days, entry

MONDAY = datetime(2026, 11, 23, 9, tzinfo=UTC)


@pytest.fixture
def in_utc(monkeypatch):
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("order", "content", "ends"),
    in_both_scripts(
        [
            (
                "Remember that my flight is tomorrow at 9.",
                "my flight is tomorrow (2026-11-24) at 9",
                "2026-11-25T00:00:00+00:00",
            ),
            ("记住我后天要去体检", "我后天（2026-11-25）要去体检", "2026-11-26T00:00:00+00:00"),
            ("请记住：下个月15号交房租", "下个月15号（2026-12-15）交房租", "2026-12-16T00:00:00+00:00"),
            ("Remember that my birthday is tomorrow.", "my birthday is tomorrow (2026-11-24)", ""),
            ("记住，我的生日是五月七号", "我的生日是五月七号", ""),
            ("Remember that I swim every Tuesday.", "I swim every Tuesday", ""),
            ("Please remember: on Thursday evenings I play chess.", "on Thursday evenings I play chess", ""),
            (
                "Remember that from Friday sunset to Saturday night I don't work.",
                "from Friday sunset to Saturday night I don't work",
                "",
            ),
            ("Remember that Noa turns seven on 21 July.", "Noa turns seven on 21 July", ""),
            ("记住我上周五辞职了", "我上周五辞职了", ""),
        ]
    ),
)
async def test_what_is_to_be_remembered_is_kept_with_its_day(in_utc, workspace: Path, order, content, ends):
    async with host(workspace, clock=ManualClock(MONDAY), core={"message_limit": 20.0}) as memory:
        context = await memory.message_received(session_key="cli:a", text=order, history=[])
    (one,) = stored(workspace).values()
    assert one.content == content
    assert (one.expires_at.isoformat() if one.expires_at else "") == ends
    assert content in (context.block or "")


@pytest.mark.parametrize(
    ("order", "ends"),
    in_both_scripts(
        [
            ("Remember that my locker is in room three, and I swim on Wednesday evening.", ""),
            ("Remember: the projector code name is Otter, the seminar is next Tuesday at 10.", ""),
            ("Remember that I am vegan and the party is on Friday.", ""),
            ("记住：我的储物柜在三号房，周三晚上游泳。", ""),
            ("记住我的导师姓梁，明天下午三点开组会。", ""),
            ("记住我对花生过敏，周五聚餐", ""),
            # What belongs to the plan is over with it.
            ("Remember that the flight leaves tomorrow at 10, the gate opens at 9.", "2026-11-24"),
            ("Remember that the dentist is in Main Street, on Tuesday at nine.", "2026-11-24"),
            ("Remember that there is a parents' evening, it is tomorrow.", "2026-11-24"),
            ("Remember that I have to see the dentist, it is tomorrow.", "2026-11-24"),
            ("记住明天体检，空腹去", "2026-11-24"),
            ("请记住：体检在市医院，明天早上八点", "2026-11-24"),
            ("记住我要去体检，明天早上走", "2026-11-24"),
        ]
    ),
)
async def test_what_is_told_before_a_plan_is_not_over_with_it(in_utc, workspace: Path, order, ends):
    async with host(workspace, clock=ManualClock(MONDAY), core={"message_limit": 20.0}) as memory:
        await memory.message_received(session_key="cli:a", text=order, history=[])
    (one,) = stored(workspace).values()
    assert (f"{one.expires_at - timedelta(days=1):%Y-%m-%d}" if one.expires_at else "") == ends


async def learned(workspace: Path, said: str, *items: dict[str, str], at: datetime = MONDAY) -> dict[str, str]:
    history = [{**one, "timestamp": at.isoformat()} for one in chat(said, "Ok.")]
    async with host(workspace, Model(list(items)), clock=ManualClock(at), extractionQuotes="always") as memory:
        await memory.session_idle(session_key="cli:a", history=history, ended=True)
    return {
        text: f"{one.expires_at - timedelta(days=1):%Y-%m-%d}" if one.expires_at else ""
        for text, one in stored(workspace).items()
    }


async def test_two_tasks_of_one_sentence_each_get_their_own_day(in_utc, workspace: Path):
    said = "I have to book the launch room by October 20 and send the invitation by September 16."
    assert await learned(
        workspace,
        said,
        item("The user has to book the launch room", "todo", said=said),
        item("The user has to send the invitation", "todo", said=said),
    ) == {"The user has to book the launch room": "2027-10-20", "The user has to send the invitation": "2027-09-16"}


async def test_what_lasts_ends_when_the_model_says_and_what_begins_on_a_day_does_not_end_on_it(in_utc, workspace: Path):
    said = "Our lease runs out on 31 March, so we move. A 3-month stay in Osaka, from 15 January. Room free from 1 May."
    lease, stay = (
        "The user's lease runs out on 2027-03-31 and they move",
        "The user starts a 3-month stay on 2027-01-15",
    )
    room = "The user has to let the room from 2027-05-01"
    assert await learned(
        workspace,
        said,
        item(lease, said="Our lease runs out on 31 March", expires_at="2027-03-31"),
        item(stay, said="A 3-month stay in Osaka, from 15 January", expires_at="2027-04-15"),
        item(room, "todo", said="Room free from 1 May"),
    ) == {lease: "2027-03-31", stay: "2027-04-15", room: ""}


async def test_a_day_that_the_model_resolved_stays_and_one_that_nobody_named_goes(in_utc, workspace: Path):
    said = "九月底之前要把监控接好。护照要去续。提前一天提醒我拿蛋糕，生日是周五。"
    assert await learned(
        workspace,
        said,
        item("用户要在九月底之前把监控接好", "todo", said="九月底之前要把监控接好", expires_at="2027-09-30"),
        item("用户希望被提醒拿蛋糕", "todo", said="提前一天提醒我拿蛋糕，生日是周五", expires_at="2026-11-26"),
    ) == {"用户要在九月底（2027-09-30）之前把监控接好": "2027-09-30", "用户希望被提醒拿蛋糕": "2026-11-26"}
    said = "I should renew my passport."
    done = await learned(
        workspace, said, item("The user has to renew the passport", "todo", said=said, expires_at="2027-05-01")
    )
    assert done["The user has to renew the passport"] == ""


async def test_a_plan_of_any_kind_is_over_after_its_day_and_a_new_job_is_not(in_utc, workspace: Path):
    said = "Our concert is on December 3. I start at Gridwise on December 1."
    found = await learned(
        workspace,
        said,
        item("The user's concert is on 2026-12-03", said="Our concert is on December 3", expires_at="2026-12-03"),
        item(
            "The user starts at Gridwise on 2026-12-01",
            said="I start at Gridwise on December 1",
            expires_at="2026-12-01",
        ),
    )
    assert found == {
        "The user's concert is on 2026-12-03": "2026-12-03",
        "The user starts at Gridwise on 2026-12-01": "",
    }


async def test_the_day_is_that_of_the_zone_in_which_the_message_was_written(in_utc, workspace: Path):
    at = datetime.fromisoformat("2026-11-24T07:30:00+08:00")
    said = "我明天要去体检"
    await learned(workspace, said, item("用户明天要去体检", "todo", said=said), at=at)
    (one,) = stored(workspace).values()
    assert one.content == "用户明天（2026-11-25）要去体检"
    assert one.expires_at == datetime(2026, 11, 25, 16, tzinfo=UTC)


async def test_a_plan_stands_in_the_prompt_on_its_day_leaves_it_and_is_found_with_its_date(in_utc, workspace: Path):
    ends = (NOW + days(30)).replace(hour=0, minute=0)
    plan = entry("plan", "The user sees the dentist", 0.3, category="todo", expires_at=ends, last_activated=NOW)
    EntryRepository(workspace).update(added(plan), who="test", why="add")
    clock = ManualClock(ends - timedelta(days=9))
    async with host(workspace, clock=clock) as memory:
        assert "dentist" not in memory.prompt_entries().text
        clock.set(ends - timedelta(hours=30))
        assert "dentist (2026-03-21, tomorrow)" in memory.prompt_entries().text
        clock.set(ends - timedelta(hours=6))
        assert "dentist (2026-03-21, today)" in memory.prompt_entries().text
        clock.set(ends)
        assert memory.prompt_entries().text == ""
