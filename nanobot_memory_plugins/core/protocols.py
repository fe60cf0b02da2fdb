"""The protocols by which plugins use each other's services. Implement them; there is no need to inherit from them."""

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
    """Asks the language model. The host provides it: any ``async def`` function with these parameters will do."""

    def __call__(self, messages: Sequence[Mapping[str, Any]], /, *, max_tokens: int, purpose: str) -> Awaitable[str]:
        """Return the model's answer to chat messages in the form of the chat APIs.

        ``purpose`` says in a word or two what the request is for: each purpose has its own budget.
        """


class Embedder(Protocol):
    """Turns texts into vectors of unit length. It blocks: call it in a worker thread."""

    @property
    def name(self) -> str:
        """The name of the vector space. Vectors of different names cannot be compared."""

    @property
    def dimension(self) -> int:
        """The length of a vector."""

    def encode(self, texts: str | Sequence[str]) -> list[list[float]]:
        """Return one vector per text. A single string counts as a list of one."""


@runtime_checkable
class Store(Protocol):
    """An index of the memory files. The files remain authoritative: a store can be deleted and rebuilt."""

    async def search(self, query: Query) -> SearchResult:
        """Return the best hits for ``query``, best first.

        Raises `StoreError` when it cannot answer at all.
        """

    async def read(self, hit_id: str) -> Hit | None:
        """Return one memory with its whole text, or None when no memory has this id."""

    def notify(self, path: Path) -> None:
        """Report that a memory file has changed. May be called from any thread, and returns at once."""

    async def flush(self) -> None:
        """Return once everything that was in the files at the call is searchable by full text."""

    def status(self) -> StoreStatus:
        """Return the store's state, without long disk access."""

    async def close(self) -> None:
        """Finish pending work, close the files and end all threads."""


@runtime_checkable
class VectorStore(Protocol):
    """Additional methods of a `Store` that searches by embeddings."""

    @property
    def embedder(self) -> Embedder | None:
        """The embedding model, once it is ready, for a shared store that wraps this one."""

    async def encode(self, texts: Sequence[str]) -> list[list[float]] | None:
        """Return one vector of unit length per text, or None while no embedding model is available.

        Only vectors of the same call can be compared: the model may change between calls.
        """

    async def vectors_complete(self, waiting: Callable[[StoreStatus, Any], None] | None = None) -> None:
        """Return once every text has its vector, or when there is no embedding model.

        Meanwhile ``waiting`` is called repeatedly with the state of the store and that of its model.
        """


@runtime_checkable
class LeaderElection(Protocol):
    """A store that several machines share, and that elects the machine which does the common work."""

    async def lead(self) -> bool:
        """Return whether this machine is the leader, until it resigns or is gone.

        While the store cannot be reached, every machine is the leader.
        """

    async def resign(self) -> None:
        """Let another machine lead."""


class VisibleScopes(Protocol):
    """Decides who owns a memory and who may see it."""

    def visible(self, scope: Scope) -> Visibility:
        """Return which memories a caller or a session may see, as the ``scope`` of a query."""

    def owner(self, scope: Scope) -> Scope:
        """Return the owner of a memory, equal for all scopes of one person in one group chat, or in none."""

    def of_session(self, session_key: str) -> Scope:
        """Return the full scope of a session, as far as it is known."""

    def of_owner(self) -> Scope:
        """Return the owner of what a command writes: the host's owner, or everybody where the host names no owner."""

    def is_nobodys(self, scope: Scope) -> bool:
        """Return whether nobody can see the memories of a scope any more, because it names nobody."""


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

        ``arguments`` lacks those that the model left empty. Report problems in the answer, or raise `InputError` or
        pydantic's `ValidationError`, whose message is passed to the model.
        """


@runtime_checkable
class ExchangedEntries(Protocol):
    """An `EntryAccess` whose entries are synchronised with other machines. Every call blocks."""

    def version(self) -> str:
        """Return a text that changes when the entries may have changed. Cheap: no file is read."""

    def export_entries(self) -> Mapping[str, str]:
        """Return each entry by its id, as text: a header, its content, and a comment with its other fields.

        The text changes only when somebody changes the entry, not when its score fades.
        """

    def removed_entries(self, ids: Collection[str]) -> Collection[str]:
        """Return those of ``ids`` that somebody removed. The others are missing because their file is gone.

        Raises `MemoryFileError`.
        """

    def merge_updates(self, updates: Sequence[EntryUpdate]) -> None:
        """Merge the changes of other machines with those made here.

        Where both changed the text of an entry, both texts are kept. Raises `MemoryFileError`, also for entries of an
        unknown version; then nothing is written.
        """


@runtime_checkable
class EntryAccess(Protocol):
    """Views and changes the scored long-term entries on behalf of a person.

    Every call blocks on the disk: call it in a worker thread. Reading takes no lock. Changes are on the disk when the
    call returns. Every call may raise `MemoryFileError`; those that change an entry raise `InputError` for an unknown
    id.
    """

    def version(self) -> str:
        """Return a text that changes when the entries may have changed. Cheap: no file is read."""

    def entries(self) -> EntryList:
        """Return all entries in the file, archived ones included, with their current scores."""

    def gone(self) -> Sequence[Entry]:
        """Return the removed entries that can be restored, the most recently removed first."""

    def history(self, entry_id: str = "", *, limit: int = 100) -> Sequence[EntryRun]:
        """Return the runs of changes, of all entries or of one, the last run first."""

    def add(self, text: str, *, group: str = "") -> EntryRun | None:
        """Remember a text. An existing entry with the same text is marked as used instead."""

    def edit(self, entry_id: str, edit: EntryEdit) -> EntryRun | None:
        """Change an entry. An edited text counts as the user's own. Return None when nothing changed."""

    def forget(self, ids: Sequence[str]) -> EntryRun | None:
        """Remove entries from the memory. `restore` and `undo` bring them back."""

    def restore(self, entry_id: str) -> EntryRun | None:
        """Bring back an entry that was archived, forgotten or deleted by anybody."""

    def undo(self, run_id: str = "") -> EntryRun | None:
        """Undo a run, by default the last one. Later changes are kept."""
