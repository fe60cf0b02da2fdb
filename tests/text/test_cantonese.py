"""Cantonese: what is not to be kept, and what is, in the words that it has for itself."""

import pytest

from nanobot_memory_plugins.consolidation.commands.orders import commands_in
from nanobot_memory_plugins.core.text.folding import fold
from nanobot_memory_plugins.core.text.off_record import OffRecord, off_record, takes_back

pytestmark = pytest.mark.leaving

KEPT_OUT = [
    "呢句唔好記：我其實同細佬嗌咗交，因為錢嘅事。",
    "呢件事你唔好記低，我同老細嗌交",
    "呢啲唔好存：佢有癌症",
    "咪記呢句，我隻腳痛",
    "你唔好寫低：我欠咗卡數",
    "以下嘅嘢唔好記：佢離咗婚",
    "唔好記住呢個：密碼改咗",
    "當我冇講過：我鍾意佢",
]
ORDINARY = [
    "呢句點解？",
    "唔好意思，呢張單記唔記得寫低日期？",
    "嗰間餐廳唔好食",
    "唔好開門畀人",
    "呢個檔案唔好存落桌面",
    "唔好記錯我生日",
    "我唔記得呢句點讀",
    "老細叫我唔好寫低任何嘢",
    "唔使記住咁多生字，點學英文好？",
    "點解唔好記低密碼喺手機？",
    "唔使寫低步驟，答案得喇",
]


@pytest.mark.parametrize("message", KEPT_OUT)
def test_what_is_not_to_be_kept(message: str):
    assert off_record(message) is OffRecord.MESSAGE


def test_what_is_said_from_here_on():
    assert off_record("接落嚟講嘅唔好記：我懷孕喇") is OffRecord.PAUSE


@pytest.mark.parametrize("message", ["嗰句唔好記", "頭先嗰句唔好記住"])
def test_what_was_said_before_is_taken_back(message: str):
    assert takes_back(message)


@pytest.mark.parametrize("message", ORDINARY)
def test_an_ordinary_message_is_kept(message: str):
    assert off_record(message) is None
    assert not takes_back(message)
    assert not commands_in(message)


def test_an_order_to_remember():
    (order,) = commands_in("記低佢覆診係11月18號朝早10點半，伊利沙伯醫院糖尿科。")
    assert order.text == "佢覆診係11月18號朝早10點半，伊利沙伯醫院糖尿科"


@pytest.mark.parametrize("message", KEPT_OUT + ORDINARY)
def test_every_character_keeps_its_place(message: str):
    assert len(fold(message)) == len(message)
