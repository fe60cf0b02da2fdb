"""Receipts of a memory that many machines share."""

from dataclasses import replace

from nanobot_memory_plugins.core.protocols import SharingStore, Store
from nanobot_memory_plugins.core.values import Receipt


async def receipt_now(store: Store | None, receipt: Receipt) -> Receipt:
    """Return a receipt as it is now: ``shared`` once what it is for is kept for everybody."""
    if not isinstance(store, SharingStore):
        return receipt
    all_of_them = (receipt, *receipt.notes)
    kept = await store.kept_for_all([one.id for one in all_of_them if one.stored and not one.shared])
    notes = tuple(replace(note, shared=note.shared or note.id in kept) for note in receipt.notes)
    return replace(receipt, notes=notes, shared=receipt.shared or receipt.id in kept)
