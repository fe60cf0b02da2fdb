"""Whether the index, which any process may be writing, has come to where the files were."""

import os

from nanobot_memory_plugins.storage.memory_index import MemoryIndex


class Coverage:
    """Compares the manifest with the files as they stood when this was made. It blocks.

    A file that this process cannot read is not waited for: nor could anybody say when it is covered.
    """

    def __init__(self, index: MemoryIndex) -> None:
        self._index = index
        self._waiting = {
            source.relative: (source.size, source.mtime_ns)
            for source in index.places.find()
            if os.access(source.path, os.R_OK)
        }
        self._waiting |= dict.fromkeys(set(index.files() or ()) - set(self._waiting), (0, 0))
        self.progress = 0

    def is_complete(self) -> bool:
        """Tell whether everything is covered; without a database the files are searched, and it is.

        ``progress`` is a number that changes as long as the index does.
        """
        indexed = self._index.files()
        if indexed is None:
            return True
        self.progress = sum(size for size, _ in indexed.values()) + len(indexed)
        self._waiting = {path: then for path, then in self._waiting.items() if not self._covers(path, then, indexed)}
        return not self._waiting

    def _covers(self, path: str, then: tuple[int, int], indexed: dict[str, tuple[int, int]]) -> bool:
        found = indexed.get(path)
        now = self._index.places.look(self._index.places.path(path))
        if now is None:
            return found is None
        if found is None:
            return False
        # The file as it is now; or, while others go on appending to it, as it was or longer.
        return found == (now.size, now.mtime_ns) or (found[0] >= then[0] and found[1] >= then[1])
