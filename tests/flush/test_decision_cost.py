"""The decision after a turn costs the same however long the history is."""

from benchmarks import flush as benchmark


def test_the_benchmark_prints_the_ratios(monkeypatch, capsys):
    monkeypatch.setattr(benchmark, "TURNS", 2)
    monkeypatch.setattr(benchmark, "SIZES", (10, 50))
    benchmark.main()
    assert capsys.readouterr().out.count("10,000 beside 100") == 2


# The quickest turn of each: whatever else the machine does falls on some turns, a count of the whole history, a hundred
# times as dear, on all.
def test_counting_a_turn_does_not_grow_with_the_history():
    assert min(benchmark.tally_times(10_000, 100)) < 5 * min(benchmark.tally_times(100, 100))


async def test_the_whole_decision_does_not_grow_with_the_history():
    assert min(await benchmark.decision_times(10_000, 60)) < 5 * min(await benchmark.decision_times(100, 60))
