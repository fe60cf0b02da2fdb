"""The table of traditional characters has all that the rules need, and every rule is written so that it can match."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanobot_memory_plugins.redaction.script.chinese_script import simplified
from release.chinese_script import TABLE, pairs
from tests.support.chinese import SCRIPTS, in_script
from tests.support.each import each

ROOT = Path(__file__).parents[2] / "nanobot_memory_plugins"
# Redaction looks through a text in both scripts: its words may stand in either. Encodings are told by both.
IN_BOTH = ("redaction/", "core/redaction/", "core/transfer/formats/common_characters.py")
_HAN = re.compile(r"[\u3400-\u9fff]")


def literals(module: Path) -> Iterator[str]:
    """Yield the Chinese texts of a module, without its docstrings."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield "".join(_HAN.findall(node.value))


def modules_with_rules() -> list[Path]:
    return [
        module
        for module in sorted(ROOT.rglob("*.py"))
        if module != TABLE and not module.relative_to(ROOT).as_posix().startswith(IN_BOTH)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS)
def test_the_chinese_of_every_rule_is_read_in_every_script(script: str):
    lacking = {
        f"{module.relative_to(ROOT)}: {before} is not {after}"
        for module in modules_with_rules()
        for text in literals(module)
        for before, after in zip(simplified(in_script(text, script)), text, strict=True)
        if before != after
    }
    assert lacking == set()


def test_the_table_is_the_one_that_is_made_of_opencc():
    made = pairs()
    assert "".join(made) == "".join(made).translate({})  # each once
    assert {one: simplified(one) for one in made} == made


def test_what_is_simplified_stays_as_it_is():
    assert all(simplified(one) == one for one in pairs().values())


@given(st.text(st.characters(min_codepoint=0x3400, max_codepoint=0x9FFF) | st.characters()))
def test_every_character_keeps_its_place(text: str):
    plain = simplified(text)
    assert len(plain) == len(text)
    assert [simplified(one) for one in text] == list(plain)
    assert simplified(plain) == plain


@each(
    ("traditional", "simple"),
    [
        ("我沒有對花生過敏", "我没有对花生过敏"),
        ("后來皇后在裡面，裏面，里面", "后来皇后在里面，里面，里面"),
        ("一隻狗，只有一隻", "一只狗，只有一只"),
        ("甚麼、什麼、妳說接著講、瞭解", "什么、什么、你说接着讲、了解"),
        ("帳號、賬號、账号、帐号", "账号、账号、账号、账号"),
        ("臺灣喫飯纔說幹嘛乾淨", "台湾吃饭才说干嘛干净"),
        ("ひらがな 日本語 한국어 plain text", "ひらがな 日本语 한국어 plain text"),
    ],
)
def test_what_stands_for_the_same_is_the_same(traditional: str, simple: str):
    assert simplified(traditional) == simple
