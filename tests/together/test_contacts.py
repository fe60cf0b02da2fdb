"""Contact data, end to end: what the user said stays readable when repeated, what only a tool said is hidden."""

from pathlib import Path

import pytest

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from tests.support.files_of import text_of

MAIL, PHONE = "ana@quetzal.example", "+49 341 1234567"

SAID = f"Remember: Ana's number is {PHONE}, her mail {MAIL}."
OTHERS = ("bob@ibis.example", "+49 341 7654321")
PAGE = "Contact: {}, phone {}.".format(*OTHERS)


def config(contacts: str = "user") -> MemoryConfig:
    return MemoryConfig.model_validate(
        {
            "core": {"message_limit": 30, "tool_limit": 30},
            "redaction": {"contacts": contacts},
            "plugins": {"recall": {"recall_timeout": 20}, "storage": {"embedding_provider": "none"}},
        }
    )


def everything_in(workspace: Path) -> str:
    return text_of(workspace, ".md", ".jsonl", ".json")


async def test_contacts_that_the_user_said_stay_readable_and_are_recalled_after_a_restart(tmp_path):
    async with MemoryHost(tmp_path, config=config()) as memory:
        told = (await memory.message_received(session_key="cli:one", text=SAID)).block
        await memory.message_sent(session_key="cli:one", text=f"Noted: {MAIL.upper()}, 0341/1234567.")
    assert told
    assert MAIL in told
    kept = everything_in(tmp_path)
    assert all(one in kept for one in (MAIL, PHONE, MAIL.upper(), "0341/1234567"))
    assert "[EMAIL]" not in kept
    assert "[PHONE]" not in kept
    async with MemoryHost(tmp_path, config=config()) as memory:
        await memory.flush_index()
        block = (await memory.message_received(session_key="cli:two", text="What is Ana's number?")).block
        prompt = memory.prompt_entries(session_key="cli:two").text
        await memory.message_sent(session_key="cli:two", text=f"It is {PHONE}.")
        said = memory.history("cli:two")[-1]["content"]
    assert PHONE in f"{block}{prompt}"
    assert said == f"It is {PHONE}."


async def test_contacts_from_a_web_page_are_hidden_in_its_note_and_in_the_assistants_reply(tmp_path):
    async with MemoryHost(tmp_path, config=config()) as memory:
        await memory.message_received(session_key="cli:one", text=f"Write to {MAIL}, please.")
        await memory.tool_executed(session_key="cli:one", tool_name="web_fetch", arguments={}, result=f"{PAGE} {MAIL}")
        await memory.message_sent(session_key="cli:one", text=f"I found this. {PAGE}")
    kept = everything_in(tmp_path)
    assert not any(one in kept for one in OTHERS)
    assert all(mark in kept for mark in ("[EMAIL]", "[PHONE]"))
    note = next((tmp_path / "memory").glob("20*.md")).read_text(encoding="utf-8")
    assert MAIL not in note  # a note of a tool hides what the user said, too
    assert f"Write to {MAIL}" in kept


@pytest.mark.parametrize(("contacts", "said", "told"), [("hide", False, False), ("keep", True, True)])
async def test_contacts_are_hidden_or_kept_everywhere_where_the_configuration_says_so(tmp_path, contacts, said, told):
    async with MemoryHost(tmp_path, config=config(contacts)) as memory:
        await memory.message_received(session_key="cli:one", text=SAID)
        await memory.message_sent(session_key="cli:one", text=PAGE)
    kept = everything_in(tmp_path)
    assert [one in kept for one in (MAIL, PHONE)] == [said] * 2
    assert [one in kept for one in OTHERS] == [told] * 2
