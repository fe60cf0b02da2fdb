"""Many open the index at once, in one process and in several."""

import threading
from pathlib import Path

from nanobot_memory_plugins.storage.connections import DatabaseOpener


def test_threads_that_open_a_new_index_at_once_meet_no_half_made_file(tmp_path: Path):
    failures: list[BaseException] = []

    def open_all(writing_first: bool) -> None:
        for part in range(40):
            opener = DatabaseOpener(tmp_path / str(part) / "memory.db")
            steps = (opener.for_writing, opener.for_reading)
            try:
                for step in steps if writing_first else reversed(steps):
                    step().close()
            except BaseException as error:
                failures.append(error)

    threads = [threading.Thread(target=open_all, args=(number % 2 == 0,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert list(tmp_path.rglob("*.broken*")) == []
