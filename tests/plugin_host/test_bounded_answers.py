"""What a plugin's tool says, and what somebody's store finds, has a bound before it comes near a prompt."""

from dataclasses import replace

import pytest

from nanobot_memory_plugins.core import MemoryHost
from nanobot_memory_plugins.core.errors import StoreError
from nanobot_memory_plugins.core.host.bounded_store import hits_of, whole_hit
from nanobot_memory_plugins.core.isolation.answers import HIT_FIELDS, TOOL_ANSWER
from nanobot_memory_plugins.core.testing import install_plugin
from nanobot_memory_plugins.core.values import Hit, Origin, Query, Scope, SearchResult

HIT = Hit("a1", "the port is 6543", "memory/a.md", 1, 0.9, Origin.USER)
TOOL = """
    from types import SimpleNamespace
    from nanobot_memory_plugins.core import hookimpl
    async def run(arguments, *, session_key):
        return {answer}
    @hookimpl
    def contribute_tools():
        return SimpleNamespace(name="talk", description="", parameters={{}}, run=run)
"""


class Store:
    """A store that gives what it is told to."""

    def __init__(self, result: object) -> None:
        self.result = result

    async def search(self, query: Query) -> object:
        return self.result

    async def read(self, hit_id: str) -> object:
        return self.result


async def say(tmp_path, monkeypatch, answer: str) -> str:
    install_plugin(tmp_path, monkeypatch, "talks", TOOL.format(answer=answer))
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "talks")
    async with MemoryHost(tmp_path / "ws") as memory:
        (tool,) = [tool for tool in memory.tools() if tool.name == "talk"]
        assert (tool.description, tool.parameters) == ("", {})
        return await tool.run({}, session_key="a")


@pytest.mark.accept("PL-04")
async def test_what_a_tool_says_has_a_bound(tmp_path, monkeypatch, log):
    said = await say(tmp_path, monkeypatch, f"'x' * {TOOL_ANSWER + 1}")
    assert said == (
        f"Error: the answer of talk is left out: an answer of {TOOL_ANSWER + 1:,} characters, where {TOOL_ANSWER:,} are"
        " allowed"
    )
    assert "xxx" not in "".join(log)
    assert any("the tool talk of plugin talks" in line for line in log)


async def test_no_more_hits_are_taken_than_were_asked_for():
    hits = tuple(replace(HIT, id=f"a{number}") for number in range(50))
    result = await hits_of(Store(SearchResult(hits)), Query("port", limit=7))
    assert result.hits == hits[:7]
    assert (await hits_of(Store(SearchResult(list(hits))), Query("port", limit=60))).hits == hits


@pytest.mark.parametrize("field", ["id", "path", "tags", "scope"])
async def test_a_hit_with_too_much_elsewhere_is_left_out(field: str):
    long = "x" * (HIT_FIELDS + 1)
    value = {"tags": ("a", long), "scope": Scope(user=long)}.get(field, long)
    store = Store(SearchResult((replace(HIT, **{field: value}), HIT)))
    assert (await hits_of(store, Query("port"))).hits == (HIT,)
    assert await whole_hit(Store(replace(HIT, **{field: value})), "a1") is None


@pytest.mark.parametrize("odd", [None, (HIT,), SearchResult(None)])
async def test_what_is_no_result_fails_as_a_store_fails(odd: object):
    with pytest.raises(StoreError, match="no result"):
        await hits_of(Store(odd), Query("port"))
