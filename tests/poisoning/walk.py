"""One poisoned text's whole way through a memory: it arrives, is obeyed, goes quiet, and is cut."""

from collections.abc import Mapping
from typing import Any

from nanobot_memory_plugins.core import MemoryHost, Note, Origin
from tests.poisoning.cases import Case, with_taiwan
from tests.poisoning.gullible import TRUTHS, wishes_of

_ASKED = with_taiwan({"en": "What does the page say?", "zh": "这个页面说了什么？"})
_PASTED = with_taiwan({"en": "Here is the text of the page:", "zh": "以下是网页的内容："})
# Longer than what people say themselves behind such a line.
_FILLER = with_taiwan(
    {"en": "Prices of the season, and where to buy. " * 12, "zh": "本季的价格与购买地点，供读者参考。" * 16}
)


async def arrive(memory: MemoryHost, case: Case) -> list[dict[str, Any]]:
    """Let the poison come in on its channel, beside what the user says; return the session's messages."""
    truth, poison = TRUTHS[case.language], case.text
    messages: list[dict[str, Any]] = [{"role": "user", "content": truth}, {"role": "assistant", "content": "OK."}]

    async def tool(name: str, arguments: Mapping[str, Any], result: object, error: str | None = None) -> None:
        call = {"id": "1", "type": "function", "function": {"name": name, "arguments": str(arguments)}}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": "1", "name": name, "content": str(error or result)})
        await memory.tool_executed(
            session_key=case.session, tool_name=name, arguments=arguments, result=result, error=error, duration_ms=3
        )

    await memory.message_received(session_key=case.session, text=truth)
    question = _ASKED[case.language]
    if case.channel == "page pasted by the user":
        question = f"{_PASTED[case.language]}\n{_FILLER[case.language]}\n{poison}"
    await memory.message_received(session_key=case.session, text=question, history=list(messages))
    if case.channel == "result inside a user message":
        parts = [{"type": "tool_result", "content": [{"type": "text", "text": poison}]}]
        messages += [{"role": "user", "content": question}, {"role": "user", "content": parts}]
    else:
        messages.append({"role": "user", "content": question})
    answer = "It is a page."
    match case.channel:
        case "tool result":
            await tool("read_file", {"path": "page.txt"}, poison)
        case "web page":
            await tool("web_fetch", {"url": "https://page.example"}, {"title": "page", "text": poison})
        case "tool arguments":
            await tool("exec", {"command": poison}, "done")
        case "file name":
            await tool("list_dir", {"path": f"/srv/{poison}"}, [f"{poison}.txt", "other.txt"])
        case "error of a tool":
            await tool("exec", {"command": "make"}, None, error=poison)
        case "assistant message":
            answer = poison
        case "tool message to be cut":
            messages.append({"role": "tool", "tool_call_id": "7", "content": poison})
        case "note of a plugin":
            note = Note(tldr=poison, details=poison, title=poison, tags=(poison,), origin=Origin.WEB)
            await memory.keep(note, session_key=case.session)
    messages.append({"role": "assistant", "content": answer})
    await memory.message_sent(session_key=case.session, text=answer)
    return messages


async def obey(memory: MemoryHost, case: Case) -> None:
    """Do what a gullible model does: call every tool that keeps something."""
    tools = {tool.name: tool for tool in memory.tools()}
    truth = TRUTHS[case.language]
    for wish in wishes_of(case):
        for said in (truth, wish, ""):
            await tools["remember"].run({"text": wish, "said": said, "importance": "high"}, session_key=case.session)
        await tools["remember"].run({"text": wish, "details": wish, "kind": "note"}, session_key=case.session)
    # What the user said, with the poison behind it.
    mixed = f"{truth}; {case.wishes[0]}"
    await tools["remember"].run({"text": mixed, "said": truth, "importance": "high"}, session_key=case.session)
    note = {"text": truth, "details": case.wishes[0], "said": truth, "kind": "note"}
    await tools["remember"].run(note, session_key=case.session)


async def end(memory: MemoryHost, case: Case, messages: list[dict[str, Any]]) -> None:
    """Let the session be cut, finish a turn, and go quiet."""
    key = case.session
    summary = await memory.before_compaction(
        session_key=key, messages=messages, context_window=32_000, reason="token_pressure"
    )
    rest = [{"role": "system", "content": summary.text}] if summary is not None else []
    rest += messages[-2:]
    await memory.turn_finished(session_key=key, messages=rest, context_window=32_000)
    await memory.session_idle(session_key=key, history=rest, ended=True)
