"""The contract of stores, as tests: subclass `StoreContract` and implement ``open`` for your store.

`MemoryWorkspace` writes memory files in the same format as core.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar

from nanobot_memory_plugins.core.files.notes import render_note
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.transcript import TranscriptRecord, render_transcript_line
from nanobot_memory_plugins.core.protocols import Store
from nanobot_memory_plugins.core.values import Hit, Note, Origin, Query, Scope, StoreStatus

_T = TypeVar("_T")
ANA, BOB = Scope(user="ana"), Scope(user="bob")
TIME = datetime(2026, 2, 16, 14, 20, 33, tzinfo=UTC)
KINDS = ("long_term", "note", "observation", "summary", "transcript", "document")
# Files that people write. A note without an id was written by a person, too.
OWN_FILES = ("MEMORY.md", "2026-02-17.md", "projects/alpha.md")
OWN_NOTE = "### 2026-02-18 10:00\ntl;dr: the weather service: {0}\n\ndetails:\n- it is called with {0}\n"


class MemoryWorkspace:
    """The workspace of an agent. File names are relative to its memory folder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.paths = MemoryPaths.of(path)

    def write(self, name: str, data: bytes | str) -> Path:
        """Write a whole file."""
        file = self.paths.memory / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data if isinstance(data, bytes) else data.encode())
        return file

    def append(self, name: str, data: bytes) -> Path:
        """Append to a file that other processes append to as well."""
        file = self.paths.memory / name
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("ab") as stream:
            stream.write(data)
        return file

    def note(self, note: Note, id: str, *, time: datetime = TIME) -> Path:  # noqa: A002  # the field's name
        """Append a note to the file of its day."""
        when = note.time or time
        text = render_note(note, id=id, time=when, scope=note.scope or Scope())
        return self.append(f"{when.date().isoformat()}.md", text.encode())

    def message(self, text: str, id: str, *, scope: Scope = Scope(), time: datetime = TIME) -> Path:  # noqa: A002
        """Append a message of the user to the transcript of its session."""
        session = scope.session or "cli:direct"
        record = TranscriptRecord("user", text, session, scope, Origin.USER, id=id, time=time)
        path = self.paths.transcript(session)
        return self.append(str(path.relative_to(self.paths.memory)), render_transcript_line(record))


class StoreContract(ABC):
    """The tests. Each opens the store in a workspace and an event loop of its own, and closes it."""

    @abstractmethod
    async def open(self, workspace: Path) -> Store:
        """Open the store of a workspace. It is opened again only after it was closed."""

    def use(self, workspace: MemoryWorkspace, work: Callable[[Store], Awaitable[_T]]) -> _T:
        """Open a store, wait until it has indexed the files, run ``work`` with it, and close it."""

        async def run() -> _T:
            store = await self.open(workspace.path)
            try:
                await store.flush()
                return await work(store)
            finally:
                await store.close()

        workspace.paths.memory.mkdir(parents=True, exist_ok=True)
        return asyncio.run(run())

    def found(self, workspace: MemoryWorkspace, query: Query) -> tuple[Hit, ...]:
        """Return the hits for one query."""

        async def search(store: Store) -> tuple[Hit, ...]:
            return tuple((await store.search(query)).hits)

        return self.use(workspace, search)

    def test_it_is_a_store_that_reports_its_state_and_has_no_hits_while_it_is_empty(self, tmp_path: Path) -> None:
        async def read_status(store: Store) -> tuple[bool, StoreStatus]:
            return isinstance(store, Store), store.status()

        is_store, status = self.use(MemoryWorkspace(tmp_path), read_status)
        assert is_store
        assert isinstance(status, StoreStatus)
        assert self.found(MemoryWorkspace(tmp_path), Query("port")) == ()

    def test_a_note_is_found_with_its_place_and_read_by_its_id(self, tmp_path: Path) -> None:
        workspace = MemoryWorkspace(tmp_path)
        workspace.note(Note("chose helix as the editor"), "a1")
        file = workspace.note(Note("the staging database listens on port 6543"), "a2")

        async def search_and_read(store: Store) -> tuple[Hit, Hit | None, Hit | None]:
            hit = (await store.search(Query("staging database port"))).hits[0]
            return hit, await store.read(hit.id), await store.read("memory/none.md#x")

        hit, read, unknown = self.use(workspace, search_and_read)
        assert "port 6543" in hit.text
        assert hit.path == f"memory/{file.name}"
        assert file.read_text(encoding="utf-8").splitlines()[hit.line - 1].startswith("### ")
        assert read is not None
        assert "port 6543" in read.text
        assert unknown is None

    def test_a_message_is_found_with_who_said_it_and_when(self, tmp_path: Path) -> None:
        workspace = MemoryWorkspace(tmp_path)
        workspace.message("周三晚上我去攀岩馆", "m1", scope=Scope(session="cli:direct"))
        (hit,) = self.found(workspace, Query("攀岩馆"))
        assert "攀岩馆" in hit.text
        assert (hit.origin, hit.time, hit.scope.session) == (Origin.USER, TIME, "cli:direct")

    def test_a_hit_says_what_kind_of_memory_it_is(self, tmp_path: Path) -> None:
        workspace = MemoryWorkspace(tmp_path)
        workspace.write("MEMORY.md", "The parrot is long_term.\n")
        workspace.write("projects/alpha.md", "The parrot is in a document.\n")
        workspace.message("my parrot is in the transcript", "m1", scope=ANA)
        workspace.note(Note("a parrot is in a note", details="It cost ten euros.", tags=("pets",)), "n1")
        seen = Note("a parrot is in an observation", origin=Origin.TOOL, tags=("observation",))
        workspace.note(seen, "n2", time=datetime.now(UTC))  # a store may let old ones pass
        workspace.note(Note("a parrot is in a summary", origin=Origin.SUMMARY), "n3")

        async def search_each_kind(store: Store) -> dict[str, tuple[Hit, ...]]:
            queries = {kind: Query("parrot", sources=frozenset({kind})) for kind in KINDS}
            return {kind: tuple((await store.search(query)).hits) for kind, query in queries.items()}

        found = self.use(workspace, search_each_kind)
        assert {kind: [hit.source for hit in hits] for kind, hits in found.items()} == {kind: [kind] for kind in KINDS}
        assert [kind for kind, (hit,) in found.items() if kind not in hit.text] == []
        assert found["transcript"][0].speaker == "ana"
        (note,) = found["note"]
        assert (note.tldr, note.tags) == ("a parrot is in a note", ("pets",))

    def test_what_is_written_while_it_is_open_is_found_after_a_flush(self, tmp_path: Path) -> None:
        workspace = MemoryWorkspace(tmp_path)

        async def write(store: Store) -> list[str]:
            store.notify(workspace.note(Note("the car was repaired"), "a1"))
            await store.flush()
            return [hit.text for hit in (await store.search(Query("car repaired"))).hits]

        assert len(self.use(workspace, write)) == 1
        assert len(self.found(workspace, Query("car repaired"))) == 1, "when it is opened again"

    def test_what_is_gone_from_the_files_is_gone(self, tmp_path: Path) -> None:
        workspace = MemoryWorkspace(tmp_path)
        file = workspace.note(Note("the cabin key is under the mat"), "a1")

        async def erase(store: Store) -> tuple[int, int]:
            before = len((await store.search(Query("cabin key"))).hits)
            file.unlink()
            store.notify(file)
            await store.flush()
            return before, len((await store.search(Query("cabin key"))).hits)

        assert self.use(workspace, erase) == (1, 0)
        assert self.found(workspace, Query("cabin key")) == ()

    def test_nobody_finds_what_is_somebody_elses(self, tmp_path: Path) -> None:
        workspace = MemoryWorkspace(tmp_path)
        for who in (ANA, BOB):
            workspace.note(Note(f"the safe of {who.user} opens with a blue key", scope=who), f"n-{who.user}")
            session = Scope(user=who.user, session=f"chat:{who.user}")
            workspace.message(f"my blue key, says {who.user}", f"m-{who.user}", scope=session)
        workspace.write("ENTRIES.md", "### [fact] The blue key of ana\n<!-- id: e1; user: ana -->\n")
        hits = self.found(workspace, Query("blue key", scope=BOB))
        assert {hit.scope.user for hit in hits} == {"bob"}
        assert len(hits) == 2

    def test_what_is_excluded_behind_a_forgotten_entry_or_not_searchable_is_not_found(self, tmp_path: Path) -> None:
        workspace = MemoryWorkspace(tmp_path)
        for number in range(3):
            workspace.message(f"the parrot learned word {number}", f"m{number}")
        workspace.write("ENTRIES.md", "### [fact] A parrot\n<!-- id: e1; hides: m1 -->\n")
        workspace.note(Note("a parrot's word that nobody should find", searchable=False), "a1")
        hits = self.found(workspace, Query("parrot word", exclude_records=frozenset({"m2"})))
        assert [hit.text for hit in hits if hit.source != "long_term"] == ["the parrot learned word 0"]

    def test_a_secret_that_a_person_wrote_into_a_file_is_hidden(self, tmp_path: Path) -> None:
        workspace = MemoryWorkspace(tmp_path)
        secret = "sk-ant-api03-" + "Zq7Rk2Lm9Xc4" * 4
        for name in OWN_FILES:
            workspace.write(name, f"The weather service is called with {secret}.\n")
        workspace.write("2026-02-18.md", OWN_NOTE.format(secret))
        hits = self.found(workspace, Query("weather service"))
        assert len(hits) == len(OWN_FILES) + 1
        assert [hit.path for hit in hits if secret in f"{hit.text} {hit.snippet} {hit.tldr}"] == []

    def test_filters_of_a_query_narrow_it(self, tmp_path: Path) -> None:
        workspace = MemoryWorkspace(tmp_path)
        for number in range(6):
            origin = Origin.TOOL if number % 2 else Origin.USER
            tags = (("Drinks/hot",), ("drinks",), ("drinks-bill",))[min(number, 2)]
            time = TIME + timedelta(days=number)
            note = Note(f"coffee at the harbour, remark {number}", origin=origin, time=time, tags=tags)
            workspace.note(note, f"c{number}")

        async def search_with_filters(store: Store) -> list[tuple[Hit, ...]]:
            every = await store.search(Query("coffee harbour"))
            narrowed = [
                Query("coffee harbour", limit=2),
                Query("coffee harbour", origins=frozenset({Origin.TOOL})),
                Query("coffee harbour", since=TIME + timedelta(days=4)),
                Query("coffee harbour", until=TIME + timedelta(days=1)),
                Query("coffee harbour", tags=frozenset({"drinks"})),
                Query("coffee harbour", tags=frozenset({"DRINKS/Hot", "tea"})),
                Query("coffee harbour", sources=frozenset({"transcript"})),
            ]
            return [tuple(every.hits), *[tuple((await store.search(query)).hits) for query in narrowed]]

        every, few, tools, late, early, tagged, hot, said = self.use(workspace, search_with_filters)
        found = [len(hits) for hits in (every, few, tools, late, early, tagged, hot, said)]
        assert found == [6, 2, 3, 2, 2, 2, 1, 0]
        assert {hit.origin for hit in tools} == {Origin.TOOL}

    def test_without_words_it_lists_what_passes_the_filters_the_newest_first(self, tmp_path: Path) -> None:
        workspace = MemoryWorkspace(tmp_path)
        for number in (1, 3, 0, 2):
            workspace.note(Note(f"remark {number}", time=TIME + timedelta(days=number), scope=ANA), f"c{number}")
        workspace.note(Note("remark of another", time=TIME + timedelta(days=2), scope=BOB), "c9")
        hits = self.found(workspace, Query("", limit=2, scope=ANA, until=TIME + timedelta(days=2)))
        assert [hit.text for hit in hits] == ["remark 2", "remark 1"]

    def test_hits_come_best_first_and_say_how_much_of_the_question_they_cover(self, tmp_path: Path) -> None:
        workspace = MemoryWorkspace(tmp_path)
        workspace.note(Note("the harbour is closed on Sundays"), "a1")
        workspace.note(Note("coffee at the harbour costs three euros"), "a2")
        best, *others = self.found(workspace, Query("what does coffee cost at the harbour"))
        assert "three euros" in best.text
        assert all(best.score >= other.score for other in others)
        assert 0.0 < best.coverage <= 1.0
        assert all(hit.coverage < best.coverage for hit in others)
