"""A receipt says what is kept for everybody, of what was stored at all."""

from collections.abc import Sequence

from nanobot_memory_plugins.core import Receipt
from nanobot_memory_plugins.core.host.shared_receipts import receipt_now
from nanobot_memory_plugins.core.protocols import SharingStore


class AskedStore(SharingStore):
    def __init__(self) -> None:
        self.asked: list[str] = []

    async def kept_for_all(self, ids: Sequence[str]) -> set[str]:
        self.asked += ids
        return set(ids)


async def test_the_server_is_asked_for_what_was_stored_alone():
    store = AskedStore()
    notes = (Receipt(stored=True, id="a"), Receipt(stored=False, id="b"), Receipt(stored=True, id="c", shared=True))
    now = await receipt_now(store, Receipt(stored=False, id="whole", notes=notes))
    assert store.asked == ["a"]
    assert [note.shared for note in now.notes] == [True, False, True]
