"""Vectors come after the text, and a new model's beside the former one's."""

import threading
from collections.abc import Sequence
from contextlib import closing

import pytest

from nanobot_memory_plugins.core.errors import EmbeddingError
from nanobot_memory_plugins.storage.database import Counts, Database, VectorSpace
from tests.support.indexed_workspace import HashEmbedder, Workspace, message, until


def counts(workspace: Workspace) -> Counts:
    with closing(Database.open(workspace.paths.database, read_only=True)) as database:
        return database.counts()


def spaces(workspace: Workspace) -> list[VectorSpace]:
    with closing(Database.open(workspace.paths.database, read_only=True)) as database:
        return database.vector_spaces()


def messages(count: int) -> bytes:
    return b"".join(message(f"text {number}", f"m{number}") for number in range(count))


@pytest.mark.accept("V3-03")
def test_text_is_indexed_while_the_model_is_not_there_yet(workspace: Workspace):
    model: list[HashEmbedder] = []
    workspace.write("sessions/cli.jsonl", messages(100))
    with workspace.indexing(embedder=lambda: model[0] if model else None):
        assert counts(workspace).documents == 100
        assert counts(workspace).vectors == 0
        model.append(HashEmbedder())
        assert until(lambda: counts(workspace).vectors == 100)
        # The newest came first.
        assert model[0].encoded[0].endswith("text 99")


def test_new_text_gets_its_vector_and_old_text_keeps_its_own(workspace: Workspace):
    model = HashEmbedder()
    workspace.write("sessions/cli.jsonl", messages(20))
    with workspace.indexing(embedder=lambda: model) as indexer:
        assert until(lambda: counts(workspace).vectors == 20)
        workspace.write("sessions/cli.jsonl", message("put before", "m-1") + messages(20))
        indexer.barrier().result(30)
        assert until(lambda: counts(workspace).vectors == 21)
        assert len(model.encoded) == 21


@pytest.mark.accept("V5-13")
def test_the_former_models_vectors_serve_until_the_new_ones_are_whole(workspace: Workspace):
    class Gated(HashEmbedder):
        """Embeds a batch each time that it is let."""

        gate = threading.Semaphore(0)
        asked = 0

        def encode(self, texts: str | Sequence[str]) -> list[list[float]]:
            self.asked += 1
            assert self.gate.acquire(timeout=30)
            return super().encode(texts)

    workspace.write("sessions/cli.jsonl", messages(200))
    with workspace.indexing(embedder=lambda: HashEmbedder("first", 8)):
        assert until(lambda: counts(workspace).vectors == 200)
    model = Gated("second", 16)
    with workspace.indexing(embedder=lambda: model):
        model.gate.release(2)
        assert until(lambda: model.asked == 3)  # two batches are in the database now
        assert len(spaces(workspace)) == 2
        active = next(space for space in spaces(workspace) if space.active)
        assert (active.name, active.dimension) == ("first", 8)
        assert counts(workspace).vectors == 200
        model.gate.release(100)
        assert until(lambda: [space.name for space in spaces(workspace)] == ["second"])
        assert spaces(workspace)[0].dimension == 16
        assert counts(workspace).vectors == 200


def test_a_model_that_fails_is_asked_again_and_text_goes_on(workspace: Workspace):
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
        indexer.barrier().result(30)
        assert counts(workspace).documents == 11
        assert until(lambda: counts(workspace).vectors == 11)
