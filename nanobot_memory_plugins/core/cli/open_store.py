"""Opening the store of the installed plugins without starting the other plugins."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from nanobot_memory_plugins.core.cli.repair import finish_erasure
from nanobot_memory_plugins.core.config.models import MemoryConfig
from nanobot_memory_plugins.core.config.names import STANDARD_PLUGINS
from nanobot_memory_plugins.core.errors import StoreError
from nanobot_memory_plugins.core.host.plugin_set import PluginSet
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.protocols import Store, VectorStore

# Seconds for a plugin to open its store (a command waits longer than a host does), and for the index to catch up.
_OPEN_SECONDS = 300.0
_SETTLE_SECONDS = 20.0
# The standard plugins that open no store.
_WITHOUT_STORE = frozenset(STANDARD_PLUGINS) - {"storage"}


@asynccontextmanager
async def opened_store(
    workspace: Path, config: MemoryConfig, *, embeddings: bool = True, settles: bool = True
) -> AsyncIterator[Store]:
    """Open the store of a workspace, after finishing an interrupted purge.

    With ``settles`` it waits some seconds until everything is indexed and has its vector. If indexing fails, the log
    says so, and the store searches the files themselves. Raises `StoreError` if no plugin provides a store.
    """
    core = config.core.model_copy(update={"start_limit": _OPEN_SECONDS})
    others = {name: {"enabled": False} for name in _WITHOUT_STORE}
    with_store = config if embeddings else _without_embeddings(config)
    changed = with_store.model_copy(update={"core": core, "plugins": {**with_store.plugins, **others}})
    await run_in_daemon_thread(lambda: finish_erasure(workspace, config))
    async with PluginSet(workspace, config=changed) as plugins:
        store = plugins.required_store()
        if settles:
            with suppress(TimeoutError, StoreError):
                async with asyncio.timeout(_SETTLE_SECONDS):
                    await store.flush()
                    if isinstance(store, VectorStore):
                        await store.vectors_complete()
        yield store


def _without_embeddings(config: MemoryConfig) -> MemoryConfig:
    """Return the configuration for a search by words alone, with this project's storage plugin."""
    replaced = {"embedding_provider", "embeddingProvider"}
    storage = {name: value for name, value in config.plugins.get("storage", {}).items() if name not in replaced}
    return config.model_copy(
        update={"plugins": {**config.plugins, "storage": {**storage, "embedding_provider": "none"}}}
    )
