"""Embedding on this machine: the built-in model, and all others with fastembed (onnxruntime)."""

import atexit
import hashlib
import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nanobot_memory_plugins.core.errors import EmbeddingError
from nanobot_memory_plugins.core.isolation.fork import at_fork
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.text.markdown import clean_markdown
from nanobot_memory_plugins.redaction.script.messages import Sentence
from nanobot_memory_plugins.storage.embedding.catalogue import Model, ModelOrigin
from nanobot_memory_plugins.storage.embedding.installation import missing_extra_error

if TYPE_CHECKING:
    from fastembed import TextEmbedding

    from nanobot_memory_plugins.storage.embedding.builtin_model import BuiltinModel

    Engine = TextEmbedding | BuiltinModel

# Seconds that the exit of the process waits: loading a model takes far less, and a hanging one must not block it.
_EXIT_SECONDS = 60.0
# Longer texts are truncated before they are tokenised: no model reads more (at most 8,192 tokens), and tokenising a
# pasted megabyte takes a second.
MAXIMUM_CHARACTERS = 65_536
# fastembed's registry of own models is global and not locked.
_registry_lock = threading.Lock()


class NativeCalls:
    """Counts the running calls into native models: a process that exits during one is aborted by the library."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Start without calls, as in a forked process, where the calls of its parent do not run."""
        self._changed = threading.Condition()
        self._running = 0
        self._ended = False

    @contextmanager
    def call(self) -> Iterator[None]:
        """Count the call that is made inside. Raises `EmbeddingError` once the process is ending."""
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

    def end(self, timeout: float = _EXIT_SECONDS) -> bool:
        """Refuse further calls, wait (seconds) for the running ones, and return whether all have ended."""
        with self._changed:
            self._ended = True
            return self._changed.wait_for(lambda: not self._running, timeout)


native_calls = NativeCalls()
at_fork(native_calls.reset)
atexit.register(native_calls.end)


class LocalEmbedder:
    """An embedder over a model on this machine. Any thread may call it.

    The constructor loads the model, which takes a moment: call it in a worker thread. It raises `EmbeddingError`.
    ``threads`` limits the cores of one call: by default all, and one for the built-in model. Texts are sorted by length
    and embedded in batches of ``batch_size``: mixed batches spend most of their time and memory on padding.
    """

    def __init__(self, model: Model, *, threads: int | None = None, batch_size: int = 16) -> None:
        if model.folder is None:
            raise EmbeddingError(
                Sentence("The embedding model {name} is not on this machine.", name=model.name),
                hint=Sentence("Fetch it with: nanobot-memory models pull {name}", name=model.name),
            )
        self._batch_size = batch_size
        try:
            # unit_vectors handles values that are not finite.
            with native_calls.call(), np.errstate(all="ignore"):
                self._engine = _load_engine(model, model.folder, threads)
                probe = unit_vectors(list(self._engine.embed(["probe"])), source=model.name)
        except ImportError as error:
            raise missing_extra_error(error) from error
        except EmbeddingError:
            raise
        except Exception as error:  # the errors of onnxruntime and tokenizers have no common base
            raise EmbeddingError(
                Sentence(
                    "The model in {folder} cannot be loaded ({kind}).", folder=model.folder, kind=type(error).__name__
                ),
                hint="Check its files, or delete the folder and fetch it again with: nanobot-memory models pull",
            ) from error
        self.dimension = len(probe[0])
        self.name = _identity(model, model.folder)
        logger.debug("Loaded the embedding model {} ({} dimensions)", self.name, self.dimension)

    def encode(self, texts: str | Sequence[str]) -> list[list[float]]:
        """Return one vector of unit length per text, in order; a single string counts as a list of one.

        Raises `EmbeddingError` when the model fails.
        """
        batch = [texts] if isinstance(texts, str) else texts
        # UTF-8 bytes estimate the number of tokens in Chinese and English alike; characters do not.
        prepared = [clean_markdown(text[:MAXIMUM_CHARACTERS]) for text in batch]
        order = sorted(range(len(prepared)), key=lambda place: len(prepared[place].encode()))
        if not order:
            return []
        try:
            with native_calls.call(), np.errstate(all="ignore"):
                rows = list(self._engine.embed([prepared[place] for place in order], batch_size=self._batch_size))
        except EmbeddingError:
            raise
        except Exception as error:  # as above
            raise EmbeddingError(
                Sentence("The embedding model {name} failed ({kind}).", name=self.name, kind=type(error).__name__)
            ) from error
        source = Sentence("The model {name}", name=self.name)
        vectors = unit_vectors(rows, source=source, dimension=self.dimension)
        return [vector for _, vector in sorted(zip(order, vectors, strict=True))]


def unit_vectors(rows: Any, *, source: str, dimension: int | None = None) -> list[list[float]]:
    """Scale the rows (texts x dimension) to unit length. A row that is not finite becomes zero, similar to nothing.

    Raises `EmbeddingError` when the rows are no matrix, or their dimension is not ``dimension``. Without ``dimension``
    they are the first vectors of a model, and zero or non-finite ones raise as well.
    """
    try:
        matrix: NDArray[np.float64] = np.asarray(rows, dtype=np.float64)  # in float64 the squares do not overflow
    except (TypeError, ValueError):
        matrix = np.empty(0)
    if matrix.ndim != 2 or not matrix.shape[1] or matrix.shape[1] != (dimension or matrix.shape[1]):
        raise EmbeddingError(
            Sentence("{source} did not return one vector of the expected length per text.", source=source)
        )
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    usable = np.isfinite(lengths) & (lengths > 0)
    if dimension is None and not usable.all():
        raise EmbeddingError(Sentence("{source} returned a vector that is not finite, or zero.", source=source))
    vectors: list[list[float]] = np.divide(matrix, lengths, where=usable, out=np.zeros_like(matrix)).tolist()
    return vectors


def _load_engine(model: Model, folder: Path, threads: int | None) -> "Engine":
    if model.origin is ModelOrigin.BUILTIN:
        from nanobot_memory_plugins.storage.embedding.builtin_model import BuiltinModel

        return BuiltinModel(folder, threads or 1)
    from fastembed import TextEmbedding

    # Without local_files_only fastembed asks the hub, and sleeps 39 s when it is out of reach.
    engine = TextEmbedding(
        model.name if model.repository else _register_model(folder, model.graph_file),
        specific_model_path=str(folder),
        local_files_only=True,
        threads=threads,
        lazy_load=True,
    )
    # fastembed calls this for further session options before it opens the session.
    engine.model.add_extra_session_options = _disable_idle_spinning  # type: ignore[attr-defined]
    return engine


def _register_model(folder: Path, graph_file: str) -> str:
    """Add a model to fastembed's catalogue, once, and return its name there."""
    import onnxruntime
    from fastembed import TextEmbedding
    from fastembed.common.model_description import ModelSource, PoolingType

    outputs = onnxruntime.InferenceSession(str(folder / graph_file)).get_outputs()
    gives_one_vector = len(outputs[0].shape) == 2
    pooling = "DISABLED" if gives_one_vector else _pooling_of(folder)
    place = f"{folder}|{graph_file}|{pooling}"
    name = f"nanobot-memory/{hashlib.sha256(place.encode()).hexdigest()[:16]}"
    with _registry_lock:
        if not any(registered["model"] == name for registered in TextEmbedding.list_supported_models()):
            TextEmbedding.add_custom_model(
                model=name,
                pooling=PoolingType[pooling],
                normalization=True,
                sources=ModelSource(hf=name),  # required but unused: the folder is given
                dim=1,  # required; the real dimension is probed
                model_file=graph_file,
            )
    return name


def _pooling_of(folder: Path) -> str:
    """Return how a folder's model pools its tokens, from the file of sentence-transformers; by default MEAN."""
    config: dict[str, bool] = {}
    with suppress(OSError, ValueError):
        config = json.loads((folder / "1_Pooling" / "config.json").read_text(encoding="utf-8"))
    if config.get("pooling_mode_cls_token"):
        return "CLS"
    return "LAST_TOKEN" if config.get("pooling_mode_lasttoken") else "MEAN"


def _identity(model: Model, folder: Path) -> str:
    """Return a name that identifies the model's vectors, by a version, a revision, or a hash of its files."""
    if model.origin is ModelOrigin.BUILTIN:
        return model.name  # the name carries its version
    if model.origin is ModelOrigin.HUB:
        return f"{model.name}@{folder.name[:12]}"  # the snapshot's revision
    digest = hashlib.sha256()
    graph = folder / model.graph_file
    # The graph's weights may be next to it, in files with the same stem.
    for path in sorted(
        {*graph.parent.glob(f"{graph.stem}*"), *folder.glob("tokenizer*.json"), *folder.glob("1_Pooling/*.json")}
    ):
        digest.update(path.name.encode())
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return f"folder@{digest.hexdigest()[:12]}"


def _disable_idle_spinning(options: Any, _extra: object) -> None:
    """Stop onnxruntime's threads from spinning between two runs.

    Each would spin for as long as the rest of a search takes.
    """
    options.add_session_config_entry("session.force_spinning_stop", "1")
