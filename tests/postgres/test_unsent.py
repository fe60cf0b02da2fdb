"""What is counted of this machine's files that the server has not."""

import threading
from collections.abc import Mapping
from pathlib import Path

from nanobot_memory_plugins.core.files import MemoryPaths
from nanobot_memory_plugins.core.isolation.threads import DaemonThreadPool
from nanobot_memory_plugins.postgres.unsent import Unsent
from nanobot_memory_plugins.search.documents import FileState
from nanobot_memory_plugins.search.sources.places import Places


def test_a_count_that_began_before_a_file_was_sent_does_not_end_after_the_one_behind_it(tmp_path: Path) -> None:
    note = tmp_path / "memory" / "topic.md"
    note.parent.mkdir()
    note.write_text("The garden gate is green.\n", encoding="utf-8")
    found = note.stat()
    state = FileState("memory/topic.md", found.st_size, "", found.st_size, found.st_mtime_ns)
    asked, go_on = threading.Event(), threading.Event()
    answers: list[Mapping[str, FileState]] = [{"memory/topic.md": state}, {}]

    def sent() -> Mapping[str, FileState]:
        answer = answers.pop()
        if not answer:  # the count that begins first takes long
            asked.set()
            go_on.wait(30)
        return answer

    unsent = Unsent(Places(MemoryPaths.of(tmp_path)), sent, DaemonThreadPool(1, "test"))
    first, second = threading.Thread(target=unsent.count), threading.Thread(target=unsent.count)
    first.start()
    asked.wait(30)
    second.start()
    second.join(0.2)
    go_on.set()
    first.join()
    second.join()
    assert unsent.bytes == 0
