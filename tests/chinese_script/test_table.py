"""The table of traditional characters has all that the rules need."""

from hypothesis import given
from hypothesis import strategies as st

from nanobot_memory_plugins.redaction.script.chinese_script import simplified
from release.chinese_script import pairs
from tests.support.each import each


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
