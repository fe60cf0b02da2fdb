"""The store's view of the embedding model, which may be missing with everything that it needs."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from nanobot_memory_plugins.core.protocols import Embedder
from nanobot_memory_plugins.redaction.script.messages import Sentence
from nanobot_memory_plugins.storage.embedding.options import EmbeddingOptions

if TYPE_CHECKING:
    from nanobot_memory_plugins.storage.embedding.service import EmbeddingService


@dataclass(frozen=True, slots=True)
class EmbeddingReport:
    """How the model stands.

    ``reason`` and ``hint`` say why there is none; ``wanted`` is false when none is asked for.
    """

    model: str = ""
    loading: bool = False
    wanted: bool = True
    progress: float = 0.0
    activity: str = ""
    reason: str = ""
    hint: str = ""


class EmbeddingAccess:
    """An `EmbeddingService`, or the reason why there can be none on this machine."""

    def __init__(self, options: EmbeddingOptions) -> None:
        self._service: EmbeddingService | None = None
        self._missing = ""
        self._started = self._closed = False
        self._wanted = options.provider != "none"
        if not self._wanted:
            return
        try:
            from nanobot_memory_plugins.storage.embedding import service
        except ImportError as error:
            self._missing = error.name or type(error).__name__
        else:
            self._service = service.EmbeddingService(options)

    @property
    def embedder(self) -> Embedder | None:
        """The model, once it is ready."""
        return self._service.embedder if self._service is not None else None

    def start(self) -> None:
        """Begin to load the model in the background. Loading it twice does no harm."""
        if self._service is not None and not self._closed:
            self._started = True
            self._service.start()

    def wait(self, timeout: float) -> EmbeddingReport:
        """Wait (seconds) while the model is loading, in a worker thread, and report."""
        self.start()
        if self._service is not None:
            self._service.wait(timeout)
        return self.report()

    def is_here(self) -> bool:
        """Tell whether the model stands on this machine, so that it has only to be loaded. It reads the disk."""
        return self._service is not None and self._service.is_here()

    def wait_if_here(self, timeout: float) -> bool:
        """Wait as `wait` does where the model has only to be loaded, and say whether it is ready."""
        if self.is_here():
            self.wait(timeout)
        return self.embedder is not None

    def report(self) -> EmbeddingReport:
        """Say how the model stands now."""
        if not self._wanted:
            return EmbeddingReport(wanted=False, reason=Sentence("Embedding is turned off."))
        if self._service is None:
            return EmbeddingReport(
                reason=Sentence("The package {name} cannot be imported.", name=self._missing),
                hint='Install it with: pip install "nanobot-memory-storage[embedding]"',
            )
        status = self._service.status()
        loading = status.state.value == "loading" or not self._started
        reason = status.reason
        if loading:
            reason = Sentence("The embedding model is being loaded.")
        return EmbeddingReport(
            model=status.model,
            loading=loading,
            progress=status.progress,
            activity=status.activity,
            reason=reason,
            hint=status.hint,
        )

    def close(self) -> None:
        """Let the model go and end its thread."""
        self._closed = True
        if self._service is not None:
            self._service.close()
