"""A search in one scope never sees another's: by words, by vectors, among neighbours, in the tail, or in a scan."""

import asyncio
import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nanobot_memory_plugins.core.clock import SystemClock
from nanobot_memory_plugins.core.files.notes import render_note
from nanobot_memory_plugins.core.files.private import private_lock
from nanobot_memory_plugins.core.files.transcript import TranscriptRecord, render_transcript_line
from nanobot_memory_plugins.core.values import Level, Note, Origin, Query, Scope, Tier
from nanobot_memory_plugins.storage import database
from nanobot_memory_plugins.storage.embedding.service import EmbeddingService, EmbeddingStatus
from nanobot_memory_plugins.storage.options import StorageOptions
from nanobot_memory_plugins.storage.store import SqliteStore
from tests.support.examples import examples
from tests.support.indexed_workspace import TIME, HashEmbedder, Workspace

FIELDS = ("agent", "user", "channel", "session")
SCOPES = [
    Scope(*values) for values in itertools.product(("a1", "a2"), ("ana", "bob", ""), ("cli", "web"), ("s1", "s2"))
]
EVERYTHING = len(SCOPES) * 2


def text_of(number: int) -> str:
    """Return a text that resembles all others, so that without scopes any query would find them all."""
    return f"咖啡 coffee at the harbour, remark {number}"


def fill(workspace: Workspace) -> None:
    """Write the messages of all scopes into one transcript and their notes into one file, next to each other."""
    for number, scope in enumerate(SCOPES):
        when = TIME + timedelta(hours=number)
        said = TranscriptRecord("user", text_of(number), scope.session, scope, Origin.USER, id=f"m{number}", time=when)
        workspace.append("sessions/shared.jsonl", render_transcript_line(said))
        note = Note(tldr=text_of(number + len(SCOPES)), tags=("coffee",), details="")
        workspace.append("2026-02-16.md", render_note(note, id=f"n{number}", time=when, scope=scope).encode())


@contextmanager
def opened(workspace: Workspace, embedder: HashEmbedder | None, *, without: str = "") -> Iterator[SqliteStore]:
    options = StorageOptions.model_validate({"embedding_provider": "none"})
    with pytest.MonkeyPatch.context() as patch:
        if embedder is not None:
            report = EmbeddingStatus(embedder.name)
            patch.setattr(EmbeddingService, "embedder", property(lambda access: embedder))
            patch.setattr(EmbeddingService, "status", lambda access: report)
        if without:
            really = getattr(database, without)
            here = str(workspace.path)
            patch.setattr(database, without, lambda one: here not in one.filename and really(one))
        store = SqliteStore(workspace.path, options, SystemClock())
        asyncio.run(store.start())
        try:
            yield store
        finally:
            asyncio.run(store.close())


@pytest.fixture(scope="module", params=["words", "sqlite-vec", "numpy", "tail", "scan"])
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqliteStore]:
    """A store with memories of all scopes, searched in each possible way."""
    workspace = Workspace(tmp_path_factory.mktemp("scopes") / "workspace")
    surface = request.param
    if surface == "tail":
        with workspace.indexing():
            pass
        owner = private_lock(workspace.paths.index_folder / "indexer.lock")  # held by a process that indexes nothing
        owner.acquire(timeout=0)
        with opened(workspace, None) as found:
            fill(workspace)
            yield found
            assert asyncio.run(found.refreshed_status()).documents == 0
        owner.release()
        return
    fill(workspace)
    embedder = HashEmbedder() if surface in ("sqlite-vec", "numpy") else None
    without = {"numpy": "load_sqlite_vec", "scan": "has_full_text"}.get(surface, "")
    with opened(workspace, embedder, without=without) as found:
        if surface != "scan":
            asyncio.run(found.flush())
            assert found.status().documents == EVERYTHING
        if embedder is not None:
            asyncio.run(found.vectors_complete())
        expected = {"words": Level.FULL_TEXT, "sqlite-vec": Level.HYBRID, "numpy": Level.NUMPY, "scan": Level.MARKDOWN}
        assert asyncio.run(found.search(Query("coffee"))).level is expected[surface]
        yield found


def is_in_scope(scope: Scope, requested: Scope) -> bool:
    return all(getattr(requested, name) in ("", getattr(scope, name)) for name in FIELDS)


VALUES = {
    "agent": ["", "a1", "a2", "a3"],
    "user": ["", "ana", "bob", "an", "ANA", "%", "' OR 1=1 --"],
    "channel": ["", "cli", "web", "CLI"],
    "session": ["", "s1", "s2", "s", "s1\x00"],
}
REQUESTED = st.builds(Scope, **{name: st.sampled_from(values) for name, values in VALUES.items()})


@pytest.mark.accept("NC-10")
@settings(max_examples=examples(60), deadline=None)
@given(
    requested=REQUESTED,
    text=st.sampled_from(
        ["coffee", "咖啡", "where is the coffee at the harbour?", "ana", "remark 7", "2026-02-16 s2 bob"]
    ),
    tier=st.sampled_from(Tier),
    limit=st.sampled_from([1, 5, EVERYTHING]),
)
def test_no_hit_belongs_to_another_scope(store: SqliteStore, requested: Scope, text: str, tier: Tier, limit: int):
    for hit in asyncio.run(store.search(Query(text, scope=requested, tier=tier, limit=limit))).hits:
        assert is_in_scope(hit.scope, requested)
        assert SCOPES[int(hit.text.rpartition(" ")[2]) % len(SCOPES)] == hit.scope


def test_a_small_scope_is_not_crowded_out_by_a_large_one(tmp_path: Path):
    workspace = Workspace(tmp_path / "workspace")
    own = TranscriptRecord("user", "a coffee", "mine", Scope(user="ana"), Origin.USER, id="own", time=TIME)
    others = [
        TranscriptRecord("user", f"coffee coffee {n}", "theirs", Scope(user="bob"), Origin.USER, id=f"o{n}", time=TIME)
        for n in range(600)
    ]
    workspace.write("sessions/all.jsonl", b"".join(map(render_transcript_line, [*others, own])))
    embedder = HashEmbedder()
    with opened(workspace, embedder) as store:
        asyncio.run(store.flush())
        seen: list[int] = []
        asyncio.run(store.vectors_complete(lambda status, model: seen.append(status.documents)))
        assert seen[-1] == 601  # the callback gets the state while waiting
        for use_vectors in (False, True):
            hits = asyncio.run(store.search(Query("coffee", scope=Scope(user="ana"), use_vectors=use_vectors))).hits
            assert [hit.text for hit in hits] == ["a coffee"]
