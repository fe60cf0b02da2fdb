"""Tokens in the names of sessions and groups are not written to files, file names, rows or logs."""

import json
import random
import string
from pathlib import Path

from loguru import logger

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost, Note, Query, Scope
from nanobot_memory_plugins.core.files.notes import NoteEntry, parse_notes
from nanobot_memory_plugins.core.scopes.safe_keys import redact_key
from tests.support.each import each
from tests.support.files_of import contents_of

CONFIG = MemoryConfig.model_validate({"plugins": {"storage": {"embeddingProvider": "none"}}})
ORDINARY = [
    *("cli:direct", "heartbeat", "cron:a1b2c3d4", "agent:main:main", "session-1", "", "会话:一"),
    *("telegram:-1001234567890:topic:42", "discord:112233445566778899", "slack:C024BE91L:1503435956.000247"),
    *("whatsapp:4917012345678@s.whatsapp.net", "whatsapp:+4917012345678", "email:alice@example.com"),
    *("feishu:ou_7d8a6e6df7621556ce0d21922b676706ccs", "line:U4af4980629abcdef4af4980629abcdef"),
    *("dingtalk:cidAbCdEf123456789==", "matrix:!abcDEFghijkl:matrix.org", "qq:1234567890", "192.168.0.1:5000"),
    *("websocket:88915bc0-5535-467a-90c0-276697fc4bf4", "api:PN5OMfLhyPiF81sJGxvu2wup", "01HZY6QK3J8Z5N8V1C2B3D4E5F"),
    *("msteams:19:meeting_MjdhNjM4YzUtYzExZi00OTFkLTkzZTAtNTVlNmZmMDhkNGU2@thread.v2", "work/clients", "api keys"),
]


def token(seed: int = 0) -> str:
    return "sk-proj-" + "".join(random.Random(seed).choices(string.ascii_letters + string.digits, k=48))


@each("name", ORDINARY)
def test_an_ordinary_name_is_unchanged(name: str):
    assert redact_key(name) == name


@each("made", ["{}", "cli:{}", "cli:{}:topic:4", "用户{}", "telegram:+4917012345678:{}"])
def test_a_token_in_a_name_is_replaced_consistently(made: str):
    one, other = made.format(token(1)), made.format(token(2))
    assert redact_key(one) == redact_key(one)
    assert len({redact_key(one), redact_key(other)}) == 2
    assert token(1) not in redact_key(one)
    assert redact_key(one).startswith(made.partition("{")[0])


async def test_a_token_in_a_session_key_is_stored_nowhere(tmp_path: Path):
    log: list[str] = []
    sink = logger.add(log.append, level="DEBUG")
    key = f"cli:{token()}"
    scope = {"user": f"ann {token(4)}", "channel": token(), "session": key}
    said = [{"role": "user", "content": "Remember that my dog is called Rex."}]
    entry = {"text": "The dog is called Rex", "said": "my dog is called Rex", "kind": "fact"}
    summaries = json.dumps({"entries": [entry]})

    async def model(_messages: object, *, max_tokens: int, purpose: str) -> str:
        return summaries

    async with MemoryHost(tmp_path, config=CONFIG, llm=model) as memory:
        for whose in (scope, None, Scope(session=key)):
            received = await memory.message_received(session_key=key, text=said[0]["content"], scope=whose)
            assert received.receipt.stored
        await memory.message_sent(session_key=key, text="I shall.", scope=scope)
        await memory.tool_executed(session_key=key, tool_name="exec", arguments={"command": "make"}, error="failed")
        await memory.keep(Note("a note of the session"), session_key=key)
        await memory.keep(Note("another one", scope=Scope(session=key)))
        remember = memory.tool("remember")
        await remember.run({"text": "The cat is called Tabby", "group": f"pets/{token(3)}"}, session_key=key)
        await remember.run(
            {"text": "My dog is called Rex", "said": "my dog is called Rex", "kind": "note"}, session_key=key
        )
        await memory.turn_finished(session_key=key, messages=said, context_window=1_000, context_tokens=990)
        await memory.before_compaction(session_key=key, messages=said, context_window=1_000, reason="pressure")
        await memory.session_idle(session_key=key, history=said, ended=True, scope=scope)
        await memory.flush_index()
        # The records still belong to the session.
        assert next(one["content"] for one in memory.history(key)) == said[0]["content"]
        assert (await memory.search(Query("dog", scope=Scope(session=key)))).hits
        assert not (await memory.search(Query("dog", scope=Scope(session=f"cli:{token(5)}")))).hits
        assert "Rex" in memory.prompt_entries(memory.base_context(), session_key=key, scope=scope).text
    logger.remove(sink)
    found = b"".join(name.encode() + data for name, data in contents_of(tmp_path).items()).lower()
    assert b"tabby" in found
    assert [
        part
        for path in (tmp_path / "memory").glob("2*.md")
        for part in parse_notes(path.read_bytes())
        if isinstance(part, NoteEntry) and part.tldr == "My dog is called Rex"
    ]
    for one in (token(), token(3), token(4)):
        assert one.lower().encode() not in found
        assert one.lower() not in "".join(log).lower()
