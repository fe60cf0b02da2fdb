"""The dictionary that stays small."""

from hypothesis import given, settings
from hypothesis import strategies as st

from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict


def test_beyond_its_bound_the_item_that_was_set_longest_ago_goes():
    kept: BoundedDict[str, int] = BoundedDict(2)
    kept["a"] = 1
    kept["b"] = 2
    kept["a"] = 3  # set anew: b is the oldest now
    kept["c"] = 4
    assert list(kept.items()) == [("a", 3), ("c", 4)]
    kept.move_to_end("a")
    kept.setdefault("d", 5)
    assert list(kept) == ["a", "d"]


@settings(deadline=None)
@given(keys=st.lists(st.integers(0, 20)), most=st.integers(1, 8))
def test_it_holds_what_was_set_last_whatever_is_set(keys: list[int], most: int):
    kept: BoundedDict[int, None] = BoundedDict(most)
    for key in keys:
        kept |= {key: None}
    assert list(kept) == list(dict.fromkeys(reversed(keys)))[:most][::-1]
