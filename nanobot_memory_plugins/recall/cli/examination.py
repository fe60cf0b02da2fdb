"""A recall as a turn makes it, for ``nanobot-memory why``: with the history of the session, and with patience."""

import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from nanobot_memory_plugins.core import MemoryConfig, Message, Scope, redact_text
from nanobot_memory_plugins.core.cli.open_store import opened_store, settled
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.privacy_marks import PrivacyFile
from nanobot_memory_plugins.core.files.reading import read_regular
from nanobot_memory_plugins.core.files.transcript import TranscriptRecord, last_records, parse_transcript_line
from nanobot_memory_plugins.core.scopes.scopes import offered_scopes
from nanobot_memory_plugins.core.text.private import is_private, memory_command, without_private
from nanobot_memory_plugins.core.values.explanation import Weighed
from nanobot_memory_plugins.recall.deduplicate import folded
from nanobot_memory_plugins.recall.engine import recall
from nanobot_memory_plugins.recall.options import RecallOptions
from nanobot_memory_plugins.recall.recalled import Reason, Recalled
from nanobot_memory_plugins.redaction.rules.rule import PLACEHOLDER

# Seconds for the recall itself. A turn has less; a question about it must not end with "too late".
_NO_LIMIT = 60.0
# Messages at the end of a session that are in the live context, at most: a host gives no more of its history.
_HISTORY = 400


async def examine(
    workspace: Path, config: MemoryConfig, options: RecallOptions, text: str, *, scope: Scope
) -> Recalled:
    """Recall for a message as a turn of ``scope`` would, with nothing left out for want of time.

    Where it was said before, that and its answer are no memories of it, and the history ends before it. What was
    remembered later is found all the same. Raises `StoreError` when there is no store.
    """
    paths, text = MemoryPaths.of(workspace), without_private(text)
    if is_private(text) or memory_command(text) == "pause":
        return Recalled(reason=Reason.OFF_RECORD)
    if PrivacyFile(paths).read().pause_of(scope.session, scope.user):
        return Recalled(reason=Reason.PAUSED)
    visible = offered_scopes(workspace, config).visible(scope)
    before = _said_before(paths, text, scope.session, visible.allows)
    session = scope.session or (before[0].session_key if before else "")
    history = last_records(paths.transcript(session), session, sys.maxsize) if session else []
    if before and before[0] in history:
        history = history[: history.index(before[0])]
    async with opened_store(workspace, config) as store:
        await settled(store)
        return await recall(
            store,
            text,
            options=options.model_copy(update={"recall_timeout": _NO_LIMIT}),
            history=[Message(record.role, record.text) for record in history[-_HISTORY:]],
            scope=visible,
            exclude_records=frozenset(record.id for record in before),
            explain=True,
        )


def _said_before(
    paths: MemoryPaths, text: str, session: str, allows: Callable[[Scope], bool]
) -> list[TranscriptRecord]:
    """Return the last time that a message was said, what answered it, and all other times.

    A time in the ``session`` itself counts as the last.
    """

    def is_same(record: TranscriptRecord) -> bool:
        message = redact_text(text) if PLACEHOLDER.search(record.text) else text
        return folded(record.text) == folded(message) and allows(record.scope)

    turns: list[list[TranscriptRecord]] = []
    for path in paths.sessions.glob("*.jsonl"):
        turn: list[TranscriptRecord] = []
        content = b""
        with suppress(OSError):  # no search reads it either
            content = read_regular(path)
        for record in filter(None, map(parse_transcript_line, content.split(b"\n"))):
            if record.role == "user":
                turn = []
                if is_same(record):
                    turns.append(turn)
            turn.append(record)
    turns.sort(key=lambda turn: (turn[0].session_key == session, turn[0].time.timestamp() if turn[0].time else 0.0))
    last = turns.pop() if turns else []
    return last + [turn[0] for turn in turns]


def candidates(recalled: Recalled) -> list[Weighed]:
    """Return all that a recall looked at, hits first and in their order.

    Of a store that explains nothing these are the hits.
    """
    result = recalled.result
    if result.explanation is not None:
        return list(result.explanation.candidates)
    return [Weighed(hit, 0.0, hit.score, place=number) for number, hit in enumerate(result.hits, start=1)]
