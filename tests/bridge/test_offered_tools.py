"""The memory's tools in the requests of a real nanobot: which ones, how many tokens, and how to switch them off."""

from nanobot_memory_plugins.tools.scripted_model import Reply, ReplyRule, Request, ToolCall, after_tool, text_of
from tests.support.token_counts import count_like_a_model

OURS = {"memory_search", "memory_get", "remember", "forget", "off_record"}
MOST_TOKENS = 700
FACT = "The staging database runs on host Brunhilde."
QUESTION = "Do you remember on which host the staging database runs?"
LEXICAL = {"storage": {"embeddingProvider": "none"}, "core": {"messageLimit": 30}}


def our_tools(request: Request) -> list[dict]:
    return [tool for tool in request.body["tools"] if tool["function"]["name"] in OURS]


async def test_the_tools_take_few_tokens_and_each_says_what_it_is_for(install, server, monkeypatch, tmp_path):
    from nanobot.utils.helpers import estimate_prompt_tokens

    loop = install(LEXICAL).loop()
    await loop.process_direct("Hello.")
    await loop.aclose()
    tools = our_tools(server.requests[-1])
    count_like_a_model(monkeypatch, tmp_path / "tokens")
    assert {tool["function"]["name"] for tool in tools} == OURS
    assert estimate_prompt_tokens([], tools) < MOST_TOKENS
    assert all(tool["function"]["description"] for tool in tools)


async def test_with_tools_off_none_is_offered_and_recall_goes_on(install, server):
    nanobot = install({**LEXICAL, "core": {"messageLimit": 30, "tools": "off"}})
    loop = nanobot.loop()
    await loop.process_direct(FACT, session_key="cli:old")
    await loop.process_direct(QUESTION, session_key="cli:new")
    recalled = server.requests[-1].last_user
    server.rules = [
        ReplyRule(after_tool, Reply("Done.")),
        ReplyRule(lambda one: bool(one.tool_names), Reply(tools=(ToolCall("remember", {"text": "x"}),)), times=1),
    ]
    await loop.process_direct("note it", session_key="cli:new")
    await loop.aclose()
    assert FACT in recalled.removeprefix(QUESTION)
    assert not [tool for request in server.requests if request.tool_names for tool in our_tools(request)]
    assert any("not found" in text_of(request.last) for request in server.requests if after_tool(request))
