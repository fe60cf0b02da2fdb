"""Daemon threads for blocking work."""

import threading

from nanobot_memory_plugins.core.isolation.threads import DaemonThreadPool


def test_a_pool_has_no_more_threads_than_its_limit_and_takes_up_no_work_that_was_cancelled():
    pool = DaemonThreadPool(limit=2, name="small")
    release = threading.Event()
    futures = [pool.submit(release.wait, 60) for _ in range(6)]
    assert [thread.name for thread in threading.enumerate()].count("small") == 2
    futures[5].cancel()
    release.set()
    assert [future.result(10) for future in futures[:5]] == [True] * 5


def named(name: str) -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == name]


def test_threads_that_linger_are_as_many_as_work_at_a_time():
    pool = DaemonThreadPool(limit=2, name="lingering", linger=60)
    pool.submit(int).result(10)
    together = threading.Barrier(3)
    both = [pool.submit(together.wait, 10) for _ in range(2)]  # one thread is not enough for two at a time
    together.wait(10)
    for future in both:
        future.result(10)
    threads = named("lingering")
    assert len(threads) == 2
    pool.shutdown()
    for thread in threads:
        thread.join(10)
    assert not named("lingering")
