"""Loading the configured embedder, once a process, and leaving it alone in a process that was forked off."""

import sys
import threading
from dataclasses import replace
from pathlib import Path
from weakref import WeakValueDictionary

from nanobot_memory_plugins.core.isolation.fork import around_fork, at_fork, leave_libraries_to_parent, leave_to_parent
from nanobot_memory_plugins.core.protocols import Embedder
from nanobot_memory_plugins.redaction.script.messages import Sentence
from nanobot_memory_plugins.storage.embedding.catalogue import ModelOrigin, find
from nanobot_memory_plugins.storage.embedding.fastembed_provider import FastembedEmbedder
from nanobot_memory_plugins.storage.embedding.installation import Progress, install
from nanobot_memory_plugins.storage.embedding.locations import cache_directory
from nanobot_memory_plugins.storage.embedding.options import EmbeddingOptions
from nanobot_memory_plugins.storage.embedding.remote_provider import RemoteEmbedder

# Every workspace of a process that uses the same model shares one copy of it in memory.
_loaded: WeakValueDictionary[tuple[EmbeddingOptions, Path], FastembedEmbedder] = WeakValueDictionary()
_loading = threading.RLock()
# Seconds that a fork waits for a model that is being loaded: in the child nobody would go on with that.
_FORK_SECONDS = 10.0
_held_for_fork = False


def _before_fork() -> None:
    global _held_for_fork
    _held_for_fork = _loading.acquire(timeout=_FORK_SECONDS)


def _after_fork() -> None:
    global _held_for_fork
    if _held_for_fork:
        _held_for_fork = False
        _loading.release()


def _begin_anew() -> None:
    """Have no model in a process that was forked off: the threads that compute with it stay with the other one."""
    global _loading, _held_for_fork
    _loading, _held_for_fork = threading.RLock(), False
    for embedder in list(_loaded.values()):
        leave_to_parent(embedder)
    _loaded.clear()
    if "onnxruntime" in sys.modules:
        leave_libraries_to_parent()


around_fork(_before_fork, _after_fork)
at_fork(_begin_anew)


def open_embedder(options: EmbeddingOptions, progress: Progress | None = None) -> Embedder | None:
    """Load the configured model and return it ready to use, or None when embedding is turned off.

    Builds the built-in model when it is not there yet (seconds), fetches nothing from a hub, and blocks:
    call it in a worker thread or use `EmbeddingService`. Raises `EmbeddingError` or `ConfigurationError`.
    """
    if options.provider == "none":
        return None
    if options.provider == "openai":
        remote = RemoteEmbedder(options)
        remote.load()
        return remote
    with _loading:
        key = (options, cache_directory())
        embedder = _loaded.get(key)
        if embedder is None:
            embedder = _open_fastembed(options, progress)
            _loaded[key] = embedder
    return embedder


def _open_fastembed(options: EmbeddingOptions, progress: Progress | None) -> FastembedEmbedder:
    model = find(options.model)
    if model.origin is ModelOrigin.BUILTIN:
        model = replace(model, folder=install(progress))
    embedder = FastembedEmbedder(
        model,
        asked_for=options.model,
        threads=options.threads,
        batch_size=options.batch_size,
        pooling=options.pooling,
    )
    if progress is not None:
        progress(1.0, Sentence("loading the model"))
    embedder.load()
    return embedder
