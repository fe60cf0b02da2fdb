"""Messages are translated into the user's language; a language is one file."""

from pathlib import Path

from nanobot_memory_plugins.core.cli import language
from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.config import languages
from nanobot_memory_plugins.core.errors import InputError
from nanobot_memory_plugins.redaction.script.messages import Sentence, tr, use_translation
from release.catalogues import write


def write_german(folder: Path, translations: dict[str, str]) -> None:
    language.catalogue.cache_clear()
    write(folder / "de.po", translations, {text: ["somewhere.py"] for text in translations})


def test_a_new_language_only_needs_a_catalogue(tmp_path: Path, monkeypatch, capsys):
    write_german(tmp_path, {"There is no workspace at {folder}.": "In {folder} ist kein Arbeitsbereich."})
    monkeypatch.setattr(languages, "CATALOGUES", tmp_path)
    monkeypatch.setenv("LC_ALL", "de_AT.UTF-8")
    assert run_command_line(["why", "x", "-w", str(tmp_path / "nowhere")]) == 1
    said = capsys.readouterr().err
    assert f"In {tmp_path / 'nowhere'} ist kein Arbeitsbereich." in said
    assert "name the agent's folder with --workspace." in said  # a text without a translation stays English


def test_a_damaged_catalogue_leaves_the_command_line_in_english(tmp_path: Path, monkeypatch, capsys):
    write_german(tmp_path, {"The memory is empty.": "Die Erinnerung ist leer."})
    file = tmp_path / "de.po"
    file.write_text(file.read_text().replace("ist leer", "ist \\leer"))
    monkeypatch.setattr(languages, "CATALOGUES", tmp_path)
    assert run_command_line(["--lang", "de", "search", "x", "-w", str(tmp_path), "--no-embeddings"]) == 0
    assert "The memory is empty." in capsys.readouterr().out


def test_a_sentence_equals_its_english_text_and_can_be_translated():
    inner = Sentence("{count} files", count=2)
    whole = Sentence("{what} at {place}", what=inner, place="here")
    table = {"{count} files": "{count} 个文件", "{what} at {place}": "{place} 有 {what}"}
    assert whole == "2 files at here"
    with use_translation(lambda text: table.get(text, text)):
        assert tr(whole) == "here 有 2 个文件"
        assert tr(InputError(whole).cause) == "here 有 2 个文件"
        assert str(whole) == "2 files at here"
    assert tr(whole) == "2 files at here"
