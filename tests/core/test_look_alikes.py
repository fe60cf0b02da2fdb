"""The table of look-alikes is what the script makes of Unicode's, and folding, redaction and fence use the same."""

from importlib.metadata import version

from nanobot_memory_plugins.core.characters.look_alikes import LATIN_OF, decoded, skeleton
from nanobot_memory_plugins.core.redaction import redact_text
from release.look_alikes import TABLE, text_of_the_table


def test_the_table_is_what_the_script_makes():
    made = text_of_the_table(version("confusable-homoglyphs"))
    assert TABLE.read_text(encoding="utf-8") == made, "run python -m release.look_alikes"


def test_letters_of_many_scripts_are_latin_to_it_and_honest_letters_are_not():
    assert "ᴇɴᴅ ᎠᎬ օո ꓰꓠ ⲟ øđ 🅴🇪".translate(LATIN_OF) == "end DE on EN o od ee"
    for word in ("結束", "הסוף", "النهاية", "終わり", "끝"):
        assert word.translate(LATIN_OF) == word


def test_what_looks_alike_has_one_spelling():
    assert skeleton("n0tes") == skeleton("notes")
    assert skeleton("rernernber") == skeleton("remember")
    assert [decoded(code) for code in ("&#69;", "&#x45;", "%45", r"\x45", r"\u0045")] == ["E"] * 5


def test_a_word_for_a_secret_is_known_in_letters_of_the_same_table():
    for word in ("pаssword", "passwοrd", "pɑssword"):
        assert "Tundra77wV" not in redact_text(f"{word}: Tundra77wV$kq")


def test_a_token_is_known_whatever_invisible_characters_stand_in_it():
    token = "ghp_" + "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7xC0fG1hJ2"
    for hidden in ("\u200b", "\U000e0101", "\u3164", "\u2063", "\ufff9"):
        assert "9jK2mN5p" not in redact_text(f"use {token[:9]}{hidden}{token[9:]} now")
