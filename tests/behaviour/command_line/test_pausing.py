"""Pausing and resuming the memory by command, for all conversations or for one."""

from tests.behaviour.kit.life import Conversation, Life
from tests.behaviour.kit.long_talk import chat


def paused(life: Life) -> dict[str, str]:
    """Return the finding of `doctor` about the pause."""
    findings = life.command("doctor", "--json").json["findings"]
    return next(one for one in findings if one["subject"] == "pause")


async def test_while_the_memory_is_paused_by_command_nothing_is_kept_and_no_message_resumes_it(life: Life):
    async with life.host() as memory:
        talk = Conversation(memory)
        await talk.turn("The ferry leaves at seven.", "I see.")
        done = (await life.command_beside("pause", "--json")).json
        assert (done["ok"], done["paused"], done["all"]) == (True, True, True)
        told = await talk.turn("My sister's number is Bermudagras.", "Understood.")
        assert "paused" in told
        assert "stays paused" in await talk.turn("memory resume", "It stays so.")
        await talk.turn("The Bermudagras is green.", "Quite.")
    finding = paused(life)
    assert (finding["health"], "nanobot-memory resume" in finding["hint"]) == ("degraded", True)
    assert life.command("resume", "--json").json["paused"] is False
    assert paused(life)["health"] == "good"
    async with life.host() as memory:
        talk = Conversation(memory, history=talk.history)
        await talk.turn("The train leaves at eight.", "I see.")
        await talk.idle(ended=True)
        await memory.flush_index()
    assert life.files_with("Bermudagras", "Understood.", "Quite.") == []
    assert life.files_with("ferry leaves")
    assert life.files_with("train leaves")


async def test_a_paused_conversation_is_paused_for_everybody_in_it_and_no_other(life: Life):
    ana = {"user": "telegram:111"}
    assert life.command("pause").status == 1, "there is no such workspace"
    life.workspace.mkdir(exist_ok=True)
    assert life.command("pause", "--session", "telegram:5").status == 0
    async with life.host() as memory:
        group, other = Conversation(memory, "telegram:5", scope=ana), Conversation(memory, "telegram:6", scope=ana)
        await group.turn("The Bermudagras is green.")
        await other.turn("The ferry leaves at seven.")
        assert await life.command_beside("resume")
        await group.turn("The Bermudagras is wet.")
        await other.turn("memory pause")
        await other.turn("The Bermudagras is dry.")
        done = (await life.command_beside("resume", "--session", "telegram:5", "--json")).json
        assert (done["paused"], len(done["conversations"])) == (False, 1)
        listed = done["conversations"][0]
        assert f"resume --session {listed}`" in (await life.command_beside("doctor")).out
        await life.command_beside("resume", "--session", listed)
        await group.turn("The train leaves at eight.")
        await other.turn("The bus leaves at nine.")
        await memory.flush_index()
    assert life.files_with("Bermudagras") == []
    assert [bool(life.files_with(words)) for words in ("ferry", "train leaves", "bus leaves")] == [True, True, True]
    assert paused(life)["health"] == "good"


async def test_messages_after_a_pause_by_command_are_not_read_from_the_hosts_history(life: Life):
    later = [{"role": "user", "content": "The Bermudagras is wet.", "timestamp": "2099-01-01T10:00:00+00:00"}]
    async with life.host() as memory:
        talk = Conversation(memory)
        await memory.message_received(session_key=talk.key, text="When does the ferry leave?", history=[])
        await life.command_beside("pause")
        await memory.message_sent(session_key=talk.key, text="At seven, past the Bermudagras.")
        await memory.resume(session_key="cli:other", messages=later)
        await life.command_beside("resume")
        said = chat("When does the ferry leave?", "At seven, past the Bermudagras.")
        await memory.session_idle(session_key=talk.key, history=said, ended=True)
        await memory.session_idle(session_key="cli:other", history=later, ended=True)
        await memory.flush_index()
    assert life.files_with("Bermudagras") == []
    assert life.files_with("ferry leave")


async def test_a_memory_that_is_a_symbolic_link_can_be_paused(life: Life):
    life.workspace.mkdir()
    (life.folder / "notes").mkdir()
    life.memory.symlink_to(life.folder / "notes")
    async with life.host() as memory:
        talk = Conversation(memory)
        await talk.turn("The ferry leaves at seven.")
        assert (await life.command_beside("pause")).status == 0
        await talk.turn("The Bermudagras is green.")
    kept = " ".join(one["text"] for one in life.transcript())
    assert ("ferry" in kept, "Bermudagras" in kept) == (True, False)
