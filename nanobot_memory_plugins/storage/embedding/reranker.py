"""A reranker: a cross-encoder that reads a question and a passage together, on this machine, with fastembed.

It is slower by far than comparing vectors, so it reads the best passages of a search alone, and no longer than it may.
"""

import os
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nanobot_memory_plugins.core import logger
from nanobot_memory_plugins.core.errors import EmbeddingError, NanobotMemoryError
from nanobot_memory_plugins.redaction.script.messages import Sentence
from nanobot_memory_plugins.storage.embedding.installation import extra_missing
from nanobot_memory_plugins.storage.embedding.locations import hub_directory
from nanobot_memory_plugins.storage.embedding.native_calls import native_calls

if TYPE_CHECKING:
    from fastembed.rerank.cross_encoder import TextCrossEncoder

# Passages in one run of the model: the time that is left is looked at between two runs.
_BATCH = 4
# What of a passage and of a question is read.
_PASSAGE_CHARS, _QUESTION_CHARS = 1_000, 400
_GRAPH_FILES = ("model.onnx", "onnx/model.onnx", "model_quantized.onnx", "onnx/model_quantized.onnx")
# fastembed's registry of own models is global and not locked.
_registry_lock = threading.Lock()


class Reranker:
    """A cross-encoder that is loaded in the background and says how well passages answer a question.

    ``name`` is a folder with a graph and ``tokenizer.json``, or a name of fastembed's catalogue whose files are on this
    machine: nothing is fetched. ``seconds`` is what it may take of one search. It never raises: until it is ready, and
    where it fails, it has read nothing. `close` ends the thread.
    """

    def __init__(self, name: str, *, seconds: float, threads: int | None = None) -> None:
        self._name = name
        self._seconds = seconds
        self._threads = threads
        self._thread: threading.Thread | None = None
        self._closed = False
        self._engine: TextCrossEncoder | None = None
        self.reason = ""
        """Why there is none, once that is known."""

    @property
    def is_ready(self) -> bool:
        """Whether it is loaded."""
        return self._engine is not None

    def start(self) -> None:
        """Begin to load it, once, in a daemon thread."""
        if self._thread is None and not self._closed:
            self._thread = threading.Thread(target=self._load, name="nanobot-memory-reranker", daemon=True)
            self._thread.start()

    def wait(self, timeout: float) -> bool:
        """Wait (seconds) while it is loading, and say whether it is ready. It blocks."""
        if self._thread is not None:
            self._thread.join(timeout)
        return self.is_ready

    def close(self, timeout: float = 5.0) -> None:
        """Let the model go and wait up to ``timeout`` seconds for the thread."""
        self._closed, self._engine = True, None
        self.wait(timeout)
        self._engine = None

    def read(self, question: str, passages: Sequence[str]) -> list[float]:
        """Return the log-odds that passages answer a question, of as many of the first as the time is enough for."""
        engine, found = self._engine, list[float]()
        if engine is None:
            return found
        started = before = time.perf_counter()
        try:
            for begin in range(0, len(passages), _BATCH):
                batch = [passage[:_PASSAGE_CHARS] for passage in passages[begin : begin + _BATCH]]
                with native_calls.one():
                    found += map(float, engine.rerank(question[:_QUESTION_CHARS], batch, batch_size=_BATCH))
                now = time.perf_counter()
                # The next run takes about as long as this one.
                if 2 * now - before - started > self._seconds:
                    break
                before = now
        except EmbeddingError:  # the process ends
            return []
        except Exception as error:  # onnxruntime and tokenizers have no common base of their errors
            logger.warning("the reranker failed: {}", type(error).__name__)
            return []
        return found

    def _load(self) -> None:
        try:
            with native_calls.one():
                engine = _opened(self._name, self._threads)
                list(engine.rerank("question", ["passage"]))
        except NanobotMemoryError as error:
            self._fail(error.cause)
        except BaseException as error:  # a library's panic must not leave anybody waiting
            self._fail(Sentence("The reranker cannot be loaded ({kind}).", kind=type(error).__name__))
        else:
            if not self._closed:
                self._engine = engine

    def _fail(self, reason: str) -> None:
        self.reason = reason
        if not self._closed:
            logger.warning("No reranker, the order is that of the search: {}", reason)


def _opened(name: str, threads: int | None) -> "TextCrossEncoder":
    """Return the model of a folder, or of the catalogue where its files are here. Raises `EmbeddingError`."""
    try:
        from fastembed.rerank.cross_encoder import TextCrossEncoder
    except ImportError as error:
        raise extra_missing(error) from error
    given: dict[str, Any] = {"threads": threads, "local_files_only": True}
    folder = Path(os.path.expanduser(name))  # Path.expanduser raises for an unknown user
    if folder.is_dir():
        graph = next((file for file in _GRAPH_FILES if (folder / file).is_file()), None)
        if graph is None or not (folder / "tokenizer.json").is_file():
            raise EmbeddingError(
                Sentence("The folder {folder} holds no cross-encoder.", folder=folder),
                hint="It needs model.onnx, tokenizer.json and tokenizer_config.json.",
            )
        name, given["specific_model_path"] = _registered(folder.resolve(), graph), str(folder)
    else:
        known = {one["model"].lower() for one in TextCrossEncoder.list_supported_models()}
        if name.lower() not in known:
            raise EmbeddingError(
                Sentence("There is no cross-encoder {name!r}.", name=name),
                hint="Use an existing folder, or a name of fastembed's catalogue.",
            )
        given["cache_dir"] = str(hub_directory())
    return TextCrossEncoder(name, **given)


def _registered(folder: Path, graph: str) -> str:
    """Tell fastembed of a model that is not in its catalogue, once, and return its name there."""
    from fastembed.common.model_description import ModelSource
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    name = f"nanobot-memory/{folder.as_posix().lower()}"
    with _registry_lock:
        if not any(one["model"] == name for one in TextCrossEncoder.list_supported_models()):
            # The source is required, and never asked: the folder is given.
            TextCrossEncoder.add_custom_model(model=name, sources=ModelSource(hf=name), model_file=graph)
    return name
