"""The embedder of a running host: loaded in the background, and open about what it is doing.

It may be missing with everything that it needs: nothing here imports numpy or an engine before a service is made.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from nanobot_memory_plugins.core.errors import EmbeddingError, NanobotMemoryError
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.protocols import Embedder
from nanobot_memory_plugins.redaction.script.messages import Sentence
from nanobot_memory_plugins.storage.embedding.locations import EXTRA_HINT
from nanobot_memory_plugins.storage.embedding.options import EmbeddingOptions


class EmbeddingState(StrEnum):
    """What an `EmbeddingService` is doing."""

    DISABLED = "disabled"
    LOADING = "loading"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class EmbeddingStatus:
    """A moment of an `EmbeddingService`.

    ``progress`` (0 to 1) and ``activity`` tell how far loading is; ``reason`` and ``hint`` why it failed and
    what helps; ``model`` and ``dimension`` are set once it is ready.
    """

    state: EmbeddingState
    model: str = ""
    dimension: int = 0
    progress: float = 0.0
    activity: str = ""
    reason: str = ""
    hint: str = ""

    @property
    def is_wanted(self) -> bool:
        """Whether an embedder is asked for at all."""
        return self.state is not EmbeddingState.DISABLED

    @property
    def is_loading(self) -> bool:
        """Whether it is being loaded, or waits to be."""
        return self.state is EmbeddingState.LOADING


class _StoppedError(Exception):
    """The service was closed while it loaded."""


class EmbeddingService:
    """Loads the configured embedder in a background thread and answers for it meanwhile.

    It never raises while it starts: a missing package, model or server leaves it in the state ``failed``
    with a reason and a hint, and search goes on without vectors. `close` ends the thread.
    """

    def __init__(self, options: EmbeddingOptions) -> None:
        self._options = options
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._embedder: Embedder | None = None
        self._closed = False
        self._status = _loading(0.0, Sentence("not started"))
        if options.provider == "none":
            self._status = EmbeddingStatus(EmbeddingState.DISABLED, reason=Sentence("Embedding is turned off."))
            return
        try:
            from nanobot_memory_plugins.storage.embedding import opening  # noqa: F401
        except ImportError as error:
            name = error.name or type(error).__name__
            missing = Sentence("The package {name} cannot be imported.", name=name)
            self._status = EmbeddingStatus(EmbeddingState.FAILED, reason=missing, hint=EXTRA_HINT)

    def start(self) -> None:
        """Begin to load, in a daemon thread. Does nothing when it has begun, is disabled or closed.

        A service that failed is started again: what was missing may be there now.
        """
        with self._changed:
            busy = self._thread is not None and self._thread.is_alive()
            if busy or self._closed or self._status.state in (EmbeddingState.DISABLED, EmbeddingState.READY):
                return
            self._status = _loading(0.0, Sentence("starting"))
            self._thread = threading.Thread(target=self._load, name="nanobot-memory-embedding", daemon=True)
            self._thread.start()

    def wait(self, timeout: float | None = None) -> EmbeddingStatus:
        """Start it, wait (seconds, or for ever) until it is no longer loading, and return the status then.

        It blocks: from an event loop call it in a thread.
        """
        self.start()
        with self._changed:
            if self._thread is not None:
                self._changed.wait_for(
                    lambda: self._closed or self._status.state is not EmbeddingState.LOADING, timeout
                )
            return self._status

    def is_here(self) -> bool:
        """Tell whether the model stands on this machine, so that loading it takes a moment. It reads the disk."""
        try:
            from nanobot_memory_plugins.storage.embedding.catalogue import find

            return self._options.provider == "fastembed" and find(self._options.model).folder is not None
        except (ImportError, NanobotMemoryError):
            return False

    def wait_if_here(self, timeout: float) -> bool:
        """Wait as `wait` does where the model has only to be loaded, and say whether it is ready."""
        if self.is_here():
            self.wait(timeout)
        return self.embedder is not None

    def status(self) -> EmbeddingStatus:
        """Return the status of this moment."""
        with self._changed:
            return self._status

    @property
    def embedder(self) -> Embedder | None:
        """The embedder when it is ready, else None."""
        return self._embedder

    def encode(self, texts: str | Sequence[str]) -> list[list[float]]:
        """Return one vector a text, as `Embedder.encode`. Raises `EmbeddingError` unless it is ready."""
        embedder = self._embedder
        if embedder is None:
            status = self.status()
            reason = status.reason or Sentence("Embedding is {value}.", value=status.state.value)
            raise EmbeddingError(reason, hint=status.hint)
        return embedder.encode(texts)

    def close(self, timeout: float = 5.0) -> None:
        """Stop loading, let the model go and wait up to ``timeout`` seconds for the thread."""
        with self._changed:
            self._closed = True
            embedder, self._embedder = self._embedder, None
            if self._status.state is not EmbeddingState.DISABLED:
                self._status = EmbeddingStatus(EmbeddingState.DISABLED, activity="closed")
            self._changed.notify_all()
        _let_go(embedder)
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout)

    def _load(self) -> None:
        try:
            from nanobot_memory_plugins.storage.embedding.opening import open_embedder

            embedder = open_embedder(self._options, self._report)
        except _StoppedError:
            return
        except NanobotMemoryError as error:
            self._fail(error.cause, error.hint)
        except BaseException as error:  # a library's panic must not leave the host waiting for ever
            self._fail(Sentence("The embedding model failed to load ({kind}).", kind=type(error).__name__), "")
        else:
            self._succeed(embedder)

    def _succeed(self, embedder: Embedder | None) -> None:
        with self._changed:
            if not self._closed and embedder is not None:
                self._embedder = embedder
                self._status = EmbeddingStatus(
                    EmbeddingState.READY, model=embedder.name, dimension=embedder.dimension, progress=1.0
                )
                self._changed.notify_all()
                return
        _let_go(embedder)

    def _fail(self, reason: str, hint: str) -> None:
        with self._changed:
            if self._closed:
                return
            logger.warning("No embedding, search is by words only: {} {}", reason, hint)
            self._status = EmbeddingStatus(EmbeddingState.FAILED, reason=reason, hint=hint)
            self._changed.notify_all()

    def _report(self, progress: float, activity: str) -> None:
        with self._changed:
            if self._closed:
                raise _StoppedError
            self._status = _loading(progress, activity)


def _loading(progress: float, activity: str) -> EmbeddingStatus:
    reason = Sentence("The embedding model is being loaded.")
    return EmbeddingStatus(EmbeddingState.LOADING, progress=progress, activity=activity, reason=reason)


def _let_go(embedder: Embedder | None) -> None:
    """Close the connections of an embedder that has some."""
    if close := getattr(embedder, "close", None):
        close()
