"""The list of acceptance rows and the tests that carry them agree."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROW = re.compile(r"^\| (?P<row>[A-Z0-9]{2}-\d{2}) \| (?P<state>\w+) \|", re.MULTILINE)


def rows() -> dict[str, str]:
    text = (ROOT / "docs" / "acceptance.md").read_text(encoding="utf-8")
    return {match["row"]: match["state"] for match in ROW.finditer(text)}


@cache
def carried() -> dict[str, list[str]]:
    """Return the rows that tests carry, by the marker's arguments as they stand in the source."""
    found: dict[str, list[str]] = {}
    for file in sorted((ROOT / "tests").rglob("test_*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.accept":
                for argument in node.args:
                    assert isinstance(argument, ast.Constant), f"{file}: the rows of a marker are literals"
                    found.setdefault(str(argument.value), []).append(file.name)
    return found


def test_every_row_has_a_known_state():
    assert len(rows()) > 100
    assert set(rows().values()) <= {"shown", "open"}


@pytest.mark.slow
def test_a_shown_row_is_carried_by_a_test():
    missing = [row for row, state in rows().items() if state == "shown" and row not in carried()]
    assert missing == []


def test_an_open_row_is_carried_by_no_test():
    ahead = {row: carried()[row] for row, state in rows().items() if state == "open" and row in carried()}
    assert ahead == {}


def test_no_test_names_a_row_that_does_not_exist():
    assert set(carried()) - set(rows()) == set()
