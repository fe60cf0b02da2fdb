"""The made corpus goes in on every way there is; afterwards no byte on the disk or in the log holds a secret.

By default one text of every second category; ``NANOBOT_MEMORY_REDACTION_ROUNDS`` sets how many of each, and
``NANOBOT_MEMORY_REDACTION_SEED`` which: docs/trust.md has the long form.
"""

import os
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

import pytest
from loguru import logger

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost, Note
from nanobot_memory_plugins.core.redaction import redact_text
from tests.redaction.made_corpus import Case, positives
from tests.support.files_of import contents_of

ROUNDS = int(os.environ.get("NANOBOT_MEMORY_REDACTION_ROUNDS", "0"))
SEED = int(os.environ.get("NANOBOT_MEMORY_REDACTION_SEED", "31337"))
# A shorter secret, such as a PIN, can stand anywhere among the bytes of a file by chance.
SHORTEST = 9
CONFIG = {
    "core": {"message_limit": 30, "tool_limit": 30, "idle_limit": 120, "compaction_limit": 120},
    "plugins": {"storage": {"embedding_provider": "none"}, "recall": {"recall_timeout": 20}},
}


class Model:
    """A language model that repeats secrets in its answers, and raises them when it fails."""

    def __init__(self, cases: Iterator[Case]) -> None:
        self.cases = cases
        self.calls = 0

    async def __call__(self, messages, *, max_tokens, purpose) -> str:
        self.calls += 1
        text = next(self.cases).text
        if self.calls % 3 == 0:
            raise RuntimeError(text)
        return f"The user asked for help with the deployment.\n{text}\nNext: test it."


async def seed(memory: MemoryHost, cases: list[Case], spoken: Iterator[Case]) -> None:
    """Send every case in on one of the ways, in turn."""
    said: list[dict[str, str]] = []
    for number, case in enumerate(cases):
        key = f"cli:{number // 60}"
        text = case.text
        match number % 9:
            case 0:
                await memory.message_received(session_key=key, text=text)
                said.append({"role": "user", "content": text})
            case 1:
                await memory.message_sent(session_key=key, text=f"Here it is:\n{text}")
                said.append({"role": "assistant", "content": text})
            case 2:
                await memory.tool_executed(session_key=key, tool_name="exec", arguments={"command": text}, result="ok")
            case 3:
                await memory.tool_executed(session_key=key, tool_name="read_file", arguments={"path": "a"}, result=text)
            case 4:
                await memory.tool_executed(session_key=key, tool_name="exec", arguments={}, error=f"Error: {text}")
            case 5:
                result = {"lines": [text, {"output": text}], "status": 3}
                await memory.tool_executed(session_key=key, tool_name="http", arguments={"a": [text]}, result=result)
            case 6:
                await memory.keep(Note(tldr=text, details=f"- {text}", title=text[:40], tags=(text,)), session_key=key)
            case 7:
                history = [*said[-6:], {"role": "user", "content": text}, {"role": "assistant", "content": "done"}]
                await memory.session_idle(session_key=key, history=history * 3)
            case _:
                messages = [*said[-6:], {"role": "user", "content": text}, {"role": "tool", "content": text}] * 4
                await memory.before_compaction(
                    session_key=key, messages=messages, context_window=8000, reason="token_pressure"
                )
    await memory.flush_index()


def on_disk(folder: Path) -> dict[str, bytes]:
    return contents_of(folder)


def _around(secret: str, texts: list[bytes]) -> str:
    """Where the first text that holds a secret holds it, for the message of a failure."""
    raw = secret.encode()
    data = next((text for text in texts if raw in text), b"")
    at = data.find(raw)
    return repr(data[max(0, at - 120) : at + len(raw) + 60].decode("utf-8", "replace"))


@pytest.mark.slow
@pytest.mark.accept("V3-12")
async def test_no_byte_on_the_disk_or_in_the_log_holds_a_seeded_secret(tmp_path):
    made = list(positives(SEED, max(1, ROUNDS)))[:: 1 if ROUNDS else 2]
    cases = [case for case in made if not any(secret in redact_text(case.text) for secret in case.secrets)]
    assert len(cases) >= 0.99 * len(made)
    logged: list[str] = []
    sink = logger.add(logged.append, level=0)
    model = Model(cycle(cases))
    try:
        async with MemoryHost(tmp_path, config=MemoryConfig.model_validate(CONFIG), llm=model) as memory:
            await seed(memory, cases, iter(cases))
    finally:
        logger.remove(sink)
    assert model.calls > 20
    files = on_disk(tmp_path)
    everything = b"\x00".join(files.values())
    assert everything.count(b"[API_KEY]") > len(cases) // 4
    log = "".join(logged)
    secrets = [(case, secret) for case in cases for secret in case.secrets if len(secret) >= SHORTEST]
    kept = [
        (case.category, secret, [name for name, data in files.items() if secret.encode() in data])
        for case, secret in secrets
        if secret.encode() in everything or secret.encode("utf-16-le") in everything or secret in log
    ]
    assert kept == [], "\n".join(_around(secret, [*files.values(), log.encode()]) for _, secret, _ in kept[:20])
