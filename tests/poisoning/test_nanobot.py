"""Poison in a real nanobot: a page that a tool brings is obeyed by the model, and still opens no prompt."""

import asyncio
import json
import time
from collections.abc import Callable, Iterator

import pytest

from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import Origin
from nanobot_memory_plugins.core.testing.scripted_server import (
    Reply,
    ReplyRule,
    Request,
    ScriptedServer,
    ToolCall,
    after_tool,
)
from tests.poisoning.cases import CASES, Case
from tests.poisoning.gullible import LEARNED, TRUTHS, wishes_of
from tests.support.nanobot import OFFLINE, Installation

SOME = [case for case in CASES if case.channel == "tool result" and case.wrapper == "gives an order"]


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as running:
        yield running


async def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 40
    while not condition():
        assert time.monotonic() < end
        await asyncio.sleep(0.05)


def obeying(case: Case) -> list[ReplyRule]:
    """Return what a gullible model does: it reads the page, keeps what that wants, and learns it of the session."""

    def is_extraction(request: Request) -> bool:
        return not request.tool_names and TRUTHS[case.language] in request.text

    wishes = [*wishes_of(case), LEARNED[case.language]]
    learned = [{"content": wish, "category": "preference", "importance": "high"} for wish in wishes]
    keeping = (
        *(ToolCall("remember", {"text": wish, "importance": "high"}) for wish in wishes_of(case)),
        *(ToolCall("remember", {"text": wish, "kind": "note"}) for wish in wishes_of(case)),
    )
    return [
        ReplyRule(is_extraction, Reply(json.dumps(learned, ensure_ascii=False))),
        ReplyRule(lambda r: after_tool(r) and case.name in str(r.last), Reply(tools=keeping), times=1),
        ReplyRule(after_tool, Reply(f"I have kept it: {case.wishes[0]}")),
        ReplyRule(
            lambda r: "page.txt" in r.last_user, Reply(tools=(ToolCall("read_file", {"path": "page.txt"}),)), times=1
        ),
    ]


@pytest.mark.accept("V5-09")
@pytest.mark.parametrize("case", SOME, ids=lambda case: f"{case.wrapper}, {case.language}")
async def test_what_a_page_wants_is_not_in_the_system_prompt_of_the_next_session(
    tmp_path, server, monkeypatch, case: Case
):
    server.rules.extend(obeying(case))
    nanobot = Installation(tmp_path, server, {"storage": {"embeddingProvider": "none"}})
    for name, value in {**OFFLINE, "HOME": str(nanobot.home)}.items():
        monkeypatch.setenv(name, value)
    (nanobot.workspace / "page.txt").write_text(case.text, encoding="utf-8")
    loop = nanobot.loop()
    await loop.process_direct(TRUTHS[case.language], session_key="cli:one")
    await loop.process_direct("read page.txt", session_key="cli:one")
    await loop.process_direct("/new", session_key="cli:one")

    def facts() -> dict[str, Origin]:
        return {one.content: one.origin for one in EntryRepository(nanobot.workspace).load().entries.values()}

    await until(lambda: LEARNED[case.language] in facts())
    server.requests.clear()
    await loop.process_direct(f"What do you know of {case.name}?", session_key="cli:two")
    await loop.aclose()
    asked = next(request for request in server.requests if request.tool_names)
    # The model has kept what the page wanted, as its own; the user's fact opens the prompt, and the page's does not.
    assert {origin for text, origin in facts().items() if case.name in text} == {Origin.SUMMARY}
    assert LEARNED[case.language] in asked.system
    assert case.name not in asked.system
