"""What plugins offer to each other. A third party implements these; nobody inherits from them."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from nanobot_memory_plugins.core.values import Hit, Query, Scope, SearchResult, StoreStatus, Visibility
from nanobot_memory_plugins.core.values.entries import (
    Entry,
    EntryEdit,
    EntryList,
    EntryRun,
    EntryUpdate,
)


class Complete(Protocol):
    """Asks the language model. The host wires it; an ``async def`` with these arguments is one."""

    def __call__(self, messages: Sequence[Mapping[str, Any]], /, *, max_tokens: int, purpose: str) -> Awaitable[str]:
        """Return the model's answer to chat messages as the APIs have them.

        ``purpose`` says in a word or two what for: each has a budget of its own.
        """


class Embedder(Protocol):
    """Turns texts into vectors of unit length. It blocks: call it in a worker thread."""

    @property
    def name(self) -> str:
        """Identity of the vector space; it changes when vectors cannot be compared any more."""

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""

    def encode(self, texts: str | Sequence[str]) -> list[list[float]]:
        """Return one vector a text; a single string counts as a list of one."""


@runtime_checkable
class Store(Protocol):
    """An index over the memory files. The files stay the truth: a store may be deleted and built again."""

    async def search(self, query: Query) -> SearchResult:
        """Return the best hits for ``query``, best first.

        Raises `StoreError` when it cannot answer at all.
        """

    async def read(self, hit_id: str) -> Hit | None:
        """Return one memory whole, or None when there is none with this id."""

    def notify(self, path: Path) -> None:
        """Learn that a memory file has grown or changed. Returns at once, from any thread."""

    async def flush(self) -> None:
        """Return once everything that was in the files at the call is searchable by full text."""

    def status(self) -> StoreStatus:
        """Return the store's state, without touching the disk for long."""

    async def close(self) -> None:
        """Finish what was begun, close the files and end every thread."""


@runtime_checkable
class VectorStore(Protocol):
    """What a `Store` that searches by meaning may offer besides."""

    @property
    def embedder(self) -> Embedder | None:
        """The embedding model, once it is ready: for another store in front of this one."""

    async def encode(self, texts: Sequence[str]) -> list[list[float]] | None:
        """Return one vector of unit length a text, or None while there is no model that answers.

        Vectors can be compared within one answer; in between, the model may have changed.
        """

    async def vectors_complete(self, waiting: Callable[[StoreStatus, Any], None] | None = None) -> None:
        """Return once everything has its vector, which comes after the text, or when there is no model for it.

        ``waiting`` is called again and again meanwhile, with the state of the store and that of its model.
        """


@runtime_checkable
class LeaderElection(Protocol):
    """A store that many machines share, and that knows which of them does what is to be done once for all."""

    async def lead(self) -> bool:
        """Return whether this machine is the leader, until it resigns or is gone. While the store is away, each is."""

    async def resign(self) -> None:
        """Let another machine lead."""


class VisibleScopes(Protocol):
    """What may be seen, and on behalf of whom."""

    def visible(self, scope: Scope) -> Visibility:
        """Return what may be seen on behalf of a call, or of a session alone: the ``scope`` of a query."""

    def owner(self, scope: Scope) -> Scope:
        """Return the owner of a memory: the same for two scopes of one person, in the same group chat or in none."""

    def of_session(self, session_key: str) -> Scope:
        """Return the whole scope of a session, as far as it is known."""

    def of_owner(self) -> Scope:
        """Return the owner of what a command writes: the host's owner where the host names them, else everybody."""

    def is_nobodys(self, scope: Scope) -> bool:
        """Return whether nobody sees what is of a scope any more, since it names nobody."""


@runtime_checkable
class MemoryTool(Protocol):
    """A tool for the model, offered by a plugin and wired by the host."""

    @property
    def name(self) -> str:
        """The tool's name, as the model calls it."""

    @property
    def description(self) -> str:
        """When to use the tool and what it answers, for the model."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """JSON schema of the arguments, of type object."""

    async def run(self, arguments: Mapping[str, Any], *, session_key: str) -> str:
        """Run the tool and return its answer as text.

        What the model left empty is not among ``arguments``. What is wrong is said in the answer, or raised as
        `InputError` or pydantic's `ValidationError`, which the model is told.
        """


@runtime_checkable
class ExchangedEntries(Protocol):
    """An `EntryAccess` whose entries are exchanged with those of other machines. Every call blocks."""

    def version(self) -> str:
        """Return a text that changes when the entries may have changed. Cheap: no file is read."""

    def exported(self) -> Mapping[str, str]:
        """Return each entry by its id as it is in its file: a header, its text, and in a comment its other fields.

        The text of an entry is the same until somebody changes it: what happens to it by itself is no part of it.
        """

    def taken_out(self, ids: Collection[str]) -> Collection[str]:
        """Return those of some entries that somebody has taken out; others went with their file, which is gone.

        Raises `MemoryFileError`.
        """

    def take_in(self, updates: Sequence[EntryUpdate]) -> None:
        """Merge what other machines made of entries with what was made of them here.

        Where both have written another text, both stay. Raises `MemoryFileError`, also for entries of a version that
        is not known here; nothing was written then.
        """


@runtime_checkable
class EntryAccess(Protocol):
    """Scored long-term entries: look at them and change them, on behalf of a person.

    Everything here blocks for as long as the disk takes: call it in a worker thread. Reading takes no lock. What is
    written is on the disk when the call returns. Every call may raise `MemoryFileError`, and those that change
    something `InputError` for an entry that is not there, with cause and hint.
    """

    def version(self) -> str:
        """Return a text that changes when the entries may have changed. Cheap: no file is read."""

    def entries(self) -> EntryList:
        """Return all entries in the file, archived ones included, as of now."""

    def gone(self) -> Sequence[Entry]:
        """Return entries that went and can be restored, those that went last first."""

    def history(self, entry_id: str = "", *, limit: int = 100) -> Sequence[EntryRun]:
        """Return what was done, or what was done to one entry, the last run first."""

    def add(self, text: str, *, group: str = "") -> EntryRun | None:
        """Remember a text. An entry with the same text is marked as used instead of duplicated."""

    def edit(self, entry_id: str, edit: EntryEdit) -> EntryRun | None:
        """Change an entry. A text that a person wrote is the user's. None: nothing changed."""

    def forget(self, ids: Sequence[str]) -> EntryRun | None:
        """Take entries out of the memory. `restore` and `undo` bring them back."""

    def restore(self, entry_id: str) -> EntryRun | None:
        """Bring back an entry that was archived, forgotten or deleted by anybody."""

    def undo(self, run_id: str = "") -> EntryRun | None:
        """Take back a run, the last one by default. What was changed since then stays."""
