"""The decision after a turn is cheap, however long the history is."""

from benchmarks import flush as benchmark


async def test_a_history_of_10_000_messages_takes_half_a_second_of_processor_time_after_a_turn():
    assert min(await benchmark.decision_times(10_000, 5)) * 1e6 < benchmark.LIMIT
