"""Statements of a model about the user are shown with the user's own words, or not at all."""

import sys

import pytest

from nanobot_memory_plugins.core import estimate_tokens
from tests.behaviour.kit.life import Conversation, Life
from tests.behaviour.kit.model import ReadingModel, remember_call, search_call

# What the user said, and a false statement that a model makes of it: negated, affirmed, reversed, of somebody else, or
# taken from a joke, a question or a guess.
FALSE = (
    ("I get hives from penicillin, badly.", "The user tolerates penicillin well."),
    ("I take lithium every morning.", "The user does not take lithium."),
    ("My brother Ivo is a baker and my cousin Pia is a diver.", "The user's brother Ivo is a diver."),
    ("I owe Hanna 900 crowns.", "Hanna owes the user 900 crowns."),
    ("My landlord wants me to sell the piano.", "The user wants to sell the piano."),
    ("The scammer wrote that Varga is my banker.", "Varga is the user's banker."),
    ("Sure, I adore Mondays, haha.", "The user adores Mondays."),
    ("Should I perhaps buy a sailing boat?", "The user buys a sailing boat."),
    ("我对青霉素过敏。", "用户对青霉素不过敏。"),
    ("比起爬山我更爱游泳。", "比起游泳用户更爱爬山。"),
    ("听说我们组要搬到成都。", "用户的组要搬到成都。"),
)
# The same kinds, with true statements in other words.
TRUE = (
    ("I take lithium every morning.", "The user is on lithium, daily."),
    ("Prod listens on 5439 now.", "The production database uses port 5439."),
    ("Home is a boat in Aarhus.", "The user lives on a boat in Aarhus."),
    ("比起爬山我更爱游泳。", "用户喜欢游泳胜过爬山。"),
    ("我搬到青岛了。", "用户家在青島。"),
)


async def state(talk: Conversation, model: ReadingModel, said: str, text: str, how: str) -> None:
    """Let the user say something in a new session, and the model keep ``text`` for it."""
    await talk.hear(f"Good morning. {said} What is the weather like today in the north of the country?")
    if how == "tool":
        await talk.call(remember_call(text, said))
    else:
        model.learn(text, said)
        await talk.memory.message_sent(session_key=talk.key, text="It rains.")
        await talk.idle(ended=True)


def prompt_lines(talk: Conversation, text: str) -> list[str]:
    return [line for line in talk.prompt().splitlines() if text in line]


@pytest.mark.accept("EB-05")
@pytest.mark.parametrize("how", ["tool", "reading"])
async def test_false_statements_are_shown_with_the_users_words_or_not_at_all_and_true_ones_are_shown(
    life: Life, model: ReadingModel, how: str
):
    """Each case has its own user, so that nobody has said the other sentences."""
    unseen, missing = [], []
    async with life.host() as memory:
        for kind, cases in (("false", FALSE), ("true", TRUE)):
            for number, (said, text) in enumerate(cases):
                who = {"user": f"{kind}{number}"}
                await state(Conversation(memory, f"{kind}:{number}", scope=who), model, said, text, how)
                lines = prompt_lines(Conversation(memory, f"next:{kind}{number}", scope=who), text)
                if kind == "true" and not lines:
                    missing.append(text)
                unseen += [line for line in lines if kind == "false" and said not in line.replace(text, "", 1)]
                model.facts.clear()
    assert unseen == [], "nobody could see that the user said something else"
    assert missing == []


async def test_an_uncertain_statement_is_archived_and_becomes_active_once_the_user_says_it(
    life: Life, model: ReadingModel
):
    said = "Maybe I get a parrot one day, who knows. My sister Eva is a pilot."
    model.learn("The user gets a parrot.", "Maybe I get a parrot one day")
    model.learn("The user sails to Iceland.", said, quoted="I sail to Iceland")
    model.learn("The user's sister Eva is a pilot.", "My sister Eva is a pilot")
    async with life.host() as memory:
        talk = Conversation(memory)
        await talk.turn(said, "Nice.")
        await talk.idle(ended=True)
        kept = {one["content"]: one["section"] for one in life.entries()}
        assert kept == {
            "The user gets a parrot.": "archived",
            "The user sails to Iceland.": "archived",
            "The user's sister Eva is a pilot.": "active",
        }
        await memory.flush_index()
        assert "gets a parrot" in await talk.call(search_call("parrot"))
        model.facts.clear()
        model.learn("The user gets a parrot.", "I am getting a parrot on Friday")
        later = Conversation(memory, "cli:later")
        await later.turn("I am getting a parrot on Friday, it is settled.", "Great.")
        await later.idle(ended=True)
        assert prompt_lines(Conversation(memory, "cli:next"), "The user gets a parrot.")


async def test_a_known_statement_of_the_user_is_not_called_the_models_note_when_kept_again(life: Life):
    async with life.host() as memory:
        earlier, later = Conversation(memory, "cli:first"), Conversation(memory, "cli:second")
        await earlier.hear("Our staging database listens on port 5433.")
        await earlier.call(remember_call("Our staging database listens on port 5433."))
        await later.hear("Do you know the port?")
        again = await later.call(remember_call("Our staging database listens on port 5433."))
        unsaid = await later.call(remember_call("The user sails to Iceland."))
        assert prompt_lines(later, "port 5433"), "it stands in the prompt as the user's own word"
    assert "your note" not in again, "the model would say that it is not in view"
    assert "your note" in unsaid


async def test_the_quotations_of_twenty_entries_cost_at_most_a_thousand_tokens(life: Life):
    sizes = []
    for quoted in (False, True):
        here = Life(life.folder / str(quoted))
        here.folder.mkdir()
        async with here.host() as memory:
            for number in range(20):
                # Chinese costs the most, since each character is a token.
                text = f"用户养了{number}号蜂箱，放在菜园里。"
                said = f"对了，菜园角上那个{number}号蜂箱也是我的，去年春天买的，里面的蜂脾气不小。"
                talk = Conversation(memory, f"cli:{number}")
                await talk.hear(said if quoted else text)
                await talk.call(remember_call(text, said if quoted else text))
            prompt = Conversation(memory, "cli:next").prompt()
        assert sum(line.startswith("- ") for line in prompt.splitlines()) == 20
        sizes.append(estimate_tokens(prompt))
    sys.stdout.write(f"entries without quotes {sizes[0]} tokens, with them {sizes[1]}\n")
    assert sizes[1] - sizes[0] <= 1_000
