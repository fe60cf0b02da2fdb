"""Vectors are added after the text."""

from collections.abc import Sequence
from contextlib import closing

import pytest

from nanobot_memory_plugins.core.errors import EmbeddingError
from nanobot_memory_plugins.storage.database import Database
from tests.support.indexed_workspace import HashEmbedder, Workspace, message, until, wait_for_scan


def counts(workspace: Workspace) -> tuple[int, int]:
    with closing(Database.open(workspace.paths.database, read_only=True)) as database:
        return database.counts()


def messages(count: int) -> bytes:
    return b"".join(message(f"text {number}", f"m{number}") for number in range(count))


@pytest.mark.accept("V3-03")
def test_text_is_indexed_before_the_model_is_ready(workspace: Workspace):
    model: list[HashEmbedder] = []
    workspace.write("sessions/cli.jsonl", messages(100))
    with workspace.indexing(embedder=lambda: model[0] if model else None):
        assert counts(workspace) == (100, 0)
        model.append(HashEmbedder())
        assert until(lambda: counts(workspace) == (100, 100))
        # The newest came first.
        assert model[0].encoded[0].endswith("text 99")


def test_a_failing_model_is_retried_while_text_is_indexed(workspace: Workspace):
    class Failing(HashEmbedder):
        failures = 1

        def encode(self, texts: str | Sequence[str]) -> list[list[float]]:
            if self.failures:
                self.failures -= 1
                raise EmbeddingError("The server does not answer.")
            return super().encode(texts)

    model = Failing()
    workspace.write("sessions/cli.jsonl", messages(10))
    with workspace.indexing(embedder=lambda: model) as indexer:
        workspace.append("sessions/cli.jsonl", message("more", "m10"))
        wait_for_scan(indexer)
        assert counts(workspace)[0] == 11
        assert until(lambda: counts(workspace) == (11, 11))
