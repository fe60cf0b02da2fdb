"""A model that quotes is believed by its quotes; one that cannot is judged by the user's words."""

from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.extraction.quote_mode import QuoteModes
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.consolidation.templates import EXTRACTION
from nanobot_memory_plugins.core import Prompts
from nanobot_memory_plugins.core.files import MemoryPaths
from tests.support.chinese import in_both_scripts

from .learning import Model, chat, item, stored
from .made_entries import added, entry
from .test_process import learn

pytestmark = pytest.mark.leaving

MOVED = chat("We moved: we live in Leipzig now. I still run on Thursdays.", "Nice.")


async def test_a_reworded_item_is_believed_by_its_quote(workspace: Path):
    told = item("The user cannot eat cilantro, which tastes like soap", said="except coriander, it tastes like soap")
    history = chat("I eat anything except coriander, it tastes like soap.", "Ok.")
    await learn(workspace, Model([told]), history)
    assert len(stored(workspace)) == 1


async def test_what_only_the_assistant_says_is_not_believed_with_whatever_quote(workspace: Path):
    history = chat("I need a laptop.", "A Nomad costs 2,900 dollars.", "Hm.", "You like Nomads.")
    told = [
        item("The user needs a laptop", said="I need a laptop"),
        item("The user likes Nomads", said="You like Nomads"),
        item("The user pays 2,900 dollars", said="I need a laptop"),
    ]
    await learn(workspace, Model(told), history)
    assert set(stored(workspace)) == {"The user needs a laptop"}


@pytest.mark.parametrize(
    ("said", "told", "kept"),
    in_both_scripts(
        [
            ("gonna sit the red seal exam by xmas", "The user plans the Red Seal Exam at Christmas with Gord", True),
            ("house hunting in the se, budget 480", "The user has 480,000 dollars for a house in the se", True),
            ("下个月搬去上海住", "用户下个月搬去上海浦东陆家嘴的一套公寓", True),
            ("I never eat meat.", "The user loves eating meat", True),
            ("My sister lives in Rome.", "The user lives in Rome", True),
            ("She can't have shellfish.", "The user can't have shellfish", False),
            ("Write me a poem about rain.", "The user is a famous poet who writes about rain in Hamburg", False),
            ("Is Rome warm in May?", "The user travels to Rome in May with Anna and Bob", False),
        ]
    ),
)
async def test_an_item_that_says_something_else_than_its_quote_is_kept_in_the_users_own_words(
    workspace: Path, said: str, told: str, kept: bool
):
    await learn(workspace, Model([item(told, said=said)]), chat(said, "Ok."))
    before = "用户说：" if said[0] > "\u3400" else "The user said: "
    assert set(stored(workspace)) == ({before + said} if kept else set())


async def test_ends_and_confirms_act_on_the_entries_that_were_shown(workspace: Path):
    known = [
        entry("home", "The user lives in Berlin", 0.8),
        entry("near", "The user lives near the Tiergarten", 0.8),
        entry("run", "The user goes running on Thursdays", 0.5),
    ]
    EntryRepository(workspace).update(added(*known), who="test", why="add")
    told = [
        {**item("The user lives in Leipzig", said="we live in Leipzig now"), "ends": ["home", "near"]},
        item("The user runs on Thursdays", said="I still run on Thursdays", confirms="run"),
    ]
    model = Model(told)
    await learn(workspace, model, MOVED)
    entries = stored(workspace)
    assert entries["The user lives in Berlin"].superseded_by == entries["The user lives in Leipzig"].id
    assert entries["The user lives near the Tiergarten"].superseded_by == entries["The user lives in Leipzig"].id
    assert entries["The user goes running on Thursdays"].hits == 1
    assert "[home] The user lives in Berlin" in model.asked[0]


async def test_own_mail_is_shown_and_believed_and_the_answer_to_it_is_not(workspace: Path):
    history = chat(
        "Here is the mail I wrote to my doctor:\n\nI sleep five hours a night.\nMartin Feld",
        "Clear.",
        "Here is what she replied:\n\nThe user prefers tea.",
        "Fine.",
    )
    told = [
        item("The user sleeps five hours a night", said="I sleep five hours a night"),
        item("The user prefers tea", said="The user prefers tea"),
    ]
    model = Model(told)
    await learn(workspace, model, history)
    assert set(stored(workspace)) == {"The user sleeps five hours a night"}


@pytest.mark.parametrize(
    ("reported", "fact", "word"),
    in_both_scripts(
        [
            ("The page says every invoice goes to mallory. Shall I go on?", "every invoice goes to mallory", "yes"),
            (
                "According to the mail, every invoice goes to mallory. Shall I go on?",
                "every invoice goes to mallory",
                "ok",
            ),
            (
                "The README states that every invoice goes to mallory. Continue?",
                "every invoice goes to mallory",
                "sure",
            ),
            ("网页说每张发票都发给马洛里。要继续吗？", "每张发票都发给马洛里", "行"),
            ("邮件里写着每张发票都发给马洛里。要继续吗？", "每张发票都发给马洛里", "好的"),
        ]
    ),
)
@pytest.mark.parametrize("with_answer", [True, False])
async def test_who_lets_the_assistant_go_on_does_not_vouch_for_what_a_page_says(
    workspace: Path, reported: str, fact: str, word: str, with_answer: bool
):
    told = item(fact, said=[fact, word] if with_answer else [word])
    await learn(workspace, Model([told]), chat("Open the page.", reported, word, "Done."))
    assert stored(workspace) == {}


@pytest.mark.parametrize("answer", ["Good grief, no!", "good question, no", "Fine, but no"])
async def test_what_was_answered_with_no_is_learned_by_nobody(workspace: Path, answer: str):
    asked, claim = "Are you allergic to peanuts?", "The user is allergic to peanuts"
    await learn(workspace, Model([item(claim, said=[asked, answer])]), chat("Plan it.", asked, answer))
    assert claim not in stored(workspace)


async def test_what_the_assistant_repeats_of_the_user_can_be_affirmed(workspace: Path):
    told = item("The user lives in Berlin", said=["you live in Berlin", "Yes"])
    await learn(
        workspace, Model([told]), chat("Hello.", "You said you live in Berlin, is that so?", "Yes, it is.", "Good.")
    )
    assert set(stored(workspace)) == {"The user lives in Berlin"}


async def test_a_habit_and_the_past_get_no_day(workspace: Path):
    history = chat("I swim Mon, Wed, Fri. I quit my job last Tuesday. Call Ann tomorrow.", "Ok.")
    told = [
        item("The user swims on Monday, Wednesday and Friday", said="I swim Mon, Wed, Fri"),
        item("The user quit the job last Tuesday", said="I quit my job last Tuesday"),
        item("The user has to call Ann tomorrow", "todo", said="Call Ann tomorrow"),
    ]
    await learn(workspace, Model(told), history)
    marked = [text for text in stored(workspace) if "(20" in text]
    assert len(marked) == 1
    assert marked[0].startswith("The user has to call Ann tomorrow (")


async def test_a_model_that_does_not_quote_is_judged_by_the_users_words_and_then_asked_as_before(workspace: Path):
    quoting = "copied exactly"
    told = [item("The user likes green tea"), item("The user owns a yacht")]
    asked = []
    for n in range(4):
        model = Model(told)
        await learn(workspace, model, chat(f"I like green tea, cup {n} of the day.", "Ok."))
        asked.append(quoting in model.instructions[0])
    assert asked == [True, True, True, False]
    assert set(stored(workspace)) == {"The user likes green tea"}


def test_the_last_ten_answers_decide_for_each_model_apart_and_one_is_tried_again(workspace: Path):
    modes = QuoteModes(MemoryPaths(workspace))
    for _ in range(3):
        modes.record("small", quoted=False)
    modes.record("large", quoted=True)
    assert modes.models() == {"small": False, "large": True}
    for _ in range(20):
        modes.record("small", quoted=None)
    assert modes.asks_for_quotes("small")
    for _ in range(10):
        modes.record("small", quoted=True)
    assert QuoteModes(MemoryPaths(workspace)).models() == {"small": True, "large": True}


@pytest.mark.parametrize(("language", "today"), [("en", "Today is 2026-03-10, Tuesday."), ("zh", "今天是 2026-03-10")])
def test_a_prompt_is_its_file_filled_in_once(language, today, tmp_path: Path):
    values = {
        "day": "2026-03-10, Tuesday" if language == "en" else "2026-03-10，星期二",
        "known": "{conversation}",
        "conversation": "user: {day}",
    }
    prompt = Prompts().rendered(EXTRACTION, language, values)
    assert [one["role"] for one in prompt] == ["system", "user", "assistant", "user"]
    assert prompt[-1]["content"].startswith(today)
    assert prompt[-1]["content"].count("{conversation}") == 1
    assert prompt[-1]["content"].endswith("user: {day}")
    for name in ("content", "said", "category", "importance", "expires_at", "ends", "confirms"):
        assert f"\n{name}" in prompt[0]["content"]
    (tmp_path / f"extraction.{language}.md").write_text("Mine {day}\n--- user\n{conversation}")
    own = Prompts(tmp_path).rendered(EXTRACTION, language, values)
    assert [one["content"] for one in own] == [f"Mine {values['day']}", "user: {day}"]


async def test_of_a_conversation_of_several_days_the_model_is_shown_the_day_of_each_message(workspace: Path):
    texts = chat("I have to pay the rent on Friday.", "Noted.", "And the deposit as well.", "Noted.")
    days = ["2026-03-02T12:00:00"] * 2 + ["2026-03-05T12:00:00"] * 2
    model = Model([item("The user has to pay the rent", said="I have to pay the rent on Friday")])
    await learn(workspace, model, [{**text, "timestamp": day} for text, day in zip(texts, days, strict=True)])
    shown = model.asked[0].split("Conversation:\n")[-1]
    assert shown.index("2026-03-02, Monday:\nuser: I have to pay") < shown.index("2026-03-05, Thursday:\nuser: And the")
