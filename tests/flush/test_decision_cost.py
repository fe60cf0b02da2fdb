"""The decision after a turn costs the same however long the history is."""

from benchmarks import flush as benchmark


def test_the_benchmark_prints_the_ratios(monkeypatch, capsys):
    monkeypatch.setattr(benchmark, "TURNS", 2)
    monkeypatch.setattr(benchmark, "SIZES", (10, 50))
    benchmark.main()
    assert capsys.readouterr().out.count("10,000 beside 100") == 2


def test_counting_a_turn_does_not_grow_with_the_history():
    # A count of the whole history would be a hundred times as dear.
    assert benchmark.tally_seconds(10_000, 100) < 5 * benchmark.tally_seconds(100, 100)


async def test_the_whole_decision_does_not_grow_with_the_history():
    assert await benchmark.decision_seconds(10_000, 60) < 5 * await benchmark.decision_seconds(100, 60)
