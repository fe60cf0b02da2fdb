"""The recording of the first minutes: each command is run, and what it really prints is in it."""

import json
from pathlib import Path

from docs import make_recording


def test_the_recording_shows_commands_that_work_and_what_they_print(tmp_path: Path):
    file = tmp_path / "made.cast"
    make_recording.main(file)
    head, *events = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    assert (head["version"], head["width"]) == (2, make_recording.COLUMNS)
    times = [at for at, _, _ in events]
    assert times == sorted(times)
    shown = "".join(text for _, kind, text in events if kind == "o")
    for command in make_recording.COMMANDS:
        assert command in shown
    assert shown.count("listens on port 5433") >= 3
    assert str(tmp_path) not in shown


def test_the_recording_that_is_kept_is_of_these_commands():
    kept = [json.loads(line) for line in make_recording.RECORDING.read_text(encoding="utf-8").splitlines()[1:]]
    shown = "".join(text for _, _, text in kept)
    assert all(command in shown for command in make_recording.COMMANDS)
