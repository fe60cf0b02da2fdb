"""docs/command_line.md says what the commands say."""

import importlib.util
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


def test_every_command_and_option_says_what_it_is_for(maker):
    silent = [
        f"{name} {one.opts[0]}"
        for name, command, _ in maker.commands()
        for one in command.params
        if not one.help and one.opts[0] not in maker.LEFT_OUT
    ]
    assert silent == []
    assert all(command.help for _, command, _ in maker.commands())
