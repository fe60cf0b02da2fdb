"""Embedding on this machine: the built-in model by itself, all others with fastembed (onnxruntime)."""

import hashlib
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nanobot_memory_plugins.core.errors import EmbeddingError
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.redaction.script.messages import Sentence
from nanobot_memory_plugins.storage.embedding.catalogue import Model, ModelOrigin, missing, pooling_of
from nanobot_memory_plugins.storage.embedding.installation import MAXIMUM_TOKENS, extra_missing
from nanobot_memory_plugins.storage.embedding.vectors import embeddable, unit_vectors

if TYPE_CHECKING:
    from fastembed import TextEmbedding

    from nanobot_memory_plugins.storage.embedding.builtin_engine import BuiltinEngine

    Engine = TextEmbedding | BuiltinEngine
import atexit
from collections.abc import Iterator
from contextlib import contextmanager

from nanobot_memory_plugins.core.isolation.fork import at_fork

# Seconds that the end of the process waits: a model loads in far less, and what hangs must not hold it for ever.
_LONGEST_WAIT = 60.0


class NativeCalls:
    """The calls that run at this moment. Any thread may make them."""

    def __init__(self) -> None:
        self.begin_anew()

    def begin_anew(self) -> None:
        """Know of no call: those of the process from which this one was forked off are not here."""
        self._changed = threading.Condition()
        self._running = 0
        self._ended = False

    @contextmanager
    def one(self) -> Iterator[None]:
        """Make one call inside. Raises `EmbeddingError` once the process ends."""
        with self._changed:
            if self._ended:
                raise EmbeddingError(Sentence("The process is ending."))
            self._running += 1
        try:
            yield
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify_all()

    def end(self, timeout: float = _LONGEST_WAIT) -> bool:
        """Let no further call begin, wait (seconds) for those that run, and return whether all have come back."""
        with self._changed:
            self._ended = True
            return self._changed.wait_for(lambda: not self._running, timeout)


native_calls = NativeCalls()
at_fork(native_calls.begin_anew)
atexit.register(native_calls.end)


# Longer texts are cut before they are tokenised: no model reads further (8,192 tokens at most), and
# tokenising a pasted megabyte takes a second.
MAXIMUM_CHARACTERS = 65_536
_HASH_BLOCK = 1 << 20
# fastembed's registry of own models is global and not locked.
_registry_lock = threading.Lock()


class FastembedEmbedder:
    """An embedder over a model on this machine. Any thread may call it once it is loaded.

    ``threads`` limits the cores that one call uses. Texts go to the model sorted by length in batches of
    ``batch_size``: padding is what long mixed batches spend most of their time and memory on. ``pooling``
    says how a folder's model gets from tokens to a text (``auto``: as the folder says, else the mean).
    """

    def __init__(
        self,
        model: Model,
        *,
        asked_for: str | None = None,
        threads: int | None = None,
        batch_size: int = 16,
        pooling: str = "auto",
    ) -> None:
        if model.folder is None:
            raise missing(model, asked_for or model.name)
        self._model = model
        self._folder = model.folder
        self._threads = threads
        self._batch_size = batch_size
        self._pooling = pooling
        self._loading = threading.Lock()
        self._engine: Engine | None = None
        self._name = model.name
        self._dimension = 0

    def load(self) -> None:
        """Load the model and run it once, which tells its dimension. Loading again does nothing.

        It takes a quarter of a second for the built-in model, some of it with the interpreter's lock
        held: call it in a worker thread at start. Raises `EmbeddingError`.
        """
        with self._loading:
            if self._engine is not None:
                return
            try:
                # What is not finite is refused by unit_vectors.
                with native_calls.one(), np.errstate(all="ignore"):
                    engine = self._construct()
                    probe = unit_vectors(list(engine.embed(["probe"])), source=self._model.name)
            except ImportError as error:
                raise extra_missing(error) from error
            except EmbeddingError:
                raise
            except Exception as error:  # onnxruntime and tokenizers have no common base of their errors
                raise EmbeddingError(
                    Sentence(
                        "The model in {folder} cannot be loaded ({kind}).",
                        folder=self._folder,
                        kind=type(error).__name__,
                    ),
                    hint="Check its files, or fetch it again with: nanobot-memory models pull",
                ) from error
            self._dimension = len(probe[0])
            self._name = self._identity()
            self._engine = engine
            logger.debug("Loaded the embedding model {} ({} dimensions)", self._name, self._dimension)

    @property
    def name(self) -> str:
        """The model and what distinguishes its vectors: a version, a revision, or a hash of its files."""
        return self._name

    @property
    def dimension(self) -> int:
        """Numbers in a vector, as the model gave them. Raises `EmbeddingError` before it is loaded."""
        self._loaded()
        return self._dimension

    def encode(self, texts: str | Sequence[str]) -> list[list[float]]:
        """Return one vector of unit length a text, in order; a single string counts as a list of one.

        Raises `EmbeddingError` when the model is not loaded or fails.
        """
        engine = self._loaded()
        batch = [texts] if isinstance(texts, str) else texts
        # The bytes of UTF-8 tell the number of tokens for Chinese and English alike, characters do not.
        prepared = [embeddable(text[:MAXIMUM_CHARACTERS]) for text in batch]
        order = sorted(range(len(prepared)), key=lambda place: len(prepared[place].encode()))
        vectors: list[list[float]] = [[]] * len(prepared)
        for start in range(0, len(order), self._batch_size):
            places = order[start : start + self._batch_size]
            try:
                with native_calls.one(), np.errstate(all="ignore"):  # what is not finite is refused below
                    rows = list(engine.embed([prepared[place] for place in places], batch_size=len(places)))
            except EmbeddingError:
                raise
            except Exception as error:  # onnxruntime and tokenizers have no common base of their errors
                raise EmbeddingError(
                    Sentence("The embedding model {name} failed ({kind}).", name=self._name, kind=type(error).__name__)
                ) from error
            encoded = unit_vectors(
                rows, source=Sentence("The model {name}", name=self._name), dimension=self._dimension
            )
            for place, vector in zip(places, encoded, strict=True):
                vectors[place] = vector
        return vectors

    def _loaded(self) -> "Engine":
        engine = self._engine
        if engine is None:
            raise EmbeddingError(Sentence("The embedding model {name} is not loaded yet.", name=self._model.name))
        return engine

    def _construct(self) -> "Engine":
        if self._model.origin is ModelOrigin.BUILTIN and self._pooling in ("auto", "none"):
            from nanobot_memory_plugins.storage.embedding.builtin_engine import BuiltinEngine

            return BuiltinEngine(self._folder, threads=self._threads, most=MAXIMUM_TOKENS)
        from fastembed import TextEmbedding

        # Without local_files_only fastembed asks the hub, and sleeps 39 s when it is out of reach.
        engine = TextEmbedding(
            self._model.hub.name if self._model.hub and self._pooling == "auto" else self._register(),
            specific_model_path=str(self._folder),
            local_files_only=True,
            threads=self._threads,
            lazy_load=True,
        )
        # What fastembed asks for further options of the session before it opens it.
        engine.model.add_extra_session_options = _without_idle_spinning  # type: ignore[attr-defined]
        return engine

    def _register(self) -> str:
        """Tell fastembed of a model that is not in its catalogue, once, and return its name there."""
        from fastembed import TextEmbedding
        from fastembed.common.model_description import ModelSource, PoolingType

        pooling = self._pooling
        if pooling == "auto":
            if self._model.origin is ModelOrigin.BUILTIN or self._gives_one_vector():
                pooling = "none"
            else:
                pooling = pooling_of(self._folder) or "mean"
        place = f"{self._folder}|{self._model.graph_file}|{pooling}"
        name = f"nanobot-memory/{hashlib.sha256(place.encode()).hexdigest()[:16]}"
        types = {"none": "DISABLED", "cls": "CLS", "mean": "MEAN", "last": "LAST_TOKEN"}
        with _registry_lock:
            if not any(known["model"] == name for known in TextEmbedding.list_supported_models()):
                TextEmbedding.add_custom_model(
                    model=name,
                    pooling=PoolingType[types[pooling]],
                    normalization=True,
                    sources=ModelSource(hf=name),  # required, and never asked: the folder is given
                    dim=1,  # required; the real one is probed
                    model_file=self._model.graph_file,
                )
        return name

    def _gives_one_vector(self) -> bool:
        from nanobot_memory_plugins.storage.embedding.onnx_model import output_rank

        return output_rank(self._folder / self._model.graph_file) == 2

    def _identity(self) -> str:
        if self._model.origin is ModelOrigin.BUILTIN:
            return self._model.name  # the name carries its version
        if self._model.origin is ModelOrigin.HUB:
            return f"{self._model.name}@{self._folder.name[:12]}"  # the snapshot's revision
        digest = hashlib.sha256(self._pooling.encode())
        graph = self._folder / self._model.graph_file
        # The graph's weights may lie beside it, in files of its name.
        for path in sorted({*graph.parent.glob(f"{graph.stem}*"), *self._folder.glob("tokenizer*.json")}):
            digest.update(path.name.encode())
            _update_from_file(digest, path)
        return f"folder@{digest.hexdigest()[:12]}"


def _without_idle_spinning(options: Any, _extra: object) -> None:
    """Let onnxruntime's threads rest between two runs.

    They spin as they wait for the next one, each for as long as the rest of a search takes.
    """
    options.add_session_config_entry("session.force_spinning_stop", "1")


def _update_from_file(digest: "hashlib._Hash", path: Path) -> None:
    with path.open("rb") as file:
        while block := file.read(_HASH_BLOCK):
            digest.update(block)
