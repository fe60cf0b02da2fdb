"""``nanobot-memory index``: bring the index up to date, or build it anew."""

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress

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
from nanobot_memory_plugins.core.protocols import VectorStore
from nanobot_memory_plugins.redaction.script.messages import Sentence, tr
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
        print_json(_json_answer(status))
    else:
        _show(status)
    if status.level is Level.MARKDOWN and status.pending_bytes:
        raise typer.Exit(1)


async def _index(folder: Path, config: MemoryConfig, *, rebuild: bool) -> StoreStatus:
    async with opened_store(folder, config) as store:
        local_store = getattr(store, "local", store)  # of a memory that other machines share
        if rebuild and isinstance(local_store, SqliteStore):
            await local_store.rebuild()
        with progress_bars(disable=not console(stderr=True).is_terminal) as progress:
            bar = _Bar(progress)
            await _watched(store.flush(), lambda: bar.reading(store.status()))
            if isinstance(store, VectorStore):
                await _watched(store.vectors_complete(), lambda: bar.embedding(store.status()))
        return store.status()


async def _watched(work: Coroutine[object, object, None], show: Callable[[], None]) -> None:
    """Wait for some work, and show again and again how far it is."""
    task = asyncio.ensure_future(work)
    while not (await asyncio.wait({task}, timeout=_LOOK_SECONDS))[0]:
        show()
    await task


class _Bar:
    """A progress bar on standard error: for the bytes that are read, then for the passages that are embedded."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._bar = progress.add_task("", visible=False)
        self._activity, self._most = "", 1.0

    def reading(self, status: StoreStatus) -> None:
        """Show how many bytes are still to be read."""
        self._show(Sentence("reading files"), status.pending_bytes)

    def embedding(self, status: StoreStatus) -> None:
        """Show how many passages wait for their vector, or that the model is not there yet."""
        if status.model:
            self._show(Sentence("embedding"), status.pending_vectors)
        else:
            self._show(Sentence("loading the model"), 1.0)

    def _show(self, activity: str, remaining: float) -> None:
        self._most = max(1.0, remaining, self._most if activity == self._activity else 0.0)
        self._activity = activity
        done = self._most - remaining
        self._progress.update(self._bar, description=tr(activity), total=self._most, completed=done, visible=True)


def _json_answer(status: StoreStatus) -> dict[str, object]:
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
