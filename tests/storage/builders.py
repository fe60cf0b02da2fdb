"""Documents and changes as the indexer makes them, with what a test does not care for filled in."""

import hashlib
from datetime import UTC, datetime
from typing import Any

from nanobot_memory_plugins.core.values import Origin
from nanobot_memory_plugins.storage.documents import Document, FileChange, FileState

NOW = datetime(2026, 5, 8, 12, tzinfo=UTC)


def document(name: str, text: str = "", *, path: str = "memory/a.md", **fields: Any) -> Document:
    text = text or f"the text of {name}"
    values: dict[str, Any] = {
        "line": 1,
        "offset": 0,
        "ordinal": 0,
        "source": "note",
        "origin": Origin.USER,
        "time": NOW,
        **fields,
    }
    return Document(key=name, path=path, text=text, content_hash=hashlib.sha256(text.encode()).hexdigest(), **values)


def change(*documents: Document, path: str = "memory/a.md", **fields: Any) -> FileChange:
    state = FileState(path, offset=10, prefix_hash="aa", size=10, mtime_ns=1, line=2, ordinal=len(documents))
    return FileChange(**{"path": path, "state": state, "documents": documents, **fields})
