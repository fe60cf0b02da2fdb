"""A host that continues a conversation does not bring back purged text, in whatever form its history has it."""

from typing import Any

import pytest

from tests.behaviour.kit.life import Conversation, Life
from tests.behaviour.kit.model import ReadingModel, search_call

NAME, PLACE, NUMBER, CAT, SHORT = "Zebulon Krieger", "Marzipan Alley", "nineteen", "豆豆", "Zbulo"
SAID = f"{NAME} lives at {PLACE} {NUMBER}, and {SHORT} is his dog. 我的猫叫{CAT}，很乖。"
REPLY = f"I see: {NAME}, {PLACE} {NUMBER}, with {SHORT} and {CAT}."
WORDS = (NAME, "Krieger", PLACE, "Marzip", NUMBER, CAT, SHORT)
LONG = "By the way, the weather was fine and the road was dry. " * 40
AFTER = "The ferry to Bornholm leaves at nine."


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def assistant(content: Any, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, **more}


CALL = [{"id": "c1", "type": "function", "function": {"name": "exec", "arguments": f'{{"say": "{SAID}"}}'}}]
PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
FORMS: dict[str, list[dict[str, Any]]] = {
    "as it was said": [user(SAID), assistant(REPLY)],
    "as a part": [user([{"type": "text", "text": SAID}]), assistant([{"type": "text", "text": REPLY}])],
    "as parts": [user([{"type": "text", "text": part} for part in (SAID[:30], SAID[30:])]), assistant(REPLY)],
    "in a call and its result": [
        user("Look it up."),
        assistant("", tool_calls=CALL),
        {"role": "tool", "tool_call_id": "c1", "name": "exec", "content": SAID},
        assistant("Done."),
    ],
    "between marks": [user(f"[2026-02-16 14:20] <ana> {SAID}\n[runtime: cli]"), assistant(REPLY)],
    "in capitals": [user(SAID.upper()), assistant(REPLY.upper())],
    "beside a picture": [user([{"type": "text", "text": SAID}, PICTURE]), assistant(REPLY)],
    "as two messages": [user(SAID[:40]), user(SAID[40:]), assistant(REPLY)],
    "cut inside of a word": [user(f"{NAME} lives at Marzip… [truncated]"), assistant(REPLY[:12] + "… [truncated]")],
    "cut inside of the name": [user(f"[…]eger lives at {PLACE}"), user(SHORT[:3]), assistant(SHORT[3:])],
    "in a summary of the host's": [user(f"Summary of earlier messages: {NAME} lives at {PLACE}."), assistant("Noted.")],
    "in a system message": [{"role": "system", "content": f"Earlier: {NAME} lives at {PLACE} {NUMBER}, {CAT}."}],
    "in other words": [user(f"Lives at {PLACE}, {NUMBER}, does {NAME}."), assistant(f"Yes, {CAT} and {SHORT}.")],
}


def forms(text: str) -> set[str]:
    return {text, text.upper(), text.lower()}


def holders(life: Life) -> list[str]:
    return life.files_with(*(form for word in WORDS for form in forms(word)))


@pytest.mark.parametrize("keeps", [True, False], ids=["transcripts", "none"])
async def test_no_form_of_a_history_brings_purged_text_back(life: Life, model: ReadingModel, keeps: bool):
    model.summary = "They spoke about the ferry."
    model.learn("The user takes the ferry.", AFTER)
    options = {"core": {"keepTranscripts": keeps}}
    life.memory.mkdir(parents=True)  # so that it is watched from the start: the clock stands still
    histories: dict[str, list[dict[str, Any]]] = {}
    async with life.host(**options) as memory:
        for form, messages in FORMS.items():
            talk = Conversation(memory, f"cli:{form}")
            await talk.turn("I keep bees in Lund.", "Lovely.")
            await talk.turn(SAID, REPLY)
            talk.history[2:] = messages
            histories[form] = talk.history
        await memory.flush_index()
        words = [given for word in (NAME, PLACE, NUMBER, CAT, SHORT) for given in ("--text", word)]
        purged = await life.command_beside("purge", *words, "--yes", "--json")
        assert purged.json["ok"] is keeps, purged.out + purged.err
        for form in () if keeps else FORMS:  # nothing was found: that is said of the conversation itself
            await memory.message_received(session_key=f"cli:{form}", text="/private forget what I said")
        before = len(model.requests)
        for form in FORMS:
            talk = Conversation(memory, f"cli:{form}", history=histories[form])
            await talk.turn(f"{AFTER} {LONG}", "Good.")
            await memory.turn_finished(session_key=talk.key, messages=talk.history, context_window=700)
            await talk.idle()
            summary = await talk.compact(window=1_200, keep=False)
            assert not any(form_ in str(summary) for word in WORDS for form_ in forms(word)), form
            is_parted = [one for one in talk.history[summary.keep_from :][:1] if one["role"] == "tool"]
            assert not is_parted, form
        await memory.flush_index()
        assert holders(life) == []
    async with life.host(**options) as memory:  # another start, and the host has kept its histories
        for form in FORMS:
            talk = Conversation(memory, f"cli:{form}", history=histories[form])
            await memory.resume(session_key=talk.key, messages=talk.history)
            await talk.compact(window=1_200)
            await talk.idle(ended=True)
        await memory.flush_index()
        shown = await Conversation(memory, "cli:new").hear("Do you remember where my friend lives, and my cat?")
        shown += await Conversation(memory, "cli:new").call(search_call("who lives in the alley"))
    assert holders(life) == []
    told = [*(request.text for request in model.requests[before:]), shown]
    assert not [text for text in told for word in WORDS for one in forms(word) if one in text]
    if keeps:
        said = str([life.transcript(f"cli:{form}") for form in FORMS])
        assert (said.count("I keep bees in Lund."), said.count(AFTER)) == (len(FORMS), len(FORMS))
