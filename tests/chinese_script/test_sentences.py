"""Sentences of Taiwan and Hong Kong: what of them is taken for the user's word, in both scripts, end to end."""

from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import MemoryHost, Origin
from tests.consolidation.test_spoken import config
from tests.poisoning.test_poisoning import prompt
from tests.support.chinese import in_script

pytestmark = pytest.mark.leaving

ROWS = [
    tuple(line.replace("\\n", "\n").split("\t"))
    for line in (Path(__file__).parents[1] / "data" / "traditional_sentences.tsv").read_text("utf-8").splitlines()
    if not line.startswith("#")
]


def told(workspace: Path) -> list[str]:
    entries = EntryRepository(workspace).load().entries.values()
    return [entry.content for entry in entries if entry.origin is Origin.USER]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("said_in", "claimed_in"), [("taiwan", "taiwan"), ("simplified", "simplified"), ("taiwan", "simplified")]
)
async def test_what_becomes_of_a_sentence_is_the_same_in_both_scripts(tmp_path, said_in: str, claimed_in: str):
    wrong: list[tuple[str, str, object]] = []
    async with MemoryHost(tmp_path, config=config()) as memory:
        tools = {tool.name: tool for tool in memory.tools()}
        for number, (expected, sentence, claim) in enumerate(ROWS):
            session = f"cli:{number}"
            said = sentence if said_in == "taiwan" else in_script(sentence, said_in)
            text = claim if claimed_in == "taiwan" else in_script(claim, claimed_in)
            context = await memory.message_received(session_key=session, text=said)
            if expected in ("kept", "refused"):
                await tools["remember"].run({"text": text, "importance": "high"}, session_key=session)
                await memory.tool("memory_note").run({"tldr": text, "long_term": True}, session_key=session)
                became = "kept" if text in told(tmp_path) else "refused"
                if became == "refused" and f"{text}\n" in prompt(memory):
                    became = "in the prompt all the same"
            else:
                written = any(one in told(tmp_path) for one in (claim, in_script(claim, said_in)))
                became = "remember" if written else "none" if context.block is None else "forget"
            if became != expected:
                wrong.append((expected, said, became))
    assert wrong == []
