"""What the index's commands have in common: opening the store as the configuration says, and failing in words."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import typer

from nanobot_memory_plugins.core import ConfigurationError, NanobotMemoryError, Store, SystemClock
from nanobot_memory_plugins.core.cli.console import say_error
from nanobot_memory_plugins.core.cli.exit_codes import exit_status
from nanobot_memory_plugins.core.cli.open_store import is_shared, without_embeddings
from nanobot_memory_plugins.core.cli.open_store import opened_store as open_store
from nanobot_memory_plugins.core.cli.options import existing_workspace, print_json, read_configuration, warn
from nanobot_memory_plugins.core.cli.repair import repair_memory
from nanobot_memory_plugins.core.config.options import plugin_options
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.redaction.contact_redaction import ContactRedaction
from nanobot_memory_plugins.storage.options import StorageOptions
from nanobot_memory_plugins.storage.store import SqliteStore


@asynccontextmanager
async def opened_store(workspace: Path | None, config: Path | None, *, embeddings: bool) -> AsyncIterator[SqliteStore]:
    """Open the store of a workspace; its configuration's problems, and what was repaired, go to standard error.

    Raises `StoreError` when there is no such workspace, and `ConfigurationError` when the plugin is turned off.
    """
    folder = existing_workspace(workspace)
    configuration, problems = read_configuration(config)
    options, more = plugin_options(configuration, "storage", StorageOptions)
    warn([*problems, *more])
    if not configuration.enabled("storage"):
        raise ConfigurationError(
            "The storage plugin is turned off.", hint="Set memoryPlugins.storage.enabled to true in the configuration."
        )
    chosen = options if isinstance(options, StorageOptions) else StorageOptions()
    if not embeddings:
        chosen = chosen.model_copy(update={"embedding_provider": "none"})
    await run_in_daemon_thread(lambda: repair_memory(folder, configuration))
    redaction = ContactRedaction(configuration.redaction.contacts)
    store = await SqliteStore.open(folder, chosen, SystemClock(), redact=redaction.of_people)
    try:
        yield store
    finally:
        await store.close()


@asynccontextmanager
async def opened_shared(
    workspace: Path | None, config: Path | None, *, embeddings: bool
) -> AsyncIterator[Store | None]:
    """Open the store that other machines share; None where this memory is this machine's alone.

    Raises `StoreError` when there is no such workspace.
    """
    configuration, problems = read_configuration(config)
    if not is_shared(configuration):
        yield None
        return
    warn(problems)
    async with open_store(
        existing_workspace(workspace), configuration if embeddings else without_embeddings(configuration)
    ) as store:
        yield store


@contextmanager
def failing_in_words(as_json: bool) -> Iterator[None]:
    """Turn this project's errors into a message, or a JSON object, and an exit status."""
    try:
        yield
    except NanobotMemoryError as error:
        if as_json:
            print_json({"ok": False, "error": error.cause, "hint": error.hint, "mend": error.hint})
        else:
            say_error(error)
        raise typer.Exit(exit_status(error)) from error
