"""A dictionary that stays small: what is remembered of sessions, texts and files for as long as a process runs."""

from collections import OrderedDict
from typing import TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class BoundedDict(OrderedDict[Key, Value]):
    """A dictionary of at most ``most`` items: beyond, the one that was set longest ago goes.

    ``move_to_end`` keeps one that was only looked up from going soon.
    """

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def __setitem__(self, key: Key, value: Value) -> None:
        super().__setitem__(key, value)
        self.move_to_end(key)
        if len(self) > self._most:
            self.popitem(last=False)
