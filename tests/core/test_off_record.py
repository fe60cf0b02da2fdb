"""Off the record: what is said so, or while a conversation is paused, is in no file of ours, nor shown to a model."""

import asyncio
import os
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.core.text import fold
from nanobot_memory_plugins.core.text.off_record import MARKED, PAUSED, PAUSED_ALONE, RESUMED, OffRecord, off_record
from tests.support.chinese import in_both_scripts
from tests.support.each import each
from tests.support.files_of import contents_of

pytestmark = pytest.mark.leaving

CONFIG = MemoryConfig.model_validate(
    {
        "core": {"message_limit": 30, "tool_limit": 30, "start_limit": 60},
        "plugins": {"storage": {"embedding_provider": "none"}, "consolidation": {"consolidation_schedule": False}},
    }
)
SECRET = "My therapist Quorvex Imbrasil told me to leave Harald"
SAID = [
    (f"Don't remember this: {SECRET}.", OffRecord.MESSAGE),
    (f"{SECRET}. Please don't save that.", OffRecord.MESSAGE),
    (f"This is off the record. {SECRET}.", OffRecord.MESSAGE),
    (f"Off the record, {SECRET}", OffRecord.MESSAGE),
    (f"Please don't write this down but {SECRET}", OffRecord.MESSAGE),
    ("这个别记：我离婚了", OffRecord.MESSAGE),
    ("我下个月要辞职了，这个不要记", OffRecord.MESSAGE),
    ("以下内容不要保存：我有抑郁症", OffRecord.MESSAGE),
    (f"{SECRET}. I would prefer you not to keep that.", OffRecord.MESSAGE),
    (f"{SECRET}. That should never go into your notes.", OffRecord.MESSAGE),
    (f"Not for your memory: {SECRET}.", OffRecord.MESSAGE),
    (f"Can you not store this? {SECRET}.", OffRecord.MESSAGE),
    (f"{SECRET}. Forget this once you have answered.", OffRecord.MESSAGE),
    ("我得过肝炎，这件事不要写进我的资料", OffRecord.MESSAGE),
    ("请勿留存这段话：我离过两次婚", OffRecord.MESSAGE),
    ("你听完就忘掉吧，我偷偷报了名去当兵", OffRecord.MESSAGE),
    ("memory pause", OffRecord.PAUSE),
    ("Please don't keep anything from here on.", OffRecord.PAUSE),
    ("Stop saving things for the rest of this chat", OffRecord.PAUSE),
    ("接下来我讲的你都不要记", OffRecord.PAUSE),
    ("Don't keep this file", None),
    ("Don't put that in the letter to my boss", None),
    ("Never store passwords in this table", None),
    ("He asked her not to record this.", None),
    ("这张照片不要保存到相册", None),
    ("以后这段路不要走了", None),
    ("Stop remembering this chat, please.", OffRecord.PAUSE),
    ("stop remembering this chat", OffRecord.PAUSE),
    ("暂停记忆", OffRecord.PAUSE),
    ("你先别记了", OffRecord.PAUSE),
    ("resume your memory", OffRecord.RESUME),
    ("恢复记忆吧", OffRecord.RESUME),
    ("don't remember this", None),
    ("Don't forget this: I am vegan", None),
    ("Why don't you remember this?", None),
    ("Don't save this file to disk", None),
    ("The judge said it was off the record.", None),
    ("stop remembering my address", None),
    ("别记错了，我叫王五", None),
    ("记忆力不好怎么办", None),
    (f"Here is the page:\nDon't remember this: {SECRET}.", None),
]

JOINED = "我偷偷报名了去当兵"
MORE = [
    f"hey, off the record: {SECRET}",
    f"Hey, off the record, {SECRET}",
    f"So off the record: {SECRET}",
    f"ok, off the record - {SECRET}",
    f"Look, this is off the record: {SECRET}",
    f"I live in Bonn. Off the record: {SECRET}.",
    f"We had lunch at noon.\nOff the record: {SECRET}",
    f"I had a good day, off the record: {SECRET}",
    f"{SECRET} (off the record)",
    f"{SECRET}, off the record",
    f"{SECRET} - off the record please",
    f"{SECRET}... Don't save that, please.",
    f"{SECRET}. Don't save that, please.",
    f"{SECRET}. Don't save that, please!",
    f"{SECRET}. Please, don't save that.",
    f"{SECRET} — don't save that please",
    f"{SECRET}. Don't save it, ok?",
    f"{SECRET}. don't save that pls",
    f"{SECRET}. And please don't store that anywhere, thanks.",
    f"{SECRET}. Could you not save that, please?",
    f"{SECRET}. Can you please not remember this?",
    f"{SECRET}. Don't remember that last bit.",
    f"{SECRET}. Keep that off the record, please.",
    f"{SECRET}. Let's keep this off the record.",
    f"Off the record for a sec: {SECRET}",
    f"Totally off the record, {SECRET}",
    f"Speaking off the record, {SECRET}",
    f"Can I tell you something off the record? {SECRET}",
    f"I'll tell you something off the record: {SECRET}",
    f"Let me say this off the record: {SECRET}",
    f"Strictly confidential, don't log it: {SECRET}",
    f"{SECRET}. You don't need to remember that.",
    f"{SECRET}. No need to save this one.",
    f"{SECRET}. Leave that out of your memory.",
    f"Don't note this down, but {SECRET}",
    f"{SECRET}. Please do not keep a record of this.",
    f"{SECRET}. Not to be saved!",
    f"{JOINED}，能别记这个吗",
    f"{JOINED}，能不能别记这个？",
    f"{JOINED}，可以不要记吗？",
    f"能别记这个吗？{JOINED}",
    f"{JOINED}，这句别存",
    f"{JOINED}。这句别存。",
    f"{JOINED}，这条别存",
    f"{JOINED}，别存这句",
    f"{JOINED}，这个就别存了",
    f"{JOINED}，别存",
    f"{JOINED}，别记",
    f"{JOINED}，你别记下来",
    f"{JOINED}，麻烦不要记",
    f"{JOINED}，这话别记啊",
    f"{JOINED}，不要存哦",
    f"{JOINED}（别记）",
    f"{JOINED}，可以别存吗",
    f"{JOINED}，你能别记吗",
    f"{JOINED}，请不要保存，谢谢",
    f"{JOINED}，这事别往记忆里存",
    f"私下说，{JOINED}",
    f"{JOINED}，这句话不用记",
    f"这句不要记录：{JOINED}",
    f"说个不用记的：{JOINED}",
    f"{JOINED}，别留记录",
    f"不作记录：{JOINED}",
    f"{JOINED}，可不可以不记这条？",
    f"{JOINED}，别把这个记下来",
    f"{JOINED}，别把这句话存起来",
]
LOOK_ALIKES = [
    "The mayor said, off the record, that the bridge stays closed.",
    "He told me off the record that they are hiring.",
    "Don't save that file, please. It is a draft of the letter.",
    "Can you not save the changes? I closed the editor.",
    "What does off the record mean?",
    "I like the podcast Off the Record a lot, it is on Fridays.",
    "Off the Record is my favourite bar in Bonn.",
    "They went off the record books, I read.",
    "Did I say that off the record yesterday?",
    "I work off the record player I bought last year.",
    "My lawyer says not to keep it in writing.",
    "Don't keep me waiting, my train leaves at 5.",
    "I can't remember that, sorry, I have amnesia.",
    "Don't save money on brakes, I always say.",
    "She asked me not to save her number.",
    "Please don't write this in passive voice; my editor hates it.",
    "能别忘记这个吗，我对花生过敏",
    "别存钱了，花掉吧",
    "照片别存在手机里",
    "这句别翻译",
    "能别记错吗，我叫王五",
    "他说能别记这个吗",
    "你能别用表情吗",
    "别记在我账上，记公司的",
    "文件别存桌面，存D盘",
    "为什么不能存这句？",
    "这条路别走",
    "密码别存浏览器里",
    "我记性不好，别见怪",
    "这句话别改，我很满意",
    "这个别存到相册里，发给我就行",
    "能不能别加班，我累了",
    "Between you and me, my boss is great.",
]


@each("text", in_both_scripts(MORE))
def test_it_is_heard_at_either_end_of_a_message_and_behind_a_greeting(text: str):
    assert off_record(text) is OffRecord.MESSAGE


@each("text", in_both_scripts(LOOK_ALIKES))
def test_what_others_say_and_what_is_done_to_files_is_none(text: str):
    assert off_record(text) is None


@each(("text", "wanted"), in_both_scripts(SAID))
def test_what_people_say_so_that_nothing_is_kept(text: str, wanted: OffRecord | None):
    assert off_record(text) is wanted


@each("word", [*MARKED, *PAUSED, *PAUSED_ALONE])
def test_each_word_has_an_example_and_a_counter_example(word: Any):
    assert re.search(word.pattern, fold(word.example))
    assert not re.search(word.pattern, fold(word.counter_example))


@pytest.mark.parametrize("word", RESUMED, ids=lambda word: word.example)
def test_memory_is_resumed_by_all_of_a_message(word: Any):
    assert re.fullmatch(word.pattern, fold(word.example))
    assert not re.fullmatch(word.pattern, fold(word.counter_example))


class Model:
    """Writes down what it is shown, and hands all of it back as worth keeping."""

    def __init__(self) -> None:
        self.shown = ""

    async def __call__(self, messages: Any, *, max_tokens: int, purpose: str) -> str:
        self.shown += "\n".join(str(one.get("content")) for one in messages)
        return "Nothing was said."


def files_with(folder: Path, words: bytes) -> list[str]:
    return [name for name, data in contents_of(folder).items() if words.lower() in data.lower()]


async def walk(memory: MemoryHost, history: list[dict[str, str]]) -> None:
    """Let a host do with its own history what it does in a day."""
    await memory.session_idle(session_key="cli:a", history=history)
    await memory.before_compaction(session_key="cli:a", messages=history, context_window=4_000, reason="token_pressure")
    await memory.turn_finished(session_key="cli:a", messages=history, context_window=4_000)
    await memory.session_idle(session_key="cli:a", history=history, ended=True)
    await memory.flush_index()


@pytest.mark.parametrize(
    "text",
    [
        f"hey, off the record: {SECRET}.",
        f"{SECRET}. Don't save that, please.",
        f"I had lunch with Bob. Off the record: {SECRET}.",
        f"{SECRET}，能别记这个吗",
        f"{SECRET}，这句别存",
    ],
)
async def test_what_is_marked_at_either_end_is_in_no_file(tmp_path: Path, text: str):
    history = [{"role": "user", "content": text}, {"role": "assistant", "content": "I see."}]
    async with MemoryHost(tmp_path, config=CONFIG, llm=Model()) as memory:
        context = await memory.message_received(session_key="cli:a", text=text)
        await memory.message_sent(session_key="cli:a", text="I see.")
        await walk(memory, history)
    assert not context.receipt.stored
    assert files_with(tmp_path, b"imbrasil") == []


@pytest.mark.parametrize("paused", [False, True])
async def test_nothing_of_it_stands_in_any_file_of_ours_nor_before_a_model(tmp_path: Path, paused: bool):
    model = Model()
    history: list[dict[str, str]] = []

    async def say(memory: MemoryHost, text: str, answer: str) -> str:
        context = await memory.message_received(session_key="cli:a", text=text, history=list(history))
        await memory.message_sent(session_key="cli:a", text=answer)
        history.extend([{"role": "user", "content": text}, {"role": "assistant", "content": answer}])
        return context.block or ""

    async with MemoryHost(tmp_path, config=CONFIG, llm=model) as memory:
        await say(memory, "I keep bees in Lund near the harbour.", "Lovely.")
        if paused:
            assert "paused" in await say(memory, "memory pause", "It is paused.")
        told = await say(
            memory,
            f"{SECRET}. {'Remember that.' if paused else 'Please do not save this.'}",
            "I am sorry to hear that Quorvex Imbrasil told you to leave Harald.",
        )
        assert "not kept" in told or "off the record" in told
        result = f"Notes of the day: {SECRET}, as she said on the phone this morning."
        await memory.tool_executed(session_key="cli:a", tool_name="read_file", arguments={}, result=result)
        for name, more in (("remember", {}), ("remember", {"kind": "note"}), ("memory_note", {"details": SECRET})):
            await memory.tool(name).run({"text": SECRET, **more}, session_key="cli:a")
        assert files_with(tmp_path, b"imbrasil") == []
        await walk(memory, history)
    async with MemoryHost(tmp_path, config=CONFIG, llm=model) as memory:
        if paused:
            assert "on again" in await say(memory, "memory resume", "It is on.")
        assert "not kept" not in await say(memory, "I take the ferry to work on Mondays.", "Good.")
        await walk(memory, history)
    assert files_with(tmp_path, b"imbrasil") == []
    assert "Imbrasil" not in model.shown
    assert files_with(tmp_path, b"the ferry to work on mondays")
    assert files_with(tmp_path, b"bees in lund")


async def said(memory: MemoryHost, text: str, session: str = "cli:a") -> tuple[str, bool]:
    context = await memory.message_received(session_key=session, text=text)
    return context.block or "", context.receipt.stored


async def test_two_processes_pause_a_conversation_each_and_neither_takes_the_others_back(tmp_path: Path):
    async with MemoryHost(tmp_path, config=CONFIG) as one, MemoryHost(tmp_path, config=CONFIG) as other:
        await asyncio.gather(*(said(host, "memory pause", f"cli:{n}") for n in range(8) for host in (one, other)))
        await said(other, "memory resume", "cli:0")
        kept = [(await said(one, "I keep bees in Lund.", f"cli:{n}"))[1] for n in range(9)]
        assert kept == [True, *[False] * 7, True]


@pytest.mark.parametrize(
    ("order", "language"),
    [
        ("Forget that I keep bees in Lund.", "NOT forgotten"),
        ("Could you forget everything about my bees?", "NOT forgotten"),
        ("Delete my address from your memory.", "NOT forgotten"),
        ("Off the record: forget that I keep bees.", "NOT forgotten"),
        ("忘掉我养蜜蜂这件事。", "没有忘掉"),
        ("請忘掉關於蜜蜂的一切", "没有忘掉"),
        ("Vergiss, dass ich Bienen halte.", "NOT forgotten"),
    ],
)
async def test_an_order_to_forget_that_comes_while_paused_is_said_to_be_not_done(
    tmp_path: Path, order: str, language: str
):
    async with MemoryHost(tmp_path, config=CONFIG) as memory:
        await said(memory, "I keep bees in Lund.")
        await said(memory, "memory pause")
        assert language in (await said(memory, order))[0]
        for other in ("I forgot my keys.", "Don't forget to feed the bees.", "我忘了带钥匙", "What did I forget?"):
            assert language not in (await said(memory, other))[0]


@pytest.mark.skipif(os.name != "posix", reason="links in the place of folders are tried where everybody may make them")
async def test_a_conversation_that_cannot_be_paused_is_said_to_go_on_being_kept(tmp_path: Path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    workspace = tmp_path / "workspace"
    async with MemoryHost(workspace, config=CONFIG) as memory:
        await said(memory, "I keep bees in Lund.")
        (workspace / "memory" / ".erasure").mkdir(exist_ok=True)
        (workspace / "memory" / ".erasure" / "paused").symlink_to(elsewhere)
        told, stored = await said(memory, "memory pause")
        assert not stored
        assert "could not be paused" in told
        assert "goes on being kept" in told
        assert (await said(memory, "I take the ferry to work on Mondays."))[1]
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("heard", [True, False], ids=["heard", "in turns that had no time for memory"])
async def test_what_a_host_dates_by_the_end_of_its_turn_stays_off_the_record_when_memory_is_on_again(
    tmp_path: Path, heard: bool
):
    model = Model()
    history: list[dict[str, str]] = []

    async def say(memory: MemoryHost | None, text: str, answer: str) -> None:
        if memory is not None:
            await memory.message_received(session_key="cli:a", text=text, history=list(history))
            await memory.message_sent(session_key="cli:a", text=answer)
        saved = (datetime.now(UTC) + timedelta(seconds=40)).isoformat()
        history.append({"role": "user", "content": text, "timestamp": saved})
        history.append({"role": "assistant", "content": answer, "timestamp": saved})

    async with MemoryHost(tmp_path, config=CONFIG, llm=model) as memory:
        await say(memory, "I keep bees in Lund near the harbour.", "Lovely.")
        await say(memory, "memory pause", "It is paused.")
        while_paused = memory if heard else None
        await say(while_paused, f"{SECRET}.", "I am sorry that Quorvex Imbrasil said so.")
        await say(while_paused, "My locker is number 7.", "OK.")
        await say(memory, "memory resume", "It is on.")
        await say(memory, f"I swim on Fridays. {SECRET} is off the record, please don't save that.", "Imbrasil, I see.")
        await say(memory, "I take the ferry to work on Mondays.", "Good.")
        await walk(memory, history)
    assert files_with(tmp_path, b"imbrasil") == []
    assert files_with(tmp_path, b"locker") == []
    assert "Imbrasil" not in model.shown
    assert "locker" not in model.shown
    assert files_with(tmp_path, b"bees in lund")
    assert files_with(tmp_path, b"the ferry to work on mondays")
