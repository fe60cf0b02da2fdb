"""A data set as the files that memory has: one transcript for each group and session, one line for each document."""

import os
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.transcript import TranscriptRecord, render_transcript_line
from nanobot_memory_plugins.core.redaction import redact_text
from nanobot_memory_plugins.core.values import Hit, Origin, Scope
from nanobot_memory_plugins.tools.evaluation.dataset import EvalDocument

_ASSISTANTS = frozenset({"assistant", "ai", "bot", "model", "agent", "chatbot", "gpt", "助手", "助理"})
_TOOLS = frozenset({"tool", "function", "工具"})
# When the first file was written, as its time says: seconds since 1970, the same in every run.
_FIRST_WRITTEN = 1_000_000_000


@dataclass(frozen=True, slots=True)
class DocumentPlaces:
    """Which document is on which line of which file. Redaction and cutting change texts, never lines."""

    ids: dict[tuple[str, int], str]

    def ids_of(self, hits: Iterable[Hit]) -> list[str]:
        """Return the documents that hits come from; one that was cut into several passages counts where it is first."""
        return list(dict.fromkeys(self.ids[hit.path, hit.line] for hit in hits if (hit.path, hit.line) in self.ids))


def group_scope(group: str) -> Scope:
    """Return the filter of a group's searches. It is never empty: an empty one would search everything."""
    return Scope(agent=f"group {group}")


def write_transcripts(workspace: Path, documents: Iterable[EvalDocument]) -> DocumentPlaces:
    """Write documents to a workspace without any memory, redacted as every memory file is. Raises `OSError`."""
    paths = MemoryPaths.of(workspace)
    sessions: dict[str, list[tuple[float, int, EvalDocument]]] = defaultdict(list)
    for position, document in enumerate(documents):
        place_in_session = document.order if document.order is not None else float(position)
        sessions[f"{document.group}/{document.session}"].append((place_in_session, position, document))
    ids: dict[tuple[str, int], str] = {}
    paths.sessions.mkdir(parents=True)
    for number, (key, members) in enumerate(sessions.items()):
        path = paths.transcript(key)
        ordered = [document for _, _, document in sorted(members, key=lambda member: member[:2])]
        path.write_bytes(b"".join(render_transcript_line(_record(document, key)) for document in ordered))
        # The index is filled by age, and rows that rank alike keep the order of filling.
        os.utime(path, (_FIRST_WRITTEN + number, _FIRST_WRITTEN + number))
        relative = paths.relative(path)
        ids |= {(relative, line): document.id for line, document in enumerate(ordered, 1)}
    return DocumentPlaces(ids)


def _record(document: EvalDocument, session_key: str) -> TranscriptRecord:
    """Return a document as the message that it would have been: what is neither assistant's nor tool's is a user's."""
    word = document.role.strip().casefold()
    role, origin = "user", Origin.USER
    if word in _ASSISTANTS:
        role, origin = "assistant", Origin.ASSISTANT
    elif word in _TOOLS:
        role, origin = "tool", Origin.TOOL
    elif word == "summary":
        role, origin = "assistant", Origin.SUMMARY
    scope = group_scope(document.group)
    speaker = redact_text(document.speaker.strip())
    return TranscriptRecord(
        role=role,
        text=redact_text(document.text),
        session_key=session_key,
        scope=Scope(agent=scope.agent, user=speaker if role == "user" else "", session=session_key),
        origin=origin,
        id="",
        time=document.ts,
        name=speaker if role != "user" else "",
    )
