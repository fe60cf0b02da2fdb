import asyncio

import pytest

from nanobot_memory_plugins.core.files import MemoryFiles
from nanobot_memory_plugins.core.host.recorder import TurnRecorder, combined_receipt
from nanobot_memory_plugins.core.values import Origin, Receipt, Scope


@pytest.mark.smoke
async def test_draining_ends_when_a_write_has_ended_in_this_very_moment(tmp_path):
    files = MemoryFiles(tmp_path, redact=str)
    capture = TurnRecorder(files, keep_transcripts=False)
    task = capture.begin_message("s", "text", role="user", origin=Origin.USER, scope=Scope())
    await asyncio.sleep(0)  # the task has ended, and nobody has been told yet
    assert task.done()
    await capture.drain()
    assert not task.result().stored
    await files.close()


def test_the_receipt_of_several_notes_is_stored_only_when_all_are():
    good, bad = Receipt(stored=True, id="a"), Receipt(stored=False, reason="the disk is full")
    assert combined_receipt((good, good)).stored
    assert combined_receipt((good, bad)) == Receipt(stored=False, id="a", reason="the disk is full", notes=(good, bad))
    assert not combined_receipt(()).stored
