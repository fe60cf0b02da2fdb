"""One module says whose rows are meant: nowhere else is a tenant compared with a value."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from nanobot_memory_plugins import postgres
from tests.support.each import each

PACKAGE = Path(postgres.__file__).parent
# The second is a wall of its own: what it says must not come from what it stands behind.
MAKERS = {"database/where.py", "database/row_security.py"}
COLUMN = r"""\btenant\b"?(?:::\w+)?"""
COMPARES = r"(?:=|<>|!=|IN\b|IS\b|LIKE\b|BETWEEN\b)"
BY_HAND = re.compile(
    rf"""{COLUMN}\s*{COMPARES}(?!\s*\w+\.tenant\b)|(?:%s|%\(\w+\)s|'|\{{\}})\s*=\s*(?:\w+\.)?"?{COLUMN}"""
    rf"""|\([^()]*{COLUMN}[^()]*\)\s*(?:=|IN\b)"""
)


def texts(tree: ast.AST) -> Iterator[str]:
    """Yield every text of a module, with {} for what is put into it."""
    inside = {id(one) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for one in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(one.value) if isinstance(one, ast.Constant) else "{}" for one in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inside:
            yield node.value


def by_hand(source: str) -> list[str]:
    return [text for text in texts(ast.parse(source)) if BY_HAND.search(text)]


@each(
    "condition",
    [
        '"DELETE FROM x WHERE tenant = %s"',
        '"DELETE FROM x c WHERE c.machine = %s AND c.tenant=%(tenant)s"',
        "f\"SELECT 1 FROM {x} c WHERE {alias}.tenant = '{number}'::uuid\"",
        "f\"SELECT 1 FROM {x} c WHERE c.tenant::text = '{number}'\"",
        "'SELECT 1 FROM x WHERE \"tenant\" = %s'",
        '"SELECT 1 FROM x c WHERE c.tenant = ANY(%s)"',
        '"SELECT 1 FROM x c WHERE c.tenant IN (%s, %s)"',
        '"SELECT 1 FROM x c WHERE c.tenant IS NOT DISTINCT FROM %s"',
        '"SELECT 1 FROM x c WHERE %s = c.tenant"',
        '"SELECT 1 FROM x WHERE (tenant, id) = (%s, %s)"',
        '"SELECT 1 FROM x c WHERE c.tenant <> %s"',
        '("UPDATE x SET y = 1 " "WHERE tenant " "= %s")',
    ],
)
def test_a_condition_that_is_written_by_hand_is_found(condition: str):
    assert by_hand(f"sql = {condition}")


@pytest.mark.parametrize(
    "statement",
    [
        "f\"SELECT 1 FROM {x} c WHERE {of_tenant(tenant, 'c')}\"",
        '"SELECT 1 FROM x c JOIN y e ON c.tenant = e.tenant"',
        '"INSERT INTO x (tenant, id) VALUES (%s, %s) ON CONFLICT (tenant, id) DO UPDATE SET y = excluded.y"',
        '"a tenant is one memory of many"',
    ],
)
def test_what_compares_a_tenant_with_no_value_is_left_alone(statement: str):
    assert by_hand(f"sql = {statement}") == []


def test_no_other_module_says_whose_rows_are_meant():
    found = {
        str(file.relative_to(PACKAGE)): condition
        for file in sorted(PACKAGE.rglob("*.py"))
        if file.relative_to(PACKAGE).as_posix() not in MAKERS
        for condition in by_hand(file.read_text(encoding="utf-8"))
    }
    assert found == {}


def test_the_modules_that_may_do_so_are_found():
    assert all(by_hand((PACKAGE / name).read_text(encoding="utf-8")) for name in MAKERS)
