"""Tests that documents name are there."""

import ast
import re
from pathlib import Path

from tests.support.each import each

ROOT = Path(__file__).parents[2]
_NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
NAMED = sorted({found for page in (ROOT / "docs").glob("*.md") for found in _NAMED.findall(page.read_text("utf-8"))})


@each("file", sorted({file for file, _ in NAMED}))
def test_a_test_that_a_document_names_is_there(file: str):
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    functions = {one.name for one in ast.walk(tree) if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)}
    assert {name for one, name in NAMED if one == file} <= functions


def test_the_complaints_of_users_elsewhere_name_their_tests():
    text = (ROOT / "docs" / "hosts.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\|.*\|$", text.partition("complain of")[2].partition("\n## ")[0], re.MULTILINE)[2:]
    assert len(rows) >= 15
    assert [row for row in rows if not _NAMED.search(row)] == []
