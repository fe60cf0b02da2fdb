"""Daemon threads for blocking work."""

import threading

from nanobot_memory_plugins.core.isolation.threads import DaemonThreadPool


def test_a_pool_respects_its_limit_and_skips_cancelled_work():
    pool = DaemonThreadPool(limit=2, name="small")
    release = threading.Event()
    futures = [pool.submit(release.wait, 60) for _ in range(6)]
    assert [thread.name for thread in threading.enumerate()].count("small") == 2
    futures[5].cancel()
    release.set()
    assert [future.result(10) for future in futures[:5]] == [True] * 5


def threads_named(name: str) -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == name]


def test_a_pool_adds_a_thread_if_idle_ones_are_not_enough():
    pool = DaemonThreadPool(limit=2, name="lingering", linger=60)
    pool.submit(int).result(10)
    together = threading.Barrier(3)
    both = [pool.submit(together.wait, 10) for _ in range(2)]  # both must run at the same time
    together.wait(10)
    for future in both:
        future.result(10)
    threads = threads_named("lingering")
    assert len(threads) == 2
    pool.shutdown()
    for thread in threads:
        thread.join(10)
    assert not threads_named("lingering")
