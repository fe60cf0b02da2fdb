"""Keeps what is searched outside of the workspace: in one SQLite file, wherever the option `file` says.

The memory files stay the truth: the shelf follows them, and can be deleted at any time. It searches by words.
"""

import asyncio
import re
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from nanobot_memory_plugins.core import (
    Hit,
    Level,
    Origin,
    PluginContext,
    Query,
    Scope,
    SearchResult,
    StoreStatus,
    hookimpl,
)
from nanobot_memory_plugins.core.files.entry_lines import hidden_records
from nanobot_memory_plugins.core.files.notes import NoteEntry, parse_notes
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.transcript import parse_transcript_line
from nanobot_memory_plugins.core.values import Trace

TABLES = """
CREATE TABLE IF NOT EXISTS files (workspace, path, stamp, PRIMARY KEY (workspace, path));
CREATE TABLE IF NOT EXISTS memories
  (workspace, id, text, path, line, time, origin, tags, agent, user, channel, session, group_chat);
"""
# The fields of a scope that the shelf keeps, by their names: a later version may have more.
WHOSE = ("agent", "user", "channel", "session", "group_chat")
WORD = re.compile(r"[a-z0-9]+|[\u4e00-\u9fff]")


class ShelfStore:
    """A `Store`: anything with these six methods is one."""

    def __init__(self, workspace: Path, file: Path, redact: Callable[[str], str]) -> None:
        self.workspace, self.file, self.paths = workspace, file, MemoryPaths.of(workspace)
        self.redact = redact  # people write into the files what nothing has looked at
        self.lock = threading.Lock()
        file.parent.mkdir(parents=True, exist_ok=True)
        with closing(self.open()) as shelf:
            shelf.executescript(TABLES)

    def open(self) -> sqlite3.Connection:
        """Open the file for one call, in whatever thread that runs."""
        shelf = sqlite3.connect(self.file, timeout=5)
        shelf.execute("PRAGMA secure_delete = ON")  # what is forgotten for good leaves no bytes
        return shelf

    async def search(self, query: Query) -> SearchResult:
        """Return the memories that hold most words of the query."""
        return SearchResult(await asyncio.to_thread(self.find, query), Level.FULL_TEXT)

    async def read(self, hit_id: str) -> Hit | None:
        """Return one memory."""
        return next((hit for hit in await asyncio.to_thread(lambda: list(self.rows())) if hit.id == hit_id), None)

    def notify(self, path: Path) -> None:
        """Do nothing: every search looks at the files first, which is quick while there are few."""

    async def flush(self) -> None:
        """Take in what has changed."""
        await asyncio.to_thread(self.follow)

    def status(self) -> StoreStatus:
        """Say how much stands on the shelf."""
        return StoreStatus(Level.FULL_TEXT, documents=sum(1 for _ in self.rows()), reason="the shelf knows words only")

    async def close(self) -> None:
        """Do nothing: no connection outlives its call."""

    def find(self, query: Query) -> tuple[Hit, ...]:
        """Search, in a worker thread."""
        self.follow()
        words = set(WORD.findall(query.text.lower()))
        excluded = query.exclude_ids | query.exclude_records | hidden_records(self.paths)
        found = []
        for hit in self.rows():
            if hit.id in excluded or not passes(hit, query):
                continue
            if not query.text.strip():
                found.append(hit)
            elif share := len(words & set(WORD.findall(hit.text.lower()))) / max(1, len(words)):
                found.append(replace(hit, score=share, coverage=share))
        if not query.text.strip():
            return tuple(sorted(found, key=lambda hit: str(hit.time), reverse=True)[: query.limit])
        return tuple(sorted(found, key=lambda hit: (-hit.score, hit.id))[: query.limit])

    def rows(self) -> Iterator[Hit]:
        """Yield every memory of this workspace."""
        with closing(self.open()) as shelf:
            found = shelf.execute("SELECT * FROM memories WHERE workspace = ?", (str(self.workspace),)).fetchall()
        for _, key, text, path, line, time, origin, tags, *scope in found:
            source = "transcript" if path.endswith(".jsonl") else "note"
            when = datetime.fromisoformat(time)
            yield Hit(
                key,
                text,
                path,
                line,
                0.0,
                Origin(origin),
                Scope(**dict(zip(WHOSE, scope, strict=True))),
                when,
                source=source,
                tags=tuple(tags.split()),
            )

    def follow(self) -> bool:
        """Read the files that have changed since the last time, and let go of those that are no more."""
        files = [*self.paths.memory.glob("*.md"), *self.paths.sessions.glob("*.jsonl")]
        # Entries say whose they are in fields of their own, which this shelf does not know: they are not on it.
        files = [path for path in files if path.name != "ENTRIES.md"]
        stamps = {
            str(path.relative_to(self.workspace)): f"{path.stat().st_mtime_ns} {path.stat().st_size}" for path in files
        }
        with self.lock, closing(self.open()) as shelf, shelf:
            mine = (str(self.workspace),)
            known = dict(shelf.execute("SELECT path, stamp FROM files WHERE workspace = ?", mine).fetchall())
            changed = {path for path in known.keys() | stamps.keys() if known.get(path) != stamps.get(path)}
            for path in sorted(changed):
                for table in ("files", "memories"):
                    shelf.execute(f"DELETE FROM {table} WHERE workspace = ? AND path = ?", (*mine, path))
                if path in stamps:
                    shelf.execute("INSERT INTO files VALUES (?, ?, ?)", (*mine, path, stamps[path]))
                    rows = [(*mine, *row) for row in read(self.workspace, path, self.redact)]
                    shelf.executemany(f"INSERT INTO memories VALUES ({', '.join('?' * 13)})", rows)
        return bool(changed)


def passes(hit: Hit, query: Query) -> bool:
    """Say whether a memory may be among the hits: nobody else asks whose it is."""
    assert hit.time is not None
    tags = {tag.lower() for tag in query.tags}
    return (
        query.scope.allows(hit.scope)
        and (not query.origins or hit.origin in query.origins)
        and (not query.sources or hit.source in query.sources)
        and (query.since is None or hit.time >= query.since)
        and (query.until is None or hit.time <= query.until)
        and (not tags or any(f"{own.lower()}/".startswith(f"{tag}/") for own in hit.tags for tag in tags))
    )


def read(workspace: Path, path: str, redact: Callable[[str], str]) -> Iterator[tuple[str | int, ...]]:
    """Yield the rows of one memory file, for the columns of the table from `id` on."""
    file = workspace / path
    changed = datetime.fromtimestamp(file.stat().st_mtime, UTC)
    if file.suffix == ".jsonl":
        for line, data in enumerate(file.read_bytes().splitlines(), 1):
            if said := parse_transcript_line(data):
                at = (said.time or changed).isoformat()
                yield said.id or f"{path}:{line}", said.text, path, line, at, said.origin.value, "", *whose(said.scope)
        return
    for part in parse_notes(file.read_bytes()):
        key, when, origin, scope, tags = f"{path}:{part.line}", changed, Origin.USER, Scope(), ""
        if isinstance(part, NoteEntry):
            if not part.searchable:
                continue
            key, when, origin, scope = part.id or key, part.time, part.origin, part.scope
            text, tags = f"{part.tldr}\n{part.details}".strip(), " ".join(part.tags)
        else:
            text = redact(part.text.strip())
        if text:
            yield key, text, path, part.line, when.astimezone(UTC).isoformat(), origin.value, tags, *whose(scope)


def whose(scope: Scope) -> tuple[str, ...]:
    """Return the columns of a scope."""
    return tuple(getattr(scope, name) for name in WHOSE)


class Plugin:
    """What the entry point names. `tryfirst` puts it before the store that is installed with the set."""

    class Options(BaseModel):
        """Where the shelf stands."""

        model_config = ConfigDict(extra="forbid")
        file: str = Field(
            default="~/.cache/shelf.db", description="The SQLite file, for several workspaces if need be."
        )

    @hookimpl(tryfirst=True)
    def open_store(self, context: PluginContext[Options], **_: object) -> ShelfStore:
        """Open the shelf."""
        return ShelfStore(context.workspace, Path(context.options.file).expanduser(), context.redact_said)

    @hookimpl
    def on_purge(self, texts: tuple[str, ...], dry_run: bool, context: PluginContext, **_: object) -> Trace | None:
        """Follow the files, which are clean already."""
        if dry_run or not isinstance(context.store, ShelfStore):
            return None
        return Trace(context.store.file.name) if context.store.follow() else None
