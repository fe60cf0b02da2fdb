"""Confirmation questions: the answers no and yes, and Ctrl-C, in the user's language."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.cli.main import run_command_line

WORDS = "蔬菜汤配米饭"


class Terminal(io.StringIO):
    """A terminal with typed input, after which the user presses Ctrl-C."""

    def isatty(self) -> bool:
        return True

    def readline(self, size: int = -1) -> str:
        if not (line := super().readline(size)):
            raise KeyboardInterrupt
        return line


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    file = tmp_path / "workspace" / "memory" / "2026-11-02.md"
    file.parent.mkdir(parents=True)
    file.write_text(f"# 2026-11-02\n\n{WORDS}\n", encoding="utf-8")
    return file


def purge(memory: Path, typed: str, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(sys, "stdin", Terminal(typed))
    words = ["purge", "--text", WORDS, "--everywhere", "--workspace", str(memory.parents[1])]
    return run_command_line(["--lang", "zh", *words])


def test_the_answer_no_changes_nothing(memory, monkeypatch, capsys):
    assert purge(memory, "\n", monkeypatch) == 1
    assert "没有任何改动" in capsys.readouterr().err
    assert WORDS in memory.read_text(encoding="utf-8")
    assert purge(memory, "y\n", monkeypatch) == 0
    assert WORDS not in memory.read_text(encoding="utf-8")


def test_ctrl_c_at_a_question_interrupts_the_command(memory, monkeypatch, capsys):
    assert purge(memory, "", monkeypatch) == 130
    assert "已中断" in capsys.readouterr().err
    assert WORDS in memory.read_text(encoding="utf-8")
