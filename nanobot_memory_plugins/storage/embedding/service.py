"""The embedder of a running host: loaded once per process, in the background, with a status meanwhile."""

import threading
from concurrent.futures import Future, wait
from dataclasses import dataclass, replace
from pathlib import Path
from weakref import WeakValueDictionary

from nanobot_memory_plugins.core.errors import NanobotMemoryError
from nanobot_memory_plugins.core.isolation.fork import at_fork, never_collect
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.protocols import Embedder
from nanobot_memory_plugins.redaction.script.messages import Sentence
from nanobot_memory_plugins.storage.embedding.catalogue import ModelOrigin, find_model
from nanobot_memory_plugins.storage.embedding.installation import cache_directory, install
from nanobot_memory_plugins.storage.options import EmbeddingOptions

# All workspaces of a process that use the same model share one copy of it.
_loaded: WeakValueDictionary[tuple[EmbeddingOptions, Path], Embedder] = WeakValueDictionary()
_loading_lock = threading.RLock()
# Seconds that a fork waits for a model that is being loaded: the child does not have the thread that loads it.
_FORK_SECONDS = 10.0
_locked_for_fork = False


def open_embedder(options: EmbeddingOptions) -> Embedder | None:
    """Load the configured model and return it ready to use, or None when embedding is turned off.

    It blocks, builds the built-in model if needed (seconds), and downloads nothing from a hub: call it in a worker
    thread, or use `EmbeddingService`. Raises `EmbeddingError` or `ConfigurationError`.
    """
    if options.provider == "none":
        return None
    if options.provider == "openai":
        from nanobot_memory_plugins.storage.embedding.remote_provider import RemoteEmbedder  # which needs tenacity

        return RemoteEmbedder(options)
    with _loading_lock:  # a fork waits for it: a half imported module would stay so in the child
        # Imported late: a search by words does not need it.
        from nanobot_memory_plugins.storage.embedding.local_provider import LocalEmbedder

        key = (options, cache_directory())
        embedder = _loaded.get(key)
        if embedder is None:
            model = find_model(options.model)
            if model.folder is None and model.origin is ModelOrigin.BUILTIN:
                model = replace(model, folder=install())
            embedder = _loaded[key] = LocalEmbedder(model, threads=options.threads, batch_size=options.batch_size)
    return embedder


def _before_fork() -> None:
    global _locked_for_fork
    _locked_for_fork = _loading_lock.acquire(timeout=_FORK_SECONDS)


def _after_fork() -> None:
    global _locked_for_fork
    if _locked_for_fork:
        _locked_for_fork = False
        _loading_lock.release()


def _reset_after_fork() -> None:
    """Drop the models in a forked process: their threads exist only in its parent."""
    global _loading_lock, _locked_for_fork
    _loading_lock, _locked_for_fork = threading.RLock(), False
    for embedder in list(_loaded.values()):
        never_collect(embedder)
    _loaded.clear()


at_fork(_reset_after_fork, before=_before_fork, in_parent=_after_fork)


@dataclass(frozen=True, slots=True)
class EmbeddingStatus:
    """The state of an `EmbeddingService` at one moment.

    ``model`` names the model that is ready; while it is empty ``reason`` and ``hint`` say why, and what helps.
    ``is_enabled`` tells whether a model is configured, ``is_loading`` whether it is being loaded or about to be.
    """

    model: str = ""
    reason: str = ""
    hint: str = ""
    is_enabled: bool = True
    is_loading: bool = False


class EmbeddingService:
    """Loads the configured embedder in a background thread, and has a status meanwhile.

    Starting it never raises: when a package, a model or a server is missing, its status has a reason and a hint, and
    search works without vectors. A model that is being built at `close` is finished for the next service.
    """

    def __init__(self, options: EmbeddingOptions) -> None:
        self._options = options
        self._start_lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._loaded: Future[Embedder | None] = Future()
        self._closed = False

    def start(self) -> None:
        """Begin to load the model in a daemon thread, unless this has begun, or the service is disabled or closed.

        After a failure it starts again: what was missing may have been installed.
        """
        with self._start_lock:
            is_busy = self._thread is not None and self._thread.is_alive()
            if is_busy or self._closed or self._options.provider == "none" or self.embedder is not None:
                return
            self._loaded = Future()
            self._thread = threading.Thread(
                target=self._load, args=(self._loaded,), name="nanobot-memory-embedding", daemon=True
            )
            self._thread.start()

    def wait(self, timeout: float | None = None) -> EmbeddingStatus:
        """Start loading, wait up to ``timeout`` seconds (None: no limit) for its end, and return the status.

        It blocks: from an event loop call it in a thread.
        """
        self.start()
        if self._thread is not None:
            wait({self._loaded}, timeout)
        return self.status()

    def is_on_disk(self) -> bool:
        """Return whether the model is on this machine, so that loading it only takes a moment. It reads the disk."""
        try:
            return self._options.provider == "fastembed" and find_model(self._options.model).folder is not None
        except NanobotMemoryError:
            return False

    def status(self) -> EmbeddingStatus:
        """Return the status of this moment."""
        if self._options.provider == "none" or self._closed:
            return EmbeddingStatus(reason=Sentence("Embedding is turned off."), is_enabled=False)
        loaded = self._loaded  # `start` may replace it
        if not loaded.done():
            return EmbeddingStatus(reason=Sentence("The embedding model is being loaded."), is_loading=True)
        if (embedder := self.embedder) is not None:
            return EmbeddingStatus(embedder.name)
        return EmbeddingStatus("", *_reason_and_hint(loaded.exception()))

    @property
    def embedder(self) -> Embedder | None:
        """The embedder once it is ready, else None."""
        loaded = self._loaded
        is_ready = loaded.done() and not self._closed and loaded.exception() is None
        return loaded.result() if is_ready else None

    def close(self, timeout: float = 5.0) -> None:
        """Release the model, and wait up to ``timeout`` seconds for the thread."""
        embedder, self._closed = self.embedder, True
        _close_embedder(embedder)
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout)

    def _load(self, loaded: "Future[Embedder | None]") -> None:
        try:
            embedder = open_embedder(self._options)
        except BaseException as error:  # even a panic of a native library must end the waiting
            logger.warning("No embedding, search is by words only: {} {}", *_reason_and_hint(error))
            loaded.set_exception(error)
            return
        loaded.set_result(embedder)
        if self._closed:
            _close_embedder(embedder)


def _reason_and_hint(error: BaseException | None) -> tuple[str, str]:
    if isinstance(error, NanobotMemoryError):
        return error.cause, error.hint
    return Sentence("The embedding model failed to load ({kind}).", kind=type(error).__name__), ""


def _close_embedder(embedder: Embedder | None) -> None:
    if close := getattr(embedder, "close", None):
        close()
