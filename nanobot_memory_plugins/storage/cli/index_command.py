"""``nanobot-memory index``: bring the index up to date, or build it anew."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from nanobot_memory_plugins.core import Level, MemoryConfig, StoreStatus
from nanobot_memory_plugins.core.cli.console import console
from nanobot_memory_plugins.core.cli.open_store import opened_store, without_embeddings
from nanobot_memory_plugins.core.cli.options import (
    ConfigOption,
    JsonOption,
    WorkspaceOption,
    existing_workspace,
    print_json,
    read_configuration,
    run,
    warn,
)
from nanobot_memory_plugins.core.protocols import ModelReport, VectorStore
from nanobot_memory_plugins.redaction.script.messages import tr
from nanobot_memory_plugins.storage.cli.shown import progress_bars, show_level
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
    memory_config, problems = read_configuration(config)
    warn(problems)
    chosen = without_embeddings(memory_config) if no_embeddings else memory_config
    status = run(_index(existing_workspace(workspace), chosen, rebuild=rebuild))
    if as_json:
        print_json(_answer(status))
    else:
        _show(status)
    if status.level is Level.MARKDOWN and status.pending_bytes:
        raise typer.Exit(1)


async def _index(folder: Path, config: MemoryConfig, *, rebuild: bool) -> StoreStatus:
    async with opened_store(folder, config) as store:
        own = getattr(store, "local", store)  # of a memory that other machines share
        if rebuild and isinstance(own, SqliteStore):
            await own.rebuild()
        with _Bars() as bars:
            flushing = asyncio.ensure_future(store.flush())
            while not flushing.done():
                bars.reading(store.status())
                await asyncio.wait({flushing}, timeout=_LOOK_SECONDS)
            await flushing
            if isinstance(store, VectorStore):
                await store.vectors_complete(bars.embedding)
        return store.status()


class _Bars:
    """Two progress bars on standard error: bytes read, and passages embedded."""

    def __init__(self) -> None:
        self._progress = progress_bars(disable=not console(stderr=True).is_terminal)
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

    def embedding(self, status: StoreStatus, report: ModelReport) -> None:
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
        show_level(status, out)
