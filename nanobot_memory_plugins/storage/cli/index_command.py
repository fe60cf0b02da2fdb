"""``nanobot-memory index``: bring the index up to date, or build it anew."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from nanobot_memory_plugins.core import Level, StoreStatus
from nanobot_memory_plugins.core.cli.console import console, shown
from nanobot_memory_plugins.core.cli.options import ConfigOption, JsonOption, WorkspaceOption, print_json, run
from nanobot_memory_plugins.core.protocols import VectorStore
from nanobot_memory_plugins.redaction.script.messages import tr
from nanobot_memory_plugins.storage.cli.opening import failing_in_words, opened_shared, opened_store
from nanobot_memory_plugins.storage.embedding.service import EmbeddingStatus
from nanobot_memory_plugins.storage.store import SqliteStore

_LOOK_SECONDS = 0.2


def index(
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Empty the index first; the files hold all.")] = False,
    no_embeddings: Annotated[bool, typer.Option("--no-embeddings", help="Index the words only.")] = False,
    workspace: WorkspaceOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Bring the index up to date with the memory files, vectors included, and count what is in it.

    Of a memory that other machines share, the server gets what it does not have yet.
    """
    with failing_in_words(as_json):
        status = run(_index(workspace, config, rebuild=rebuild, embeddings=not no_embeddings))
    if as_json:
        print_json(_answer(status))
    else:
        _show(status)
    if status.level is Level.MARKDOWN and status.pending_bytes:
        raise typer.Exit(1)


async def _index(workspace: Path | None, config: Path | None, *, rebuild: bool, embeddings: bool) -> StoreStatus:
    async with opened_store(workspace, config, embeddings=embeddings) as store:
        with _Bars() as bars:
            if rebuild:
                await store.rebuild()
            await _read_files(store, bars)
            await store.vectors_complete(bars.embedding)
        status = await store.refreshed_status()
    async with opened_shared(workspace, config, embeddings=embeddings) as shared:
        if shared is None:
            return status
        await shared.flush()
        if isinstance(shared, VectorStore):
            await shared.vectors_complete(lambda _status, _report: None)
        return replace(
            status, unsent_bytes=shared.status().unsent_bytes, reason=shared.status().reason or status.reason
        )


async def _read_files(store: SqliteStore, bars: "_Bars") -> None:
    flushing = asyncio.ensure_future(store.flush())
    while not flushing.done():
        bars.reading(await store.refreshed_status())
        await asyncio.wait({flushing}, timeout=_LOOK_SECONDS)
    await flushing


class _Bars:
    """Two progress bars on standard error: bytes read, and passages embedded."""

    def __init__(self) -> None:
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TimeRemainingColumn(),
        )
        out = console(stderr=True, wraps=True)
        self._progress = Progress(*columns, console=out, disable=not out.is_terminal)
        self._reading = self._progress.add_task(tr("reading files"), visible=False)
        self._embedding = self._progress.add_task(tr("embedding"), visible=False)
        self._most_bytes = self._most_vectors = 0

    def __enter__(self) -> "_Bars":
        self._progress.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._progress.stop()

    def reading(self, status: StoreStatus) -> None:
        """Show how many bytes are still to be read."""
        self._most_bytes = max(self._most_bytes, status.pending_bytes)
        done = self._most_bytes - status.pending_bytes
        self._progress.update(self._reading, total=max(1, self._most_bytes), completed=done, visible=True)

    def embedding(self, status: StoreStatus, report: EmbeddingStatus) -> None:
        """Show how far the model, or the vectors, are."""
        self._progress.update(self._reading, completed=max(1, self._most_bytes))
        if report.is_loading:
            what = tr(report.activity or "loading the model")
            self._progress.update(self._embedding, description=what, total=1, completed=report.progress, visible=True)
        elif report.model:
            self._most_vectors = max(self._most_vectors, status.pending_vectors)
            self._progress.update(
                self._embedding,
                description=tr("embedding"),
                total=max(1, self._most_vectors),
                completed=max(1, self._most_vectors) - status.pending_vectors,
                visible=True,
            )


def _answer(status: StoreStatus) -> dict[str, object]:
    return {
        "ok": True,
        "documents": status.documents,
        "files": status.files,
        "vectors": status.vectors,
        "pending_bytes": status.pending_bytes,
        "pending_vectors": status.pending_vectors,
        **({"unsent_bytes": status.unsent_bytes} if status.unsent_bytes is not None else {}),
        "level": int(status.level),
        "model": status.model,
        "reason": status.reason,
        "hint": status.hint,
        "mend": status.hint,
    }


def _show(status: StoreStatus) -> None:
    out = console()
    if not status.files and status.level is not Level.MARKDOWN:
        out.print(tr("There are no memory files yet: they appear below memory/ as the agent remembers."))
    out.print(
        tr(
            "passages: {documents:,}, files: {files:,}, vectors: {vectors:,}",
            documents=status.documents,
            files=status.files,
            vectors=status.vectors,
        )
    )
    if status.pending_bytes:
        out.print(
            tr(
                "{pending_bytes:,} bytes could not be indexed; the log says which files.",
                pending_bytes=status.pending_bytes,
            )
        )
    if status.reason:
        out.print(
            tr(
                "[yellow]level {level}: {reason}[/yellow] {hint}",
                level=int(status.level),
                reason=shown(tr(status.reason)),
                hint=shown(tr(status.hint)),
            )
        )
