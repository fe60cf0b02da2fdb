"""Invalid messages of a host are accepted by each call, and what can be read is kept."""

from tests.behaviour.kit.life import KEY, Conversation, Life

FACT = "The spare key of the boathouse hangs behind the green barometer."
BAD = [
    {"content": "no role at all"},
    {"role": "user"},
    {"role": "assistant", "content": None},
    None,
    {"role": "user", "content": b"\xff\xfe bytes of a user"},
    {"role": 7, "content": 12.5},
    {"role": "user", "content": "half \ud83d of a pair \x00 and NUL"},
    {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}, None, {"text": "a part"}]},
    {"role": "assistant", "content": "", "tool_calls": ["junk", {"function": None}, None]},
    {"role": "tool", "content": {"deep": [{"er": b"\x80"}]}, "tool_call_id": None},
    {"role": "user", "content": "wind and waves again " * 1_000},
]


async def test_invalid_messages_are_accepted_by_each_call_and_valid_ones_are_kept(life: Life):
    good = [{"role": "user", "content": FACT}, {"role": "assistant", "content": "Noted."}]
    async with life.host() as memory:
        talk = Conversation(memory)
        await talk.turn(FACT)
        for one in BAD:
            talk.history = [*good, one, *good]
            assert (
                await memory.message_received(session_key=KEY, text="hello there", history=talk.history)
            ).receipt.stored
            content = one["content"] if one and "content" in one else None
            receipt = await memory.tool_executed(
                session_key=KEY, tool_name="read", arguments={"x": content}, result=content
            )
            assert receipt.stored
        talk.history = [message for one in BAD for message in (*good, one)]
        await talk.idle(ended=True)
        summary = await talk.compact(keep=False)
        assert summary.text.strip()
        await memory.flush_index()
        assert "barometer" in await Conversation(memory, "cli:new").hear("Do you remember where the spare key hangs?")
    assert [one["text"] for one in life.transcript()].count("hello there") == len(BAD)
