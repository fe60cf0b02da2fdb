"""The memory's tools, called by the model through nanobot's own tool registry, on the real store."""

from nanobot_memory_plugins.core.testing.scripted_server import Reply, ReplyRule, ToolCall, text_of


async def test_the_model_sees_all_that_is_known_without_a_query_and_of_a_name_by_it_alone(install, server):
    loop = install({"storage": {"embeddingProvider": "none"}, "core": {"messageLimit": 30}}).loop()
    for fact in ("I am allergic to peanuts", "My sister Anastasia, also known as Ana, keeps bees", "Ana lives in Lund"):
        await loop.process_direct(f"Remember that {fact[0].lower()}{fact[1:]}.", session_key="cli:old")
    calls = [ToolCall("memory_search", {}), ToolCall("memory_search", {"query": "Anastasia"})]
    answers: list[str] = []

    def reply(request) -> Reply:
        if request.last.get("role") == "tool":
            answers.append(text_of(request.last))
        return Reply(tools=(calls.pop(0),)) if calls else Reply("Done.")

    server.rules = [ReplyRule(lambda _: True, reply)]
    await loop.process_direct("Go on.", session_key="cli:new")
    await loop.aclose()
    everything, ana = answers
    assert all(word in everything for word in ("fact:", "peanuts (since 20", "bees", "Lund", 'said: "'))
    assert "Anastasia is also called Ana." in ana
    assert all(word in ana for word in ("bees (since 20", "Lund (since 20"))
    assert "peanuts (since" not in ana
