"""Keeps the search index outside of the workspace, in one SQLite file that the option `file` names.

The memory files stay the source of truth: the shelf follows them, and can be deleted at any time. It searches by words.
"""

import asyncio
import re
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

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
from nanobot_memory_plugins.core.files.paths import MemoryPaths, source_of
from nanobot_memory_plugins.core.files.reading import file_stamp, read_inside
from nanobot_memory_plugins.core.files.transcript import parse_transcript_line
from nanobot_memory_plugins.core.values import Trace

# The names of a scope's fields that the shelf stores. A later version may have more.
WHOSE = ("agent", "user", "channel", "session", "group_chat", "project")
COLUMNS = ("id", "text", "path", "line", "time", "origin", "speaker", "source", "tldr", "tags", *WHOSE)
TABLES = f"""
CREATE TABLE IF NOT EXISTS files (workspace, path, stamp, PRIMARY KEY (workspace, path));
CREATE TABLE IF NOT EXISTS memories (workspace, {", ".join(COLUMNS)});
"""
WORD = re.compile(r"[a-z0-9]+|[\u4e00-\u9fff]")


class ShelfStore:
    """A `Store`: any class with these six methods is one."""

    def __init__(self, workspace: Path, file: Path, redact: Callable[[str], str]) -> None:
        self.file, self.paths = file, MemoryPaths.of(workspace)
        self.redact = redact  # people may write unredacted text into the files
        self.lock = threading.Lock()
        file.parent.mkdir(parents=True, exist_ok=True)
        with closing(self.open()) as shelf:
            shelf.executescript(TABLES)

    def open(self) -> sqlite3.Connection:
        """Open the file for one call, in the thread of the call."""
        shelf = sqlite3.connect(self.file, timeout=5)
        shelf.execute("PRAGMA secure_delete = ON")  # purged text leaves no bytes in the file
        return shelf

    async def search(self, query: Query) -> SearchResult:
        """Return the memories with the most words of the query."""
        return SearchResult(await asyncio.to_thread(self.find, query), Level.FULL_TEXT)

    async def read(self, hit_id: str) -> Hit | None:
        """Return one memory."""
        return next((hit for hit in await asyncio.to_thread(lambda: list(self.rows())) if hit.id == hit_id), None)

    def notify(self, path: Path) -> None:
        """Do nothing, since every search checks the files first, which is quick while there are few."""

    async def flush(self) -> None:
        """Read the files that have changed."""
        await asyncio.to_thread(self.follow)

    def status(self) -> StoreStatus:
        """Report how many memories are on the shelf."""
        return StoreStatus(Level.FULL_TEXT, documents=sum(1 for _ in self.rows()), reason="the shelf knows words only")

    async def close(self) -> None:
        """Do nothing, since no connection outlives its call."""

    def find(self, query: Query) -> tuple[Hit, ...]:
        """Search, in a worker thread."""
        self.follow()
        words = set(WORD.findall(query.text.lower()))
        excluded = query.exclude_records | hidden_records(self.paths)
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
        read = f"SELECT {', '.join(COLUMNS)} FROM memories WHERE workspace = ?"
        with closing(self.open()) as shelf:
            found = shelf.execute(read, (str(self.paths.workspace),)).fetchall()
        yield from map(hit_of, found)

    def stamps(self) -> dict[str, str]:
        """Return a stamp for each memory file, by its path in the workspace, that changes with the file."""
        # Entries have their owner in fields that this shelf does not read, so they are left out.
        files = (path for path in self.paths.memory.rglob("*") if path != self.paths.entries)
        names = ((path, self.paths.relative(path)) for path in files)
        stamps = {name: file_stamp(path) for path, name in names if source_of(name)}
        return {name: str(stamp) for name, stamp in stamps.items() if stamp is not None}

    def follow(self) -> bool:
        """Read the files that have changed since the last call, and remove those that are gone."""
        with self.lock, closing(self.open()) as shelf, shelf:
            stamps, mine = self.stamps(), (str(self.paths.workspace),)
            known = dict(shelf.execute("SELECT path, stamp FROM files WHERE workspace = ?", mine).fetchall())
            changed = {path for path in known.keys() | stamps.keys() if known.get(path) != stamps.get(path)}
            for path in sorted(changed):
                for table in ("files", "memories"):
                    shelf.execute(f"DELETE FROM {table} WHERE workspace = ? AND path = ?", (*mine, path))
                if path not in stamps:
                    continue
                with suppress(OSError):  # deleted or unreadable: the next search tries again
                    rows = [(*mine, *row_of(hit)) for hit in self.read_file(path)]
                    shelf.execute("INSERT INTO files VALUES (?, ?, ?)", (*mine, path, stamps[path]))
                    shelf.executemany(f"INSERT INTO memories VALUES (?{', ?' * len(COLUMNS)})", rows)
        return bool(changed)

    def read_file(self, path: str) -> Iterator[Hit]:
        """Yield the memories of one file."""
        file, source = self.paths.workspace / path, source_of(path)
        data, changed = read_inside(file), datetime.fromtimestamp(file.stat().st_mtime, UTC)
        if source == "transcript":
            for number, line in enumerate(data.splitlines(), 1):
                if said := parse_transcript_line(line):
                    key, when = said.id or f"{path}:{number}", said.time or changed
                    hit = Hit(key, said.text, path, number, 0.0, said.origin, said.scope, when)
                    yield replace(hit, speaker=said.speaker, source=source)
            return
        for part in parse_notes(data):
            key = f"{path}:{part.line}"
            if not isinstance(part, NoteEntry):
                if text := self.redact(part.text.strip()):
                    yield Hit(key, text, path, part.line, 0.0, Origin.USER, Scope(), changed, source=source)
            elif part.searchable:
                tldr, text = part.tldr, f"{part.tldr}\n{part.details}".strip()
                if not part.id:  # text that a person wrote
                    tldr, text = self.redact(tldr), self.redact(text)
                hit = Hit(part.id or key, text, path, part.line, 0.0, part.origin, part.scope, part.time)
                kind = part.source if source == "note" else source
                yield replace(hit, source=kind, tldr=tldr, tags=part.tags)


def passes(hit: Hit, query: Query) -> bool:
    """Return whether a memory may be among the hits of a search with these filters."""
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


def row_of(hit: Hit) -> tuple[str | int, ...]:
    """Return a memory as the values of the columns."""
    assert hit.time is not None
    when, whose = hit.time.astimezone(UTC).isoformat(), (getattr(hit.scope, name) for name in WHOSE)
    about = (hit.origin.value, hit.speaker, hit.source, hit.tldr, "\n".join(hit.tags))
    return hit.id, hit.text, hit.path, hit.line, when, *about, *whose


def hit_of(row: tuple[Any, ...]) -> Hit:
    """Return a row as a memory."""
    values = dict(zip(COLUMNS, row, strict=True))
    scope = Scope(**{name: values.pop(name) for name in WHOSE})
    time, origin = datetime.fromisoformat(values.pop("time")), Origin(values.pop("origin"))
    tags = tuple(values.pop("tags").splitlines())
    return Hit(**values, score=0.0, time=time, origin=origin, tags=tags, scope=scope)


class Plugin:
    """The target of the entry point. `tryfirst` puts it before the set's own store."""

    class Options(BaseModel):
        """The location of the shelf."""

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
        """Read the files again, which are already purged."""
        if dry_run or not isinstance(context.store, ShelfStore):
            return None
        return Trace(context.store.file.name) if context.store.follow() else None
