"""Traditional Chinese: the catalogue made of the simplified one, who gets it, and what the commands say in it."""

import re
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.cli.language import chosen_language
from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.config import CoreOptions
from nanobot_memory_plugins.core.config.languages import base_language, language_named
from nanobot_memory_plugins.core.errors import InputError
from nanobot_memory_plugins.core.hatch_build import in_traditional, read_catalogue
from nanobot_memory_plugins.core.host.unheard import told_in
from release.catalogues import catalogue_of, places_in

from ..support.chinese import in_script, simplified_only
from ..support.each import each
from .test_in_chinese import TEXTS

pytestmark = pytest.mark.leaving

# What no catalogue turns: names of values, options, files and commands.
LATIN = re.compile(r"[!-~]+")


def test_its_sentences_take_the_same_values_and_name_the_same_options_and_files():
    for simplified in read_catalogue(catalogue_of("zh")).values():
        said = in_traditional(simplified)
        assert places_in(said) == places_in(simplified)
        assert LATIN.findall(said) == LATIN.findall(simplified)


def test_none_of_its_sentences_has_a_character_of_simplified_chinese():
    said = map(in_traditional, read_catalogue(catalogue_of("zh")).values())
    wrong = {one: found for one in said if (found := simplified_only(one))}
    assert wrong == {}


def test_a_character_of_simplified_chinese_would_be_found():
    assert simplified_only("找到 3 条记忆") == set("条记忆")
    assert simplified_only(in_script("".join(TEXTS), "taiwan")) == set()
    assert simplified_only("這台機器只限制系統裡的表面，了解") == set()


@each(
    ("simplified", "traditional"),
    [
        ("文件夹里的文件", "資料夾裡的檔案"),
        ("{count:,} 个中显示了前 {most} 个", "{count:,} 個中顯示了前 {most} 個"),
        ("列表全部显示，如同在管道里。", "列表全部顯示，如同在管道裡。"),
        ("这个名称已被发行包 {owner} 占用", "這個名稱已被發行包 {owner} 佔用"),
        ("只写插件名表示它的全部选项。", "只寫外掛名表示它的全部選項。"),
        ("{failed:,} 轮回忆失败", "{failed:,} 輪回憶失敗"),
        ("随时间淡化，并合并相同的条目", "隨時間淡化，並合併相同的條目"),
        ("{n}周", "{n}週"),
        ("请直接打开面板，再运行同样的命令", "請直接開啟面板，再執行同樣的命令"),
        ("这台机器的权限", "這台機器的權限"),
        ("事件循环、数据库、数据集和端口", "事件迴圈、資料庫、資料集和連接埠"),
    ],
)
def test_sentences_are_as_taiwan_writes_them(simplified: str, traditional: str):
    assert in_traditional(simplified) == traditional


@each(
    ("name", "language"),
    [
        ("zh", "zh"),
        ("zh_CN.UTF-8", "zh"),
        ("zh_SG", "zh"),
        ("zh-Hans", "zh"),
        ("zh_Hans_HK", "zh"),
        ("zh-hans-tw", "zh"),
        ("ZH", "zh"),
        ("zh_TW.UTF-8", "zh_Hant"),
        ("zh_TW.Big5", "zh_Hant"),
        ("zh_TW.UTF-8@radical", "zh_Hant"),
        ("zh_HK", "zh_Hant"),
        ("zh_MO.utf8", "zh_Hant"),
        ("zh-tw", "zh_Hant"),
        ("zh-Hant", "zh_Hant"),
        ("zh_hant", "zh_Hant"),
        ("zh-Hant-TW", "zh_Hant"),
        ("zh_Hant_CN.UTF-8", "zh_Hant"),
        ("en_HK.UTF-8", "en"),
        ("en", "en"),
        ("de_AT.UTF-8", None),
        ("C.UTF-8", None),
        ("POSIX", None),
        ("auto", None),
        ("", None),
        ("xx", None),
    ],
)
def test_a_name_and_a_locale_ask_for_the_script_that_is_written_there(name: str, language: str | None, tmp_path: Path):
    assert language_named(name) == language
    nowhere = {"NANOBOT_MEMORY_CONFIG": str(tmp_path / "none.json")}
    assert chosen_language(["stats"], {"LC_ALL": name, **nowhere}) == (language or "en", ["stats"])
    if language is None:
        with pytest.raises(InputError, match="no catalogue"):
            chosen_language(["--lang", name, "stats"], nowhere)
    else:
        assert chosen_language(["stats", f"--lang={name}"], nowhere) == (language, ["stats"])


@each(("written", "language"), [("zh-Hant", "zh_Hant"), ("zh_TW", "zh_Hant"), ("zh_CN", "zh"), ("auto", "auto")])
def test_the_configuration_asks_for_it_too(written: str, language: str, tmp_path: Path):
    assert CoreOptions(language=written).language == language
    file = tmp_path / "config.json"
    file.write_text(f'{{"memoryPlugins": {{"core": {{"language": "{written}"}}}}}}', encoding="utf-8")
    given = {"NANOBOT_MEMORY_CONFIG": str(file), "LANG": "en_US.UTF-8"}
    assert chosen_language([], given)[0] == ("en" if language == "auto" else language)


def test_what_a_turn_is_told_has_one_chinese():
    assert base_language("zh_Hant") == base_language("zh") == "zh"
    assert told_in("zh_Hant", "hello") == told_in("zh", "hello") == "zh"
    assert told_in("en", "你好") == "en"


def test_an_unknown_language_is_named_with_those_that_there_are(monkeypatch: pytest.MonkeyPatch, capsys):
    monkeypatch.setenv("LC_ALL", "zh_TW.UTF-8")
    assert run_command_line(["--lang", "xx", "stats"]) == 2
    assert "沒有語言 xx 的譯文。" in capsys.readouterr().err
