""" "Don't keep that", said by itself: what was said before it is neither learned nor brought up."""

import json
from pathlib import Path
from typing import Any

import pytest

from nanobot_memory_plugins.consolidation.commands.orders import OrderKind, commands_in
from nanobot_memory_plugins.consolidation.operations.undo import restore
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.core.text.off_record import off_record
from nanobot_memory_plugins.core.text.orders import without_orders_to_forget
from tests.support.chinese import in_both_scripts
from tests.support.each import each

pytestmark = pytest.mark.leaving

CONFIG = MemoryConfig.model_validate(
    {
        "core": {"message_limit": 30, "tool_limit": 30, "start_limit": 60},
        "plugins": {
            "storage": {"embedding_provider": "none"},
            "recall": {"recall_timeout": 20},
            "consolidation": {"consolidation_schedule": False},
        },
    }
)
QUARREL = "I had a row with my sister Berenike about the house in Aarhus, she wants to sell it."
QUARREL_ZH = "我跟我大姐秀琴吵架了，为了妈妈留下来那间永康的房子，她要卖我不要卖"
ORDERS = [
    "Don't keep that.",
    "please don't save what I just said",
    "Don't write that down.",
    "Could you not store this, please?",
    "这件事别记下来",
    "這件事別記下來",
    "这个别记",
    "别把这个记下来",
    "这段话你不用记",
    "能别记这个吗",
    "这个就当我没说",
]
NONE = [
    "I don't remember that",
    "I never keep that.",
    "这个我不记",
    "我不想记这个",
    "别记错了",
    "这件事别忘了",
    "不用谢",
    "Don't keep me waiting.",
    "Don't save the file.",
    "别存桌面",
    "那你记一下",
]


@each("order", in_both_scripts(ORDERS))
def test_what_says_nothing_else_means_what_was_said_before(order: str):
    assert off_record(order) is None
    (command,) = commands_in(order)
    assert (command.kind, command.text) == (OrderKind.FORGET, "")
    assert without_orders_to_forget(order) == ""


@each("text", in_both_scripts(NONE))
def test_what_is_asked_of_something_else_is_none(text: str):
    assert not [one for one in commands_in(text) if one.kind is OrderKind.FORGET]


class Learner:
    """A model that learns one thing from whatever conversation holds the words that it quotes."""

    def __init__(self, content: str, said: str) -> None:
        self.content, self.said, self.shown = content, said, ""

    async def __call__(self, messages: Any, *, max_tokens: int, purpose: str) -> str:
        shown = str(messages[-1].get("content"))
        self.shown += shown
        item = {"content": self.content, "said": self.said, "category": "fact", "importance": "high"}
        return json.dumps([item] if self.said in shown else [])


def contents(workspace: Path) -> list[str]:
    return [one.content for one in EntryRepository(workspace).load().entries.values()]


@pytest.mark.parametrize(
    ("told", "order", "question", "learned", "quote", "name"),
    [
        (
            QUARREL, "Don't write that down.", "What is my sister called?",
            "The user had a row with their sister Berenike", "I had a row with my sister Berenike", "Berenike",
        ),
        (QUARREL, "Forget that.", "What is my sister called?",
         "The user had a row with their sister Berenike", "I had a row with my sister Berenike", "Berenike"),
        (QUARREL_ZH, "这件事别记下来", "我大姐叫什么名字？", "用户跟大姐秀琴吵架了", "我跟我大姐秀琴吵架了", "秀琴"),
    ],
)  # fmt: skip
async def test_it_is_neither_learned_nor_recalled_until_it_is_restored(
    tmp_path: Path, told: str, order: str, question: str, learned: str, quote: str, name: str
):
    model = Learner(learned, quote)
    history = [{"role": "user", "content": told}, {"role": "assistant", "content": "I see."}]
    async with MemoryHost(tmp_path, config=CONFIG, llm=model) as memory:
        await memory.message_received(session_key="cli:a", text=told)
        await memory.message_sent(session_key="cli:a", text="I see.")
        answer = (await memory.message_received(session_key="cli:a", text=order, history=history)).block or ""
        await memory.message_sent(session_key="cli:a", text="It is not kept.")
        assert name in answer
        assert ("is not brought up any more" in answer) or ("不会再被想起" in answer)
        assert "purge" in answer
        assert "restore" in answer
        history += [{"role": "user", "content": order}, {"role": "assistant", "content": "It is not kept."}]
        await memory.session_idle(session_key="cli:a", history=history, ended=True)
        assert contents(tmp_path) == []
        assert name not in model.shown
        await memory.flush_index()
        asked = await memory.message_received(session_key="cli:b", text=question)
        assert name not in (asked.block or "")
    (forgotten,) = (
        change.id for run in EntryRepository(tmp_path).journal.runs() for change in run.changes if change.after is None
    )
    restore(EntryRepository(tmp_path), forgotten, now=EntryRepository(tmp_path).clock.now(), who="user")
    assert contents(tmp_path) == [told]


async def test_what_was_ordered_to_be_remembered_and_forgotten_at_once_is_not_learned_from_the_same_session(
    tmp_path: Path,
):
    model = Learner("The user's locker is 88", "my locker is 88")
    history: list[dict[str, str]] = []
    async with MemoryHost(tmp_path, config=CONFIG, llm=model) as memory:
        for text in ("Please remember that my locker is 88.", "Forget that."):
            await memory.message_received(session_key="cli:a", text=text, history=list(history))
            await memory.message_sent(session_key="cli:a", text="Done.")
            history += [{"role": "user", "content": text}, {"role": "assistant", "content": "Done."}]
        await memory.session_idle(session_key="cli:a", history=history, ended=True)
    assert contents(tmp_path) == []


async def test_what_a_compaction_has_put_aside_is_not_learned_either(tmp_path: Path):
    model = Learner("The user had a row with their sister Berenike", "I had a row with my sister Berenike")
    history = [{"role": "user", "content": QUARREL}, {"role": "assistant", "content": "I see."}]
    async with MemoryHost(tmp_path, config=CONFIG) as memory:
        await memory.message_received(session_key="cli:a", text=QUARREL)
        await memory.before_compaction(session_key="cli:a", messages=history, context_window=4_000, reason="tokens")
    async with MemoryHost(tmp_path, config=CONFIG, llm=model) as memory:
        await memory.message_received(session_key="cli:a", text="Forget that.", history=history)
        await memory.session_idle(session_key="cli:a", history=[], ended=True)
    assert contents(tmp_path) == []
    assert "Berenike" not in model.shown
