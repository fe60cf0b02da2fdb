"""Messages that are no proper text, and one that is very long: 2 MB, in the long form 50 MB."""

from pathlib import Path

import pytest

from nanobot_memory_plugins.core.files.memory_files import LONGEST_WAIT, MemoryFiles
from tests.faults.messages import long_message, odd_messages
from tests.faults.rounds import is_long, rounds


async def test_texts_that_are_no_text_are_kept_and_found(tmp_path: Path):
    outcome = await odd_messages(tmp_path, rounds(1, long=5))
    assert outcome.lost == []
    assert outcome.acknowledged == 24 * outcome.rounds


@pytest.mark.parametrize("wait", [LONGEST_WAIT, 0.0])
async def test_a_very_long_message_is_kept_and_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wait: float):
    # Without a wait nothing of it is there when the call returns.
    monkeypatch.setitem(MemoryFiles.__init__.__kwdefaults__, "longest_wait", wait)
    assert (await long_message(tmp_path, 50 if is_long() else 2)).lost == []
