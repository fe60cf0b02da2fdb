"""What a memory that many machines share offers, and what it asks of whoever keeps entries."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Protocol, runtime_checkable

from nanobot_memory_plugins.core.protocols import Store
from nanobot_memory_plugins.core.values import Receipt


@runtime_checkable
class SharingStore(Protocol):
    """A store that many machines share. What is kept is in this machine's files first, and later kept for everybody."""

    async def kept_for_all(self, ids: Sequence[str]) -> Collection[str]:
        """Return those of some records, by the ids of their receipts, that are kept for everybody by now."""
        ...


async def receipt_now(store: Store | None, receipt: Receipt) -> Receipt:
    """Return a receipt as it is now: ``shared`` once what it is for is kept for everybody."""
    if not isinstance(store, SharingStore):
        return receipt
    all_of_them = (receipt, *receipt.notes)
    kept = await store.kept_for_all([one.id for one in all_of_them if one.stored and not one.shared])
    notes = tuple(replace(note, shared=note.shared or note.id in kept) for note in receipt.notes)
    return replace(receipt, notes=notes, shared=receipt.shared or receipt.id in kept)
