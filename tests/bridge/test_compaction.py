"""What happens before nanobot cuts history."""

from nanobot_memory_plugins.tools.scripted_model import Reply, ReplyRule


async def test_trap_6_a_flush_asks_the_model_in_the_middle_of_a_compaction(install, recorder, server):
    """Through the session's own loop it would wait for itself for ever."""
    calls = recorder(ask="what matters?")
    server.rules = [ReplyRule(lambda request: request.last_user == "what matters?", Reply("PostgreSQL matters."))]
    loop = install().loop()
    await loop.process_direct("We choose PostgreSQL.")
    await loop.process_direct("/compact")
    await loop.aclose()
    (call,) = calls.calls("compaction")
    assert call["answer"] == "PostgreSQL matters."
