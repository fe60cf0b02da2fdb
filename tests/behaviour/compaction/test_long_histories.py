"""A call reads only the part that it needs of a host's history."""

from tests.behaviour.kit.life import KEY, Life


class Counted(list):
    """Messages that count how often one of them is read."""

    looks = 0

    def __getitem__(self, place):
        found = super().__getitem__(place)
        Counted.looks += len(found) if isinstance(place, slice) else 1
        return found

    def __iter__(self):
        for one in super().__iter__():
            Counted.looks += 1
            yield one


def history(count: int) -> Counted:
    roles = ("user", "assistant")
    return Counted({"role": roles[n % 2], "content": f"Line {n} about the fence and {n} planks."} for n in range(count))


async def test_a_message_and_a_quiet_session_read_only_the_end_of_the_history(life_without_model: Life):
    async with life_without_model.host() as memory:
        Counted.looks = 0
        given = history(20_000)
        await memory.message_received(session_key=KEY, text="what about the fence?", history=given)
        assert 0 < Counted.looks <= 1_000
        await memory.message_sent(session_key=KEY, text="It is painted.")
        Counted.looks = 0
        await memory.session_idle(session_key=KEY, history=given)
        assert 0 < Counted.looks <= 2_000


async def test_a_compaction_keeps_the_last_messages_of_a_long_unseen_history(life_without_model: Life):
    async with life_without_model.host() as memory:
        given = history(3_000)
        Counted.looks = 0
        summary = await memory.before_compaction(
            session_key=KEY, messages=given, context_window=200_000, reason="token_pressure"
        )
        assert 0 < summary.keep_from < 3_000
        assert Counted.looks <= 2 * 3_000
        kept = memory.history(KEY, limit=3_000)
        assert len(kept) == 500
        assert kept[-1]["content"] == given[-1]["content"]
