"""``nanobot-memory index``: brings the index up to date, or rebuilds it."""

from dataclasses import fields
from pathlib import Path
from typing import Annotated

import typer

from nanobot_memory_plugins.core import Level, MemoryConfig, StoreStatus
from nanobot_memory_plugins.core.cli.console import console
from nanobot_memory_plugins.core.cli.open_store import opened_store
from nanobot_memory_plugins.core.cli.options import (
    ConfigOption,
    JsonOption,
    WorkspaceOption,
    configuration_of,
    existing_workspace,
    print_json,
    run,
)
from nanobot_memory_plugins.core.cli.plain import say
from nanobot_memory_plugins.core.protocols import VectorStore
from nanobot_memory_plugins.redaction.script.messages import tr
from nanobot_memory_plugins.storage.cli.search_command import show_level
from nanobot_memory_plugins.storage.store import SqliteStore


def index(
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Empty the index first; the files contain everything.")
    ] = False,
    no_embeddings: Annotated[bool, typer.Option("--no-embeddings", help="Index the words only.")] = False,
    workspace: WorkspaceOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Bring the index up to date with the memory files, vectors included, and count what is in it.

    If the memory is shared with other machines, the server gets what it does not have yet.
    """
    folder = existing_workspace(workspace)
    status = run(_index(folder, configuration_of(config), rebuild=rebuild, embeddings=not no_embeddings))
    if as_json:
        values = {field.name: getattr(status, field.name) for field in fields(status)}
        print_json({"ok": True, **values, "level": int(status.level)})
    else:
        _show(status)
    if status.level is Level.MARKDOWN:
        raise typer.Exit(1)


async def _index(folder: Path, config: MemoryConfig, *, rebuild: bool, embeddings: bool) -> StoreStatus:
    async with opened_store(folder, config, embeddings=embeddings, settles=False) as store:
        local_store = getattr(store, "local", store)  # a shared store has a local one
        if rebuild and isinstance(local_store, SqliteStore):
            await local_store.rebuild()
        with console(stderr=True).status(tr("indexing")):
            await store.flush()
            if isinstance(store, VectorStore):
                await store.vectors_complete()
        return store.status()


def _show(status: StoreStatus) -> None:
    if not status.files and status.level is not Level.MARKDOWN:
        say(tr("There are no memory files yet: they appear below memory/ as the agent remembers."))
    counts = {"documents": status.documents, "files": status.files, "vectors": status.vectors}
    say(tr("passages: {documents:,}, files: {files:,}, vectors: {vectors:,}", **counts))
    if status.pending_bytes:
        left = "{pending_bytes:,} bytes could not be indexed; the log says which files."
        say(tr(left, pending_bytes=status.pending_bytes))
    if status.reason:
        show_level(status)
