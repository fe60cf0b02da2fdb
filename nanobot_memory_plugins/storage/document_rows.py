"""Documents as rows: what is stored of them, and the hashes that tell whether they changed."""

import hashlib
import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from nanobot_memory_plugins.core import Origin, Scope
from nanobot_memory_plugins.storage.documents import Document
from nanobot_memory_plugins.storage.indexed_text import embedding_text, storable

# The columns that hold a document's own fields, in the order of `document_values` and `document_from_row`.
DOCUMENT_COLUMNS = (
    'key, path, line, "offset", ordinal, source, text, content_hash, origin, agent, user, channel, session, '
    "group_chat, project, heading, tldr, tags, speaker, time"
)
DOCUMENT_COLUMN_COUNT = 20
# Those that came later.
_GROUP_CHAT, _PROJECT = 13, 14
_NO_TAGS = "[]"
# Looking a member up by its value takes ten times as long as a dictionary does.
_ORIGINS = {origin.value: origin for origin in Origin}


def document_values(document: Document) -> tuple[Any, ...]:
    """Return the values of `DOCUMENT_COLUMNS`, with what UTF-8 cannot hold replaced."""
    scope = document.scope
    return (
        storable(document.key),
        storable(document.path),
        document.line,
        document.offset,
        document.ordinal,
        document.source,
        storable(document.text),
        document.content_hash,
        document.origin.value,
        storable(scope.agent),
        storable(scope.user),
        storable(scope.channel),
        storable(scope.session),
        storable(scope.group_chat),
        storable(scope.project),
        storable(document.heading),
        storable(document.tldr),
        json.dumps([storable(tag) for tag in document.tags], ensure_ascii=False),
        storable(document.speaker),
        document.time.isoformat() if document.time else None,
    )


def document_from_row(row: Sequence[Any]) -> Document:
    """Make a document of the values of `DOCUMENT_COLUMNS`."""
    return Document(
        key=row[0],
        path=row[1],
        line=row[2],
        offset=row[3],
        ordinal=row[4],
        source=row[5],
        text=row[6],
        content_hash=row[7],
        origin=_ORIGINS.get(row[8]) or Origin(row[8]),
        scope=Scope(*row[9:15]),
        heading=row[15],
        tldr=row[16],
        tags=tuple(json.loads(row[17])) if row[17] != _NO_TAGS else (),
        speaker=row[18],
        time=datetime.fromisoformat(row[19]) if row[19] else None,
    )


def row_hash(values: Sequence[Any]) -> bytes:
    """Hash the values of `DOCUMENT_COLUMNS`; without a group chat or a project as it was before those columns came."""
    values = [value for place, value in enumerate(values) if value or place not in (_GROUP_CHAT, _PROJECT)]
    return _hash(json.dumps(values, ensure_ascii=False, separators=(",", ":")))


def embedding_hash(document: Document) -> bytes:
    """Hash the text that is embedded for a document."""
    return _hash(storable(embedding_text(document)))


def _hash(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=16).digest()
