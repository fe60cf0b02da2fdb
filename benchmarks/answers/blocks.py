"""The contexts of a question: the block that recall really injects, and blocks of the same size for other systems."""

import asyncio
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.measure import patient_configuration
from benchmarks.retrieval.datasets import LabelledDocument, LabelledSet, Question
from nanobot_memory_plugins.core import MemoryHost, language_of
from nanobot_memory_plugins.core.clock import SystemClock
from nanobot_memory_plugins.core.files.memory_files import MemoryFiles
from nanobot_memory_plugins.core.files.transcript import TranscriptRecord
from nanobot_memory_plugins.core.redaction import redact_text
from nanobot_memory_plugins.core.text.tokens import estimate_tokens
from nanobot_memory_plugins.core.values import Origin, Scope
from nanobot_memory_plugins.recall.block import day_in_words
from nanobot_memory_plugins.storage.store import SqliteStore

_QUESTION_SESSION = "benchmark:question"


class _AskedAt(SystemClock):
    """The machine's clock with the day of the question."""

    def __init__(self, moment: datetime | None) -> None:
        self._moment = moment

    def now(self) -> datetime:
        return self._moment or super().now()


def our_blocks(labelled: LabelledSet, questions: Sequence[Question]) -> dict[str, str]:
    """Return the block that `MemoryHost` injects for each question by its id, empty if it injects none.

    Every group gets a workspace with its transcripts, as if they had been recorded in their sessions. The questions are
    not stored.
    """
    groups = labelled.groups()
    blocks: dict[str, str] = {}
    for group in dict.fromkeys(question.group for question in questions):
        own = [question for question in questions if question.group == group]
        with tempfile.TemporaryDirectory() as workspace:
            blocks |= asyncio.run(_blocks_of_group(Path(workspace), groups[group], own))
    return blocks


async def _blocks_of_group(
    workspace: Path, documents: Sequence[LabelledDocument], questions: Sequence[Question]
) -> dict[str, str]:
    await _write_transcripts(workspace, documents)
    config = patient_configuration(keep_transcripts=False)
    moments = [question.asked_at for question in questions if question.asked_at is not None]
    clock = _AskedAt(max(moments).replace(tzinfo=UTC) if moments else None)
    blocks: dict[str, str] = {}
    async with MemoryHost(workspace, config=config, clock=clock) as memory:
        await memory.flush_index()
        assert isinstance(memory.store, SqliteStore)
        await memory.store.vectors_complete()
        for question in questions:
            context = await memory.message_received(session_key=_QUESTION_SESSION, text=question.text)
            blocks[question.id] = context.block or ""
    return blocks


async def _write_transcripts(workspace: Path, documents: Iterable[LabelledDocument]) -> None:
    files = MemoryFiles(workspace, redact=lambda text, _origin: redact_text(text))
    for document in documents:
        is_reply = document.role == "assistant"
        await files.keep_message(
            TranscriptRecord(
                role="assistant" if is_reply else "user",
                text=document.text,
                session_key=document.session,
                scope=Scope(session=document.session),
                origin=Origin.ASSISTANT if is_reply else Origin.USER,
                time=document.ts,
                name=document.speaker,
            )
        )
    await files.close()


def note_line(document: LabelledDocument) -> str:
    """Return a document as a line with its date in words, as in our block, since small models copy dates literally."""
    day = f"[{day_in_words(document.ts.date(), language_of(document.text))}] " if document.ts else ""
    speaker = f"{document.speaker}: " if document.speaker else ""
    return f"{day}{speaker}{document.text}"


def block_of_size(ranked: Iterable[str], documents: Mapping[str, LabelledDocument], tokens: int) -> str:
    """Return the best documents as lines, as many as fit ``tokens``. One that does not fit is left out."""
    lines: list[str] = []
    size = 0
    for identifier in ranked:
        line = note_line(documents[identifier])
        cost = estimate_tokens(f"{line}\n")
        if size + cost <= tokens:
            lines.append(line)
            size += cost
    return "\n".join(lines)


def evidence(question: Question, documents: Mapping[str, LabelledDocument]) -> str:
    """Return the documents with the answer as lines in order, as a perfect search would inject them."""
    return "\n".join(note_line(documents[identifier]) for identifier in documents if identifier in question.gold)
