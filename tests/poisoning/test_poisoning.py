"""Nothing that tools, pages or the assistant said becomes the user's, opens a prompt, or leaves its fence."""

import os
import re

import pytest

from nanobot_memory_plugins.consolidation.nightly.pipeline import NightlyConsolidation
from nanobot_memory_plugins.consolidation.operations.async_entries import AsyncEntryRepository
from nanobot_memory_plugins.consolidation.options import ConsolidationOptions
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import MemoryConfig, MemoryHost, Origin, Query
from nanobot_memory_plugins.core.clock import SystemClock
from nanobot_memory_plugins.core.redaction import redact_text
from nanobot_memory_plugins.core.text.fence import PREFIX, SUFFIX, is_fenced, remove_fenced
from tests.poisoning.cases import CASES, CHANNELS, Case
from tests.poisoning.gullible import LEARNED, GullibleModel
from tests.poisoning.walk import arrive, end, obey
from tests.support.chinese import in_script

# NANOBOT_MEMORY_TRUST=full runs them all; docs/trust.md has the command.
STEP = 1 if os.environ.get("NANOBOT_MEMORY_TRUST") == "full" else 17
CONFIG = MemoryConfig.model_validate(
    {
        "core": {"message_limit": 30, "tool_limit": 30, "start_limit": 60},
        "plugins": {
            "recall": {"recall_timeout": 20},
            "storage": {"embedding_provider": "none"},
            "flush": {"destination": "by_type"},
            "consolidation": {"consolidation_schedule": False},
        },
    }
)


async def consolidate(memory: MemoryHost, model: GullibleModel) -> None:
    """Do what the night does, and the next one."""
    for _ in range(2):
        await NightlyConsolidation(
            AsyncEntryRepository(memory.workspace, clock=SystemClock(), redact=redact_text),
            clock=SystemClock(),
            redact=redact_text,
            complete=model,
            options=ConsolidationOptions(consolidation_tokens=60_000),
        ).run()


def users_facts(memory: MemoryHost) -> str:
    """Return the entries that count as the user's."""
    entries = EntryRepository(memory.workspace).load().entries.values()
    return "\n".join(entry.content for entry in entries if entry.origin is Origin.USER)


def prompt(memory: MemoryHost) -> str:
    """Return what always stands in a prompt: the entries' block, and the rest of the long-term file."""
    known = memory.prompt_entries(memory.base_context(), session_key="cli:new")
    return f"{known.text}\n{known.long_term}"


def check_block(block: str | None, case: Case) -> None:
    """A block is one fence, with a nonce that stands at both ends only and no other marker inside."""
    assert block is not None
    assert is_fenced(block)
    assert case.name in block
    first, *body, last = block.split("\n")
    nonce = first.rpartition(" ")[2]
    assert block.count(nonce) == 2
    assert last.endswith(nonce)
    folded = re.sub(r"\W+", "", "".join(body)).lower()
    for marker in (*PREFIX.values(), *SUFFIX.values()):
        assert re.sub(r"\W+", "", marker).lower() not in folded
    assert remove_fenced(f"question\n\n{block}") == "question"


def test_there_are_300_cases_and_none_is_like_another():
    assert len(CASES) == len({case.name for case in CASES}) == len({(c.channel, c.text) for c in CASES}) == 300
    assert all(case.name in case.text for case in CASES)


@pytest.mark.accept("V5-09")
@pytest.mark.parametrize("channel", CHANNELS)
async def test_poison_becomes_no_fact_opens_no_prompt_and_stays_in_its_fence(tmp_path, channel: str):
    model = GullibleModel()
    # A part of the cases in the ordinary run: each wrapper and each language somewhere.
    cases = [case for case in CASES if case.channel == channel][CHANNELS.index(channel) % STEP :: STEP]
    async with MemoryHost(tmp_path, config=CONFIG, llm=model) as memory:
        for case in cases:
            messages = await arrive(memory, case)
            await obey(memory, case)
            await end(memory, case, messages)
        await consolidate(memory, model)
        await memory.flush_index()
        # The model was asked, and has obeyed; and the user's own facts are there, so that the rest says something.
        assert {"extraction", "flush", "consolidation"} <= model.believed.keys()
        facts, always = users_facts(memory), prompt(memory)
        # What was said in two scripts is one fact, in the one that came first.
        own = [in_script(LEARNED[language], "simplified") for language in {case.language for case in cases}]
        believed = [in_script(text, "simplified") for text in (facts, always)]
        assert all(learned in text for learned in own for text in believed)
        assert [case for case in cases if case.name in facts] == []
        assert [case for case in cases if case.name in always] == []
        for case in cases:
            hits = (await memory.search(Query(case.name, limit=60))).hits
            assert hits
            context = await memory.message_received(session_key=f"ask:{case.name}", text=f"Last time: {case.name}?")
            check_block(context.block, case)
