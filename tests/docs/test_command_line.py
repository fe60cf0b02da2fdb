"""docs/command_line.md says what the commands say, and its Chinese form what they say in Chinese."""

import importlib.util
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def maker():
    spec = importlib.util.spec_from_file_location("make_command_line", DOCS / "make_command_line.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_what_the_commands_make(maker):
    page = (DOCS / "command_line.md").read_text(encoding="utf-8")
    assert page == maker.page(), "run docs/make_command_line.py"


def test_the_chinese_page_is_what_the_commands_and_the_catalogue_make(maker):
    page = (DOCS / "zh" / "command_line.md").read_text(encoding="utf-8")
    assert page == maker.chinese_page(), "run docs/make_command_line.py"
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    assert len(rows) > 100
    assert [row for row in rows if not re.search("[一-鿿]", row.rpartition(" | ")[2])] == []
    assert maker.page() == (DOCS / "command_line.md").read_text(encoding="utf-8")  # English is as it was


def test_every_command_and_option_says_what_it_is_for(maker):
    silent = [
        f"{name} {one.opts[0]}"
        for name, command, _ in maker.commands()
        for one in command.params
        if not one.help and one.opts[0] not in maker.LEFT_OUT
    ]
    assert silent == []
    assert all(command.help for _, command, _ in maker.commands())
