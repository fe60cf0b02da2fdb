"""A dictionary of limited size, for what a process remembers of sessions, texts and files while it runs."""

from collections import OrderedDict
from typing import TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class BoundedDict(OrderedDict[Key, Value]):
    """A dictionary of at most ``most`` items. Adding another removes the item that was set longest ago.

    Looking an item up does not refresh it; ``move_to_end`` does.
    """

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def __setitem__(self, key: Key, value: Value) -> None:
        super().__setitem__(key, value)
        self.move_to_end(key)
        if len(self) > self._most:
            self.popitem(last=False)
