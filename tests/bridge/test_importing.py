"""Import on a real nanobot: what the memory heard is not taken again, what was said before it listened is."""

from nanobot_memory_plugins.bridge.importing import NanobotImporter
from nanobot_memory_plugins.core.transfer.importing import import_from
from tests.transfer.snapshots import records, snapshot

DEAF = {"storage": {"embeddingProvider": "none"}, "core": {"messageLimit": 20, "keepTranscripts": False}}


async def say(nanobot, text: str) -> None:
    """Say something to a nanobot that has just been started, and end it."""
    loop = nanobot.loop()
    await loop.process_direct(text, session_key="cli:direct")
    await loop.aclose()


async def test_what_was_said_before_the_memory_listened_is_taken_and_what_it_heard_is_not(install):
    nanobot = install(DEAF)
    await say(nanobot, "Before: my boat is called Alba.")
    assert records(nanobot.workspace) == []
    text = nanobot.config_file.read_text(encoding="utf-8")
    nanobot.config_file.write_text(text.replace('"keepTranscripts": false', '"keepTranscripts": true'), "utf-8")
    await say(nanobot, "After: my bicycle is red.")
    assert [record.text for record in records(nanobot.workspace)][:1] == ["After: my bicycle is red."]

    importer = NanobotImporter()
    assert importer.recognises(nanobot.workspace)
    report = import_from(importer, "nanobot", nanobot.workspace, nanobot.workspace)
    # The session's first turn has taken it in already, or the import does.
    assert report.taken in ({}, {"messages": 2})
    texts = [record.text for record in records(nanobot.workspace)]
    assert [sum(words in text for text in texts) for words in ("boat is called Alba", "bicycle is red")] == [1, 1]
    before = snapshot(nanobot.workspace)
    assert import_from(importer, "nanobot", nanobot.workspace, nanobot.workspace).taken == {}
    assert snapshot(nanobot.workspace) == before
