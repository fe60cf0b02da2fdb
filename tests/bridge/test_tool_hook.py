"""Tools that nanobot runs, as plugins hear of them."""

import pytest

from nanobot_memory_plugins.core.testing.scripted_server import Reply, ReplyRule, ToolCall, after_tool


def calling(*calls: ToolCall) -> list[ReplyRule]:
    """Script a model that calls the tools once, then says that it is done."""
    return [ReplyRule(after_tool, Reply("Done.")), ReplyRule(lambda _: True, Reply(tools=calls), times=1)]


async def run(nanobot, text: str = "use the tool", **options) -> str:
    loop = nanobot.loop()
    response = await loop.process_direct(text, **options)
    await loop.aclose()
    return response.content


@pytest.mark.parametrize(
    ("tool", "words"),
    [
        (ToolCall("no_such_tool", {"a": 1}), "not found"),
        (ToolCall("read_file", {"no_such_argument": 1}), "missing required"),
        (ToolCall("read_file", "[1, 2]"), "must be a JSON object"),
    ],
)
async def test_a_call_that_never_executed_is_observed_once(install, recorder, server, tool, words):
    calls = recorder()
    server.rules = calling(tool)
    await run(install())
    (call,) = calls.calls("tool")
    assert call["name"] == tool.name
    assert words in call["error"]


async def test_parallel_calls_are_each_observed_once(install, recorder, server):
    calls = recorder()
    nanobot = install()
    for number in range(4):
        (nanobot.workspace / f"{number}.txt").write_text(f"content {number}", encoding="utf-8")
    server.rules = calling(
        *(ToolCall("read_file", {"path": f"{number}.txt"}) for number in range(4)), ToolCall("no_such_tool")
    )
    await run(nanobot)
    seen = calls.calls("tool")
    assert sorted(call["arguments"].get("path", "-") for call in seen) == ["-", "0.txt", "1.txt", "2.txt", "3.txt"]


async def test_the_memorys_own_tools_are_not_observed(install, recorder, server):
    calls = recorder()
    server.rules = calling(ToolCall("remember", {"text": "Ann likes tea."}))
    nanobot = install()
    await run(nanobot)
    assert calls.calls("tool") == []
    assert "Ann likes tea." in nanobot.stored()


async def test_a_note_is_refused_in_a_temporary_chat(install, recorder, server):
    recorder()
    server.rules = calling(ToolCall("remember", {"text": "secret plan"}))
    nanobot = install()
    loop = nanobot.loop()
    loop.sessions.get_or_create_transient("cli:temporary")
    await loop.process_direct("note this", session_key="cli:temporary")
    await loop.aclose()
    assert "temporary" in server.requests[-1].last["content"]
    assert "secret plan" not in nanobot.stored()


async def test_a_tool_that_a_plugin_contributes_is_offered_and_runs(install, plugins, server):
    plugins(
        "oracle",
        """
        from nanobot_memory_plugins.core.hookspecs import hookimpl

        class Oracle:
            name = "oracle"
            description = "Answers everything."
            parameters = {"type": "object", "properties": {"question": {"type": "string"}}, "required": ["question"]}

            async def run(self, arguments, *, session_key):
                if "bad" in arguments["question"]:
                    return "Error: no."
                return f"{session_key} asks {arguments['question']}"

        @hookimpl
        def contribute_tools():
            return Oracle()
        """,
    )
    server.rules = calling(ToolCall("oracle", {"question": "why"}), ToolCall("oracle", {"question": "bad"}))
    await run(install(), session_key="cli:x")
    assert "oracle" in server.requests[0].tool_names
    contents = [m["content"] for m in server.requests[-1].messages if m["role"] == "tool"]
    assert contents[0] == "cli:x asks why"
    assert contents[1].startswith("Error: no.")


async def test_trap_10_the_hook_leaves_the_result_as_it_was(install, recorder, server):
    recorder()
    nanobot = install()
    (nanobot.workspace / "a.txt").write_text("untouched", encoding="utf-8")
    server.rules = calling(ToolCall("read_file", {"path": "a.txt"}))
    await run(nanobot)
    assert "untouched" in server.requests[-1].last["content"]
