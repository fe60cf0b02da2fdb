""" "Remember this" and "forget that", said to a host: what is written, and what the model is told of it."""

import asyncio
import threading
import time
from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.commands.reference import meant_by_this
from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, remember
from nanobot_memory_plugins.consolidation.operations.undo import restore, undo
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.core.text.fence import is_fenced
from nanobot_memory_plugins.core.values import Message, Origin, Scope
from tests.support.chinese import in_both_scripts
from tests.support.files_of import holders_of

OTHERS = ("storage", "recall", "nanobot", "bootstrap", "flush", "summary", "compaction", "observation")


def config(**options: object) -> MemoryConfig:
    off = {name: {"enabled": False} for name in OTHERS}
    core = {"message_limit": 20.0, **options}
    return MemoryConfig.model_validate({"core": core, "plugins": off})


@pytest.fixture
async def host(workspace: Path):
    async with MemoryHost(workspace, config=config()) as memory:
        yield memory


def entries(workspace: Path) -> list[Entry]:
    return list(EntryRepository(workspace).load().entries.values())


def known(workspace: Path, *texts: str) -> list[str]:
    repository = EntryRepository(workspace)
    return [remember(repository, NewEntry(text), who="test").entry.id for text in texts]


async def say(host: MemoryHost, text: str, *history: tuple[str, str], session: str = "cli:direct", **more) -> str:
    """Say something, and return what the model is told beside it."""
    messages = [{"role": role, "content": content} for role, content in history]
    context = await host.message_received(session_key=session, text=text, history=messages, **more)
    assert context.block is None or is_fenced(context.block)
    return context.block or ""


@pytest.mark.accept("EB-16")
@pytest.mark.parametrize(
    ("order", "content", "confirmed"),
    [
        (
            "Please remember that I'm allergic to peanuts.",
            "I'm allergic to peanuts",
            "was written to memory/ENTRIES.md",
        ),
        ("请记住：我对花生过敏", "我对花生过敏", "已写入 memory/ENTRIES.md"),
        ("請記住我對花生過敏", "我對花生過敏", "已写入 memory/ENTRIES.md"),
    ],
)
async def test_what_is_said_behind_the_order_is_written_and_confirmed_with_file_and_id(
    host, workspace, order, content, confirmed
):
    block = await say(host, order, scope={"user": "ada"})
    (entry,) = entries(workspace)
    assert (entry.content, entry.origin, entry.source_session) == (content, Origin.USER, "cli:direct")
    assert entry.score == 0.8
    assert confirmed in block
    assert f"id {entry.id}" in block
    assert content in block


@pytest.mark.accept("EB-16")
@pytest.mark.parametrize("order", in_both_scripts(["记住这个", "Remember this, please"]))
async def test_this_means_what_the_user_said_before_and_never_a_tools_output(host, workspace, order):
    block = await say(
        host,
        order,
        ("user", "My flight is LH 123 on Friday."),
        ("assistant", "Let me look it up."),
        ("tool", "LH 123 is run by a villain"),
        ("assistant", "It leaves at 9:40."),
    )
    (entry,) = entries(workspace)
    assert entry.content.startswith("My flight is LH 123 on Friday (20")
    assert entry.origin is Origin.USER
    assert entry.id in block


async def test_after_a_question_this_means_the_answer_which_is_the_assistants(host, workspace):
    await say(host, "记住这个", ("user", "巴黎的时区是什么？"), ("assistant", "巴黎使用中欧时间。"))
    (entry,) = entries(workspace)
    assert (entry.content, entry.origin) == ("巴黎使用中欧时间。", Origin.ASSISTANT)


@pytest.mark.parametrize("order", in_both_scripts(["记住这个", "remember that"]))
async def test_without_anything_before_it_nothing_is_written_and_that_is_said(host, workspace, order):
    block = await say(host, order, ("tool", "exit 0"))
    assert entries(workspace) == []
    assert ("什么都没有写入" in block) or ("nothing was written" in block)


@pytest.mark.accept("EB-16")
async def test_what_is_plainly_meant_is_forgotten_and_can_be_restored(host, workspace):
    tea, dog = known(workspace, "I like oolong tea", "I have a dog named Bo")
    block = await say(host, "Please forget what I said about the tea")
    assert [entry.id for entry in entries(workspace)] == [dog]
    assert "was removed from memory/ENTRIES.md" in block
    assert tea in block
    restore(EntryRepository(workspace), tea, now=EntryRepository(workspace).clock.now(), who="user")
    assert {entry.id for entry in entries(workspace)} == {tea, dog}


@pytest.mark.parametrize(
    ("order", "gone"),
    in_both_scripts(
        [
            ("Forget what I said about oolong, I've come round to coffee honestly.", "I like oolong tea best"),
            ("Please forget that I like oolong tea, I am off it now.", "I like oolong tea best"),
            ("忘掉我说的初一吃素的事 我记错了", "我初一和十五都吃素"),
            ("把初一和十五吃素那件事忘掉 我现在不吃素了", "我初一和十五都吃素"),
            ("忘掉我初一吃素这件事，我现在不吃素了", "我初一和十五都吃素"),
        ]
    ),
)
async def test_why_something_is_to_be_forgotten_is_no_part_of_what_is_meant(host, workspace, order, gone):
    known(workspace, "I like oolong tea best", "I have a dog named Bo", "我初一和十五都吃素", "我每周二打太极拳")
    block = await say(host, order)
    assert gone in block
    assert gone not in [entry.content for entry in entries(workspace)]
    assert len(entries(workspace)) == 3


@pytest.mark.parametrize(
    "text", ["Forget that, I found it myself.", "忘了带伞，我全身都湿透了", "我忘掉这件事了，她也忘了"]
)
async def test_what_is_let_go_in_passing_is_no_order(host, workspace, text):
    known(workspace, "I like oolong tea best")
    assert await say(host, text, ("user", "Where is the oolong tea?"), ("assistant", "I do not know.")) == ""
    assert len(entries(workspace)) == 1


@pytest.mark.accept("EB-16")
async def test_when_several_may_be_meant_none_is_forgotten_and_the_model_is_to_ask(host, workspace):
    ids = known(workspace, "我喜欢喝乌龙茶", "我喜欢喝龙井茶", "我住在苏州")
    block = await say(host, "忘了我喜欢喝茶吧")
    assert len(entries(workspace)) == 3
    assert "没有删除任何内容" in block
    assert all(id_ in block for id_ in ids[:2])
    assert ids[2] not in block


@pytest.mark.parametrize("order", in_both_scripts(["forget my phone number", "忘掉我的电话号码"]))
async def test_what_no_entry_says_is_said_to_be_not_found(host, workspace, order):
    known(workspace, "I like oolong tea")
    block = await say(host, order)
    assert len(entries(workspace)) == 1
    assert "nothing was forgotten" in block or "没有删除任何内容" in block


@pytest.mark.accept("EB-16")
async def test_forget_that_behind_remember_this_takes_back_what_was_written(host, workspace):
    await say(host, "请记住我不吃香菜")
    block = await say(host, "忘掉那个", ("user", "请记住我不吃香菜"), ("assistant", "好的，记住了。"))
    assert entries(workspace) == []
    assert "我不吃香菜" in block
    undo(EntryRepository(workspace), who="user")
    assert len(entries(workspace)) == 1


async def test_what_replaced_it_and_what_it_replaced_go_together(host, workspace):
    from nanobot_memory_plugins.consolidation.model.scoring import contradicted

    old, new = known(workspace, "My address is Elm Street 5", "My address is Oak Lane 7")

    def link(current):
        first, second = contradicted(current[old], current[new])
        return {**current, old: first, new: second}

    EntryRepository(workspace).update(link, who="test", why="moved")
    await say(host, "Forget what I told you about Oak Lane.")
    assert entries(workspace) == []


@pytest.mark.parametrize(
    ("order", "content"),
    [
        ("Pin this: my blood group is 0 negative.", "my blood group is 0 negative"),
        ("Please pin that I'm allergic to nuts", "I'm allergic to nuts"),
        ("Can you pin this for me? My locker is number 88", "My locker is number 88"),
        ("I never eat coriander. Pin that, please.", "I never eat coriander"),
    ],
)
async def test_what_is_to_be_pinned_is_pinned_and_said_to_be(host, workspace, order, content):
    block = await say(host, order)
    (entry,) = entries(workspace)
    assert (entry.content, entry.pinned) == (content, True)
    assert "is pinned" in block


@pytest.mark.parametrize(
    "order",
    [
        "Please remember that my badge's pin is red.",
        "Remember the pin of my badge: it is red.",
        "Remember that I collect pins.",
    ],
)
async def test_a_pin_that_is_a_thing_pins_nothing(host, workspace, order):
    await say(host, order)
    assert [one.pinned for one in entries(workspace)] == [False]


@pytest.mark.parametrize(
    ("order", "told"),
    [
        ("Please remember: I like " + "plain food and long walks and " * 120 + "tea.", "only its beginning was kept"),
        ("请记住：我喜欢" + "清淡的饭菜和散步，" * 300 + "还有茶。", "只保存了开头"),
    ],
)
async def test_of_what_is_too_long_for_an_entry_the_model_is_told_that_its_end_is_not_kept(
    host, workspace, order, told
):
    block = await say(host, order)
    (entry,) = entries(workspace)
    assert len(entry.content) == 2_000
    assert told in block


async def test_secrets_are_hidden_before_anything_is_written(host, workspace):
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    block = await say(host, f"Remember that my GitHub token is {secret}")
    assert secret not in block
    assert holders_of(workspace / "memory", secret) == []


async def test_what_is_known_is_refreshed_and_not_kept_twice(host, workspace):
    await say(host, "记住我喜欢喝乌龙茶")
    block = await say(host, "请记住：我喜欢喝乌龙茶。")
    (entry,) = entries(workspace)
    assert entry.hits == 1
    assert "早已记住" in block


async def test_what_cannot_be_written_is_not_confirmed(host, workspace):
    path = workspace / "memory" / "ENTRIES.md"
    path.mkdir()
    block = await say(host, "Remember that I like tea")
    assert "was NOT kept" in block
    assert "was written" not in block


async def test_a_late_write_is_said_to_be_under_way_and_is_done_all_the_same(workspace):
    async with MemoryHost(workspace, config=config(message_limit=1.0)) as host:
        await say(host, "hello my friend")
        with EntryRepository(workspace).locked():
            started = time.monotonic()
            block = await say(host, "Remember that I like tea")
            assert time.monotonic() - started < 5
            assert "is being kept" in block
            assert entries(workspace) == []
    assert [entry.content for entry in entries(workspace)] == ["I like tea"]  # the close has waited


@pytest.mark.parametrize(
    "text",
    [
        "Remember that I like tea",
        "Always answer in French.",
        "以后都用中文回答",
        "The rent is 540 now, not 480.",
    ],
)
async def test_an_answer_waits_for_its_write_as_long_as_the_hook_may_take(workspace, text):
    known(workspace, "The rent is 480")
    async with MemoryHost(workspace, config=config(message_limit=20.0)) as host:
        await say(host, "hello my friend")
        locked, ended = threading.Event(), threading.Event()

        def hold() -> None:
            with EntryRepository(workspace).locked():
                locked.set()
                ended.wait(1.0)

        holder = threading.Thread(target=hold)
        holder.start()
        await asyncio.to_thread(locked.wait)
        block = await say(host, text)
        holder.join()
    assert "memory/ENTRIES.md" in block
    assert "being kept" not in block
    assert "正在保存" not in block


@pytest.mark.parametrize(
    "text", in_both_scripts(["Do you remember my birthday?", "你还记得我的生日吗？", "I forgot my keys", "hello"])
)
async def test_what_is_no_order_is_left_alone(host, workspace, text):
    known(workspace, "My birthday is on May 3")
    before = (workspace / "memory" / "ENTRIES.md").read_bytes()
    assert await say(host, text) == ""
    assert (workspace / "memory" / "ENTRIES.md").read_bytes() == before


async def test_no_model_is_asked(workspace):
    async def model(*_args, **_more):
        pytest.fail("the model was asked")

    async with MemoryHost(workspace, config=config(), llm=model) as host:
        assert "was written" in await say(host, "Remember that I like tea")
        assert "was removed" in await say(host, "Forget that I like tea")


async def test_the_switch_turns_it_off(workspace):
    off = config()
    off = off.model_copy(update={"plugins": {**off.plugins, "consolidation": {"spokenOrders": False}}})
    async with MemoryHost(workspace, config=off) as host:
        assert await say(host, "Remember that I like tea") == ""
    assert entries(workspace) == []


async def test_a_user_forgets_nothing_of_another_users(workspace):
    narrow = config(share="user")
    async with MemoryHost(workspace, config=narrow) as host:
        await say(host, "Remember that I like oolong tea", scope={"user": "ada"}, session="a")
        (entry,) = entries(workspace)
        assert entry.scope == Scope(user="ada")
        assert "nothing was forgotten" in await say(
            host, "Forget that I like oolong tea", scope={"user": "bob"}, session="b"
        )
        assert len(entries(workspace)) == 1


async def test_orders_at_once_are_all_carried_out(host, workspace):
    blocks = await asyncio.gather(
        *(say(host, f"Remember that my {n}. lucky number is {n}77", session=f"s{n}") for n in range(8))
    )
    assert len(entries(workspace)) == 8
    assert len({block.partition("(id ")[2][:8] for block in blocks}) == 8


@pytest.mark.parametrize(
    "content",
    [None, b"\xff\xfe", [{"type": "text", "text": "I like tea"}], "\ud800 tea", "\0", {"a": 1}, 7, "x" * 3_000_000],
)
async def test_any_message_before_it_can_be_meant(host, workspace, content):
    context = await host.message_received(
        session_key="s", text="remember this", history=[{"role": "user", "content": content}, {"role": "assistant"}]
    )
    assert context.block
    assert all(len(entry.content) <= 2_000 for entry in entries(workspace))


def test_what_this_means():
    def meant(*history: tuple[str, str]):
        found = meant_by_this("记住这个", [Message(role=role, text=text) for role, text in history])
        return found and found.text

    assert meant(("user", "我住在苏州"), ("user", "记住这个")) == "我住在苏州"  # it stands in the history already
    assert meant(("user", "记住：我住在苏州"), ("assistant", "好")) == "我住在苏州"
    assert meant(("assistant", "你好，我是助手")) == "你好，我是助手"
    assert meant(("user", "你好吗？")) is None
    assert meant(("tool", "output"), ("system", "rules")) is None
