"""After a saved turn the plugins learn how full the context is, and may work while nobody waits."""

import json

from tests.behaviour.kit.waiting import until

FOLLOWER = """
    import json, os
    from pathlib import Path
    from nanobot_memory_plugins.core import ContextBlock, hookimpl

    @hookimpl
    def on_message_received():
        return ContextBlock(text="A recalled fact.")

    @hookimpl
    async def on_turn_finished(session_key, messages, context_tokens, context_window):
        row = [session_key, context_tokens, context_window, [[message.role, message.text] for message in messages]]
        with open(os.environ["FOLLOWED"], "a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\\n")
"""


async def test_each_turn_is_followed_with_its_context_and_the_live_messages(install, plugins, tmp_path, monkeypatch):
    followed = tmp_path / "followed.jsonl"
    monkeypatch.setenv("FOLLOWED", str(followed))
    plugins("follower", FOLLOWER)
    loop = install().loop()
    for text in ("one", "two"):
        await loop.process_direct(text)
        words = f'["user", "{text}"]'
        await until(lambda: followed.exists() and words in followed.read_text(encoding="utf-8"))  # noqa: B023
    await loop.process_direct("job", session_key="cron:1")
    await loop.aclose()
    rows = [json.loads(line) for line in followed.read_text(encoding="utf-8").splitlines()]
    assert [row[0] for row in rows] == ["cli:direct", "cli:direct"]
    assert rows[0][3] == [["user", "one"], ["assistant", "Understood."]]
    assert len(rows[1][3]) == 4
    assert 1_000 < rows[0][1] < rows[1][1] < rows[1][2] == 200_000
