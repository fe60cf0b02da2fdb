"""A memory that is late: its client is told how far it is, is answered in time, and nothing is done by halves."""

import asyncio

import pytest
from mcp import McpError

from nanobot_memory_plugins.core.testing import install_plugin
from nanobot_memory_plugins.mcp.call import Call
from nanobot_memory_plugins.mcp.clients import person_client
from tests.support.mcp_clients import LATE


@pytest.fixture
def late(served, tmp_path, monkeypatch):
    (tmp_path / "site").mkdir()
    install_plugin(tmp_path / "site", monkeypatch, "late", LATE)
    monkeypatch.setenv("LATE_FILE", str(tmp_path / "done.txt"))
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "late")
    (tmp_path / "done.txt").touch()
    return tmp_path / "done.txt"


async def test_a_client_that_asks_is_told_how_far_a_long_call_is(served, late):
    told: list[tuple[float, str]] = []

    async def tell(done: float, _total: float | None, message: str | None) -> None:
        told.append((done, message or ""))

    async with served.beside(progress_seconds=0.2) as client:
        answer = await client.session.call_tool("late_write", {}, progress_callback=tell)
    assert answer.content[0].text == "done"
    assert len(told) >= 3
    assert [step for step, _ in told] == sorted({step for step, _ in told})
    assert all(message for _, message in told)


async def test_every_answer_comes_within_its_bound_and_what_writes_goes_on(served, late):
    async with served.beside(call_seconds=0.5) as client:
        await client.session.list_tools()
        for name in ("recall_memory", "late_write"):
            began = asyncio.get_running_loop().time()
            answer = await client.call(name, seconds=3.0)
            assert asyncio.get_running_loop().time() - began < 2.5
            assert answer.isError
            assert "within 0.5 s" in answer.content[0].text
    assert late.read_text() == "late_write\n"


async def test_a_memory_that_is_not_open_in_time_is_an_error_and_no_empty_list(served, tmp_path, monkeypatch):
    slow = """
        import asyncio
        from nanobot_memory_plugins.core.hookspecs import hookimpl

        @hookimpl
        async def on_start():
            await asyncio.sleep(1.5)
    """
    (tmp_path / "site").mkdir()
    install_plugin(tmp_path / "site", monkeypatch, "slow", slow)
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "slow")
    async with served.beside(call_seconds=0.3) as client:
        for asked in (client.session.list_tools, client.session.list_resources):
            with pytest.raises(McpError, match=r"within 0\.3 s"):
                await asked()
        assert "within 0.3 s" in (await client.call("memory_search", query="tea")).content[0].text
        await asyncio.sleep(1.5)
        assert (await client.session.list_tools()).tools


async def test_what_writes_goes_on_when_its_client_has_gone(served, late):
    service = served.service()
    service.begin()
    client = person_client("ana")
    for name in ("recall_memory", "late_write"):
        call = asyncio.create_task(service.call_tool(Call(client, {"name": name})))
        await service.list_tools(Call(client, {}))
        await asyncio.sleep(0.2)
        call.cancel()
    await service.close()
    assert late.read_text() == "late_write\n"
