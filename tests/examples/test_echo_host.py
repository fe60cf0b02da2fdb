"""The complete host in one file: memory, tools, compaction and idle sessions in fewer than sixty lines."""

import subprocess
import sys
from pathlib import Path

HOST = Path(__file__).parents[2] / "examples" / "echo_host.py"


def test_it_handles_tools_compaction_and_the_end_of_a_session(tmp_path):
    assert len(HOST.read_text().splitlines()) < 60
    said = ["My boat is called Mistral.", "call clock", "call memory_search boat", *(f"Line {n}." for n in range(20))]
    (tmp_path / "config.json").write_text('{"memoryPlugins": {"storage": {"embeddingProvider": "none"}}}')
    done = subprocess.run(
        [sys.executable, HOST, tmp_path],
        cwd=tmp_path,
        input="\n".join([*said, "What is my boat called?"]),
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    replies = done.stdout.split("You gave me ")
    assert "It is " in replies[2]
    assert "My boat is called Mistral.\n\ncall clock\n\n" in done.stdout
    assert done.stdout.rindex("My boat is called Mistral.\n\ncall clock\n\n") < done.stdout.rindex("Line 15.")
    assert "Mistral" in replies[-1]
    notes = "".join(path.read_text() for path in tmp_path.glob("memory/20*.md"))
    assert notes.count("tags: observation, clock") == 1
    assert "memory_search {" not in notes
    assert "tags: summary, session" in notes
    (transcript,) = tmp_path.glob("memory/sessions/*.jsonl")
    assert transcript.read_text().count('"role":"user","text":"My boat is called Mistral."') == 1
