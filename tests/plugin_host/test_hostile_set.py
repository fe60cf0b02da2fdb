"""A memory with a zoo of hostile plugins answers what it answers without them: every call of the host, every hook."""

import asyncio
import os
import re
from pathlib import Path
from typing import Any

import pytest

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.core.host import plugin_set
from nanobot_memory_plugins.core.host.eraser import purge_texts
from nanobot_memory_plugins.core.testing import install_plugin
from tests import hostile

# One of each kind in the ordinary run; NANOBOT_MEMORY_TRUST=full takes the whole zoo, a dozen at once: tasks that never
# end would take the loop's time from each other.
SOME = (
    *(
        "raises_async",
        "exits_sync",
        "raises_cancelled_async",
        "garbage_poisoned_sync",
        "garbage_note_with_wrong_fields_async",
    ),
    *("hang", "slow_sync", "swallow_for_ever", "leak_swallowing_tasks", "leak_thread", "changes_arguments"),
)
FULL = os.environ.get("NANOBOT_MEMORY_TRUST") == "full"
ZOO = sorted(hostile.HOSTILE)
ZOOS = [ZOO[part::8] for part in range(8)] if FULL else [list(SOME)]
# Seconds. Ours need far less even on a busy machine; those that hang use up all of it.
LIMIT = 1.4
CONFIG = MemoryConfig.model_validate(
    {
        "core": {
            **dict.fromkeys(("message_limit", "tool_limit", "idle_limit", "compaction_limit"), LIMIT),
            "start_limit": 2 * LIMIT,
        },
        "plugins": {
            "recall": {"recall_timeout": 0.6},
            "storage": {"embedding_provider": "none"},
            "consolidation": {"consolidation_schedule": False},
            "bootstrap": {},
        },
    }
)
CHAT = [
    {"role": "user", "content": "The frame of the bicycle has the number 7071, and I live in Lund."},
    {"role": "assistant", "content": "Noted: 7071."},
]
OURS = "recall,storage,observation,flush,summary,bootstrap,compaction,consolidation"


async def everything(workspace: Path) -> list[Any]:
    """Call the host in every way and return what it answered, without ids and times."""
    answers: list[Any] = []
    async with MemoryHost(workspace, config=CONFIG) as memory:
        for message in CHAT:
            if message["role"] == "user":
                await memory.message_received(session_key="cli:one", text=message["content"])
            else:
                await memory.message_sent(session_key="cli:one", text=message["content"])
        receipt = await memory.tool_executed(
            session_key="cli:one", tool_name="read_file", arguments={"path": "port.txt"}, result="port: 6543"
        )
        answers.append(receipt.stored)
        await memory.flush_index()
        tools = {tool.name: tool for tool in memory.tools()}
        answers.append(sorted(tools))
        answers.append(await tools["memory_search"].run({"query": "bicycle frame"}, session_key="cli:two"))
        answers.append(await tools["remember"].run({"text": "The user lives in Lund"}, session_key="cli:one"))
        asked = "Do you remember the number of the bicycle frame?"
        answers.append((await memory.message_received(session_key="cli:two", text=asked)).block)
        answers.append(await memory.review_draft(session_key="cli:two", text=asked, draft="I do not know."))
        answers.append(memory.prompt_entries(memory.base_context(), session_key="cli:one"))
        answers.append(dict(memory.trim_bootstrap({"AGENTS.md": "Be kind. " * 9_000})))
        await memory.turn_finished(session_key="cli:one", messages=CHAT, context_window=32_000)
        summary = await memory.before_compaction(
            session_key="cli:one", messages=CHAT * 40, context_window=2_000, reason="token_pressure"
        )
        answers.append(summary)
        answers.append((await memory.session_idle(session_key="cli:one", history=CHAT, ended=True)).stored)
        if FULL:
            traces = await purge_texts(memory, ["port: 6543"])
            answers.append(sorted(one.where for one in traces if not one.where.startswith("plugin zoo")))
        answers.append(memory.history("cli:one"))
    return [
        re.sub(
            r"#?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{16}|#?\b[0-9a-f]{8}\b|\d{4}-\d\d-\d\d[T ][\d:.+]+",
            "*",
            repr(one),
        )
        for one in answers
    ]


@pytest.mark.slow
@pytest.mark.accept("PL-04")
@pytest.mark.parametrize("zoo", ZOOS, ids=lambda names: f"{names[0]} and {len(names) - 1} more")
async def test_the_host_answers_what_it_answers_without_them(tmp_path, monkeypatch, zoo):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", OURS)
    # A purge of a large memory may take a quarter of an hour, and each that hangs would take all of it.
    monkeypatch.setattr(plugin_set, "_PURGE_SECONDS", 5 * LIMIT)
    await everything(tmp_path / "first")  # what is imported at the first start takes time that is no plugin's fault
    alone = await everything(tmp_path / "alone")
    assert "7071" in alone[2]
    (tmp_path / "site").mkdir()
    for name in zoo:
        source = (
            "from tests.hostile import HOOKS, HOSTILE\n"
            f"for _hook in HOOKS:\n    globals().update(vars(HOSTILE[{name!r}](_hook)))\n"
        )
        install_plugin(tmp_path / "site", monkeypatch, f"zoo_{name}", source)
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", ",".join([OURS, *(f"zoo_{name}" for name in zoo)]))
    before = asyncio.all_tasks()
    beside = await everything(tmp_path / "beside")
    assert beside == alone
    assert asyncio.all_tasks() <= before
