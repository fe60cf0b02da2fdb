"""A week has three names in Chinese, 周, 星期 and 礼拜: what is read of a sentence does not depend on which it has."""

from collections.abc import Callable, Iterator
from datetime import date

import pytest

from nanobot_memory_plugins.consolidation.commands.correction_words import NOT_SO
from nanobot_memory_plugins.consolidation.commands.instructions import instructions_in
from nanobot_memory_plugins.consolidation.commands.kinds import category_of
from nanobot_memory_plugins.consolidation.commands.orders import commands_in
from nanobot_memory_plugins.core.erasure.chinese_borders import may_be_part
from nanobot_memory_plugins.core.text.changes import tells_change
from nanobot_memory_plugins.core.text.pasted import without_pasted
from nanobot_memory_plugins.core.text.reading import message_reading
from nanobot_memory_plugins.core.text.relative_dates.ahead import days_ahead
from nanobot_memory_plugins.core.text.relative_dates.standing_terms import names_standing_term
from nanobot_memory_plugins.redaction.script.chinese_script import simplified
from tests.support.chinese import in_script
from tests.support.each import each

pytestmark = pytest.mark.leaving

NAMES = ("周", "星期", "礼拜")
TODAY = date(2026, 3, 18)


def orders(text: str) -> object:
    return [one.kind for one in commands_in(text)]


def is_instruction(text: str) -> object:
    return bool(instructions_in(message_reading(text)))


def days(text: str) -> object:
    return [(one.first, one.day) for one in days_ahead(text, TODAY)]


def may_end_before(text: str) -> object:
    return may_be_part(simplified(text), "豆豆", "")


def may_begin_behind(text: str) -> object:
    return may_be_part("", "豆豆", simplified(text))


def own_lines(text: str) -> object:
    return without_pasted(text) != ""


# In each, W stands for the name.
SENTENCES: dict[Callable[[str], object], str] = {
    orders: "记得下W交房租 记住下W我出差 别忘了每W三给阳台的花浇水 记住房租每W交一次 别忘了垃圾每W收两次"
    " 记得本W五要开会 记住每W五下午不排会 别忘了下下W我过生日 记住W三我女儿上钢琴课 帮我记一下，W六要体检"
    " 记住李明每W去爬山 记住王芳下W结婚 记一下下个W三我妈来",
    category_of: "下W要考试 下W五之前 下W交材料 每W打扫 每W三上课 每W一",
    tells_change: "这W起上班 下W起涨价 下个W起改为线上",
    is_instruction: "以后回答都用英文，提醒我下W去体检 以后每次都提醒我下W交钱 以后每W用英文写周报",
    days: "一W两次，W三 W五一W两次 我W三去上课 下W三开会 W一到W五上班",
    names_standing_term: "每W三天后发货 公司每W三天内回复 W三之后三天内付款",
    may_end_before: "上W 下W 这W 本W W三 上个W 下个W 这个W",
    may_begin_behind: "下W 上W W三 W末 每W 下个W",
    own_lines: "W三：游泳\nW五：瑜伽\nW末：爬山",
}


def rows() -> Iterator[tuple[Callable[[str], object], str]]:
    for reads, sentences in SENTENCES.items():
        yield from ((reads, one) for one in sentences.split(" "))


@each(("reads", "sentence"), rows())
def test_what_is_read_does_not_depend_on_the_name_of_the_week(reads: Callable[[str], object], sentence: str):
    wanted = reads(sentence.replace("W", "周"))
    for name in NAMES:
        said = sentence.replace("W", name)
        assert reads(said) == wanted, said
        assert reads(in_script(said, "taiwan")) == wanted, said


@each("sentence", ["这W会议室改到302", "本W我用张三的车", "这个W先住酒店"])
def test_what_holds_for_one_week_corrects_nothing(sentence: str):
    assert all(NOT_SO.search(sentence.replace("W", name)) for name in NAMES)
