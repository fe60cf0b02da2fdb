"""Tool calls of nanobot, as plugins observe them."""

from nanobot_memory_plugins.tools.scripted_model import Reply, ReplyRule, ToolCall, after_tool


def calling(*calls: ToolCall) -> list[ReplyRule]:
    """Script a model that calls the tools once, then says that it is done."""
    return [ReplyRule(after_tool, Reply("Done.")), ReplyRule(lambda _: True, Reply(tools=calls), times=1)]


async def run(nanobot, text: str = "use the tool", **options) -> str:
    loop = nanobot.loop()
    response = await loop.process_direct(text, **options)
    await loop.aclose()
    return response.content


async def test_a_call_that_never_executed_is_observed_once(install, recorder, server):
    calls = recorder()
    server.rules = calling(
        ToolCall("no_such_tool", {"a": 1}),
        ToolCall("read_file", {"no_such_argument": 1}),
        ToolCall("read_file", "[1, 2]"),
    )
    await run(install())
    seen = sorted((call["name"], call["error"]) for call in calls.calls("tool"))
    assert [name for name, _ in seen] == ["no_such_tool", "read_file", "read_file"]
    told = "".join(error for _, error in seen)
    assert all(words in told for words in ("not found", "missing required", "must be a JSON object"))


async def test_a_note_is_refused_in_a_temporary_chat_and_turn(install, monkeypatch, server):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "nanobot,consolidation")
    nanobot = install()
    loop = nanobot.loop()
    loop.sessions.get_or_create_transient("cli:temporary")
    for options in ({"session_key": "cli:temporary"}, {"ephemeral": True}):
        server.rules = calling(ToolCall("remember", {"text": "secret plan"}))
        await loop.process_direct("note this", **options)
        assert "temporary" in server.requests[-1].last["content"]
    await loop.aclose()
    assert "secret plan" not in nanobot.stored()
