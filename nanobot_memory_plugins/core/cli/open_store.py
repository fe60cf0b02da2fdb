"""Opening the store that the installed plugins bring, and nothing else of them."""

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

# Seconds for a plugin to open its store: a command waits longer than a host does.
_OPEN_SECONDS = 300.0
_PATIENCE = 20.0
# The plugins of this set that open no store.
_WITHOUT_STORE = frozenset(STANDARD_PLUGINS) - {"storage"}


@asynccontextmanager
async def opened_store(
    workspace: Path, config: MemoryConfig, *, embeddings: bool = True, settles: bool = True
) -> AsyncIterator[Store]:
    """Open the store of a workspace; what a purge left undone is finished first.

    It ``settles``: for some seconds it is waited until everything is indexed, and has its vector. An indexing that
    fails says so in the log, and the files are searched themselves. Raises `StoreError` when no plugin brings a store.
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
                async with asyncio.timeout(_PATIENCE):
                    await store.flush()
                    if isinstance(store, VectorStore):
                        await store.vectors_complete()
        yield store


def _without_embeddings(config: MemoryConfig) -> MemoryConfig:
    """Return the configuration for a search by words alone. The names are those of our storage plugin."""
    replaced = {"embedding_provider", "embeddingProvider"}
    storage = {name: value for name, value in config.plugins.get("storage", {}).items() if name not in replaced}
    return config.model_copy(
        update={"plugins": {**config.plugins, "storage": {**storage, "embedding_provider": "none"}}}
    )
