"""Vectors for the documents that have none yet, newest first."""

from collections.abc import Callable

from nanobot_memory_plugins.core import Clock, Embedder, logger
from nanobot_memory_plugins.storage.indexer.database import FileIndex

# Texts a step: some tens of milliseconds of work with the built-in model, so that new text waits for no longer.
_BATCH = 64
_FIRST_REST, _LONGEST_REST = 2.0, 300.0


class VectorFiller:
    """Embeds what has no vector in the space of the present model, a batch a step.

    While those of a new model are made, a search compares what there is of them, and by words all the rest.
    """

    def __init__(self, database: FileIndex, embedder: Callable[[], Embedder | None], clock: Clock) -> None:
        self._database = database
        self._embedder = embedder
        self._clock = clock
        self._complete: str | None = None
        self._failures = 0
        self._rest_until = 0.0

    def more_text(self) -> None:
        """Learn that documents were written."""
        self._complete = None

    def step(self) -> bool:
        """Embed one batch; return whether there was one. A failing model rests, longer each time."""
        embedder = self._embedder()
        if embedder is None or self._clock.monotonic() < self._rest_until:
            return False
        space = embedder.name
        if self._complete == space:
            return False
        rows = self._database.documents_without_vector(space, _BATCH)
        if not rows:
            self._database.set_active_space(space)
            self._complete = space
            return False
        try:
            vectors = embedder.encode([row.text for row in rows])
        except Exception as error:  # a model or a remote service may fail in any way
            self._failures += 1
            rest = min(_LONGEST_REST, _FIRST_REST * 2.0 ** (self._failures - 1))
            self._rest_until = self._clock.monotonic() + rest
            logger.warning(
                "{} texts could not be embedded ({}); trying again in {:.0f} s", len(rows), type(error).__name__, rest
            )
            return False
        self._failures = 0
        self._database.put_vectors(space, [(row.id, vector) for row, vector in zip(rows, vectors, strict=True)])
        return True
