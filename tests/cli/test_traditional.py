"""Traditional Chinese: the catalogue made of the simplified one, who gets it, and what the commands say in it."""

import re
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.cli.language import chosen_language
from nanobot_memory_plugins.core.config.languages import base_language, language_named
from nanobot_memory_plugins.core.errors import InputError
from nanobot_memory_plugins.core.hatch_build import in_traditional, read_catalogue
from nanobot_memory_plugins.core.host.turn_records import notice_language
from release.catalogues import catalogue_of, places_in

from ..support.chinese import simplified_only
from ..support.each import each

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


def test_what_a_turn_is_told_has_one_chinese():
    assert base_language("zh_Hant") == base_language("zh") == "zh"
    assert notice_language("zh_Hant", "hello") == notice_language("zh", "hello") == "zh"
    assert notice_language("en", "你好") == "en"
