"""What is only imagined becomes nobody's fact, whichever way it is offered: by the tool, after a talk, before a cut."""

from pathlib import Path

import pytest

from nanobot_memory_plugins.core import MemoryHost, Message
from nanobot_memory_plugins.core.values import Origin
from nanobot_memory_plugins.flush.entries import UserWords, read_entries
from tests.support.each import each
from tests.text.test_imagined import NOT_SO, SO

from .learning import Model, chat, item, stored
from .test_process import learn
from .test_spoken import config, entries, say
from .test_tools import run

# Of each kind some.
NOT_SO_HERE, SO_HERE = NOT_SO[::4], SO[::4]


@pytest.mark.parametrize(("said", "claim"), NOT_SO_HERE)
@pytest.mark.parametrize("quoted", [True, False])
async def test_the_tool_keeps_it_as_the_models_own_at_most(workspace: Path, said: str, claim: str, quoted: bool):
    async with MemoryHost(workspace, config=config()) as host:
        await say(host, said)
        await run(host, "remember", text=claim, said=said if quoted else "", pin=True)
    (entry,) = entries(workspace)
    assert (entry.origin, entry.pinned) == (Origin.SUMMARY, False)


@pytest.mark.parametrize(("said", "claim"), SO_HERE)
async def test_the_tool_keeps_what_looks_like_it_as_the_users(workspace: Path, said: str, claim: str):
    async with MemoryHost(workspace, config=config()) as host:
        await say(host, said)
        await run(host, "remember", text=claim, said=said)
    assert [entry.origin for entry in entries(workspace)] == [Origin.USER]


@pytest.mark.parametrize(("said", "claim"), NOT_SO_HERE)
async def test_nothing_of_it_is_learned_after_a_talk(workspace: Path, said: str, claim: str):
    await learn(workspace, Model([item(claim, said=said)]), chat(said, "I see."))
    assert claim not in stored(workspace)


@pytest.mark.parametrize(("said", "claim"), SO_HERE)
async def test_what_looks_like_it_is_learned_after_a_talk(workspace: Path, said: str, claim: str):
    await learn(workspace, Model([item(claim, said=said)]), chat(said, "I see."))
    assert set(stored(workspace)) == {claim}


@each(("said", "claim", "own"), [*((*one, False) for one in NOT_SO_HERE), *((*one, True) for one in SO_HERE)])
def test_what_is_noted_before_a_cut_is_the_users_word_by_the_same_rules(said: str, claim: str, own: bool):
    (entry,) = read_entries([{"type": "fact", "tldr": claim, "quote": said}].__repr__())
    assert UserWords([Message("user", said)]).hold(entry) is own
