"""Asks the typical questions of the whole set, one after another, and says what came of each."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.core.text.fence import language_of
from nanobot_memory_plugins.core.text.tokens import estimate_tokens
from nanobot_memory_plugins.recall.options import RecallOptions
from nanobot_memory_plugins.recall.routing import RecallTier, decide_tier
from tests.typical.memory import FixedStart, Question, asked_at, questions

UNSURE = {"en": "I'm not sure, I don't remember that.", "zh": "我不确定，没有记录。"}
# The limits are out of the way: what is shown here is not the speed.
_PATIENT = {"message_limit": 60, "start_limit": 120, "keep_transcripts": False}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a question brought at the tier that was chosen, and after an unsure draft when that was not enough."""

    question: Question
    tier: RecallTier
    block: str | None
    upgraded: str | None = None

    @property
    def first(self) -> bool:
        return self.question.is_answered_by(self.block)

    @property
    def in_the_end(self) -> bool:
        return self.first or self.question.is_answered_by(self.upgraded)

    @property
    def tokens(self) -> int:
        return estimate_tokens(self.block or "")


@dataclass(frozen=True, slots=True)
class Outcomes:
    """What all the questions brought; as text it is the figures and every question that was not answered."""

    of: Sequence[Outcome]

    @property
    def first(self) -> float:
        return sum(one.first for one in self.of) / len(self.of)

    @property
    def in_the_end(self) -> float:
        return sum(one.in_the_end for one in self.of) / len(self.of)

    def saved(self, whole: int) -> float:
        """Return the mean share of ``whole`` tokens that injecting the block instead has saved."""
        return sum(1 - one.tokens / whole for one in self.of) / len(self.of)

    def __str__(self) -> str:
        missed = [
            f"  {one.question.id} {one.question.kind}, tier {int(one.tier)}, {one.tokens} tokens: {one.question.text}"
            + (" (found after the upgrade)" if one.in_the_end else "")
            for one in self.of
            if not one.first
        ]
        mean = sum(one.tokens for one in self.of) / len(self.of)
        head = (
            f"first {self.first:.3f}, after an upgrade {self.in_the_end:.3f}, {mean:.0f} tokens a block; not at first:"
        )
        return "\n".join([head, *missed])


def ask_all(workspace: Path, plugins: Mapping[str, Mapping[str, object]]) -> Outcomes:
    """Open the memory of a workspace, wait for its index, and ask every question in a session of its own."""
    return asyncio.run(_ask_all(workspace, plugins))


async def _ask_all(workspace: Path, plugins: Mapping[str, Mapping[str, object]]) -> Outcomes:
    recall = {"recall_timeout": 30, **plugins.get("recall", {})}
    config = MemoryConfig.model_validate({"core": _PATIENT, "plugins": {**plugins, "recall": recall}})
    async with MemoryHost(workspace, config=config, clock=FixedStart(asked_at())) as memory:
        await memory.flush_index()
        wait = getattr(memory.store, "vectors_complete", None)
        assert wait is not None, "the set's own store is open"
        await wait(lambda status, report: None)
        return Outcomes([await _ask(memory, question) for question in questions()])


async def _ask(memory: MemoryHost, question: Question) -> Outcome:
    session = f"ask:{question.id}"
    tier = decide_tier(question.text, [], RecallOptions()).tier
    block = (await memory.message_received(session_key=session, text=question.text)).block
    upgraded = None
    if not question.is_answered_by(block):
        draft = UNSURE[language_of(question.text)]
        upgraded = await memory.review_draft(session_key=session, text=question.text, draft=draft)
    return Outcome(question, tier, block, upgraded)
