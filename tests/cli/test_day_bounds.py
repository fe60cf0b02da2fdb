"""``--since`` and ``--until`` accept dates, and days in words."""

import json
from datetime import datetime, time, timedelta
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.cli.options import parse_date_option
from nanobot_memory_plugins.core.errors import WrongUseError
from nanobot_memory_plugins.core.text.days import parse_moment
from tests.support.each import each

NOW = datetime(2026, 11, 28, 2, 0).astimezone()  # a Saturday
WORDS = [
    ("yesterday", "2026-11-27", "2026-11-27"),
    ("昨天", "2026-11-27", "2026-11-27"),
    ("last week", "2026-11-16", "2026-11-22"),
    ("上個月", "2026-10-01", "2026-10-31"),
    ("2026-02", "2026-02-01", "2026-02-28"),
    ("２０２６年2月5日", "2026-02-05", "2026-02-05"),
]


@each(("text", "first", "last"), WORDS)
def test_a_period_in_words_has_a_first_and_a_last_moment(text: str, first: str, last: str):
    begin, end = (parse_moment(text, end=end, now=NOW).astimezone() for end in (False, True))
    assert (begin.date().isoformat(), begin.time()) == (first, time.min)
    assert (end.date().isoformat(), end.time()) == (last, time.max)


@each("text", ["foo yesterday", "yesterday or so", "tea", "5", "2026-13-01", "tomorrow", "昨天的茶"])
def test_a_text_that_is_not_a_date_is_refused(text: str):
    with pytest.raises(WrongUseError):
        parse_date_option("--since", text, end=False)


def test_search_and_timeline_accept_days_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (memory := tmp_path / "memory").mkdir()
    today = datetime.now().date()
    for days in (0, 1, 9):
        day = today - timedelta(days=days)
        (memory / f"{day}.md").write_text(f"# {day}\n\nWe drank oolong tea, {days}.\n", encoding="utf-8")
    config = tmp_path / "config.json"
    config.write_text('{"memoryPlugins": {"storage": {"embeddingProvider": "none"}}}', encoding="utf-8")

    def run_json(*arguments: str) -> dict:
        assert run_command_line([*arguments, "-w", str(tmp_path), "--json"]) == 0
        return json.loads(capsys.readouterr().out.splitlines()[-1])

    def found(*bounds: str) -> set[str]:
        return {Path(hit["file"]).stem for hit in run_json("search", "tea", *bounds, "-c", str(config))["hits"]}

    yesterday = str(today - timedelta(days=1))
    assert found("--since", "昨天") == {str(today), yesterday}
    assert found("--since", "yesterday", "--until", "昨天") == {yesterday}
    assert str(today) not in found("--until", "yesterday")
    assert run_json("timeline", "--since", "昨天", "--until", "today")["ok"]
