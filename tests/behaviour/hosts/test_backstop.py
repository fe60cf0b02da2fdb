"""A message that may ask to remember something, and for which no tool was called, is looked at again, and no other."""

import pytest

from tests.behaviour.kit.life import KEY, Life
from tests.behaviour.kit.model import ReadingModel, remember_call
from tests.behaviour.kit.nanobot import Nanobot, answering
from tests.behaviour.kit.waiting import until

pytestmark = pytest.mark.host


async def test_only_a_message_for_which_no_tool_was_called_is_looked_at_again(
    nanobot: Nanobot, life: Life, model: ReadingModel
):
    tea = "Remember that I drink tea."
    answering(model, tea, remember_call("The user drinks tea.", "I drink tea"))
    async with nanobot.loop() as loop:
        for text in ("Good morning.", tea, "And what is the weather like?", "记住：我住在杭州。"):
            await loop.process_direct(text, session_key=KEY)
        await until(lambda: model.asked("orders"), "the second look")
    assert ["杭州" in one.last_user for one in model.asked("orders")] == [True]
