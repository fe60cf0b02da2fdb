"""The catalogues hold every sentence that people read, compiled as they are written; a language is a file."""

import gettext
import io
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.cli import language
from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.cli.typer_words import told_error
from nanobot_memory_plugins.core.config import languages
from nanobot_memory_plugins.core.errors import InputError
from nanobot_memory_plugins.core.isolation.answers import Expected, accepted_values
from nanobot_memory_plugins.core.values.diagnosis import Finding
from nanobot_memory_plugins.redaction.script.messages import Sentence, speaking, together, tr
from release import catalogues
from release.catalogues import CATALOGUES, compiled, places_in, read, sentences, spliced, write
from release.running import ReleaseError

FILES = sorted(CATALOGUES.glob("*.po"))


@cache
def found() -> dict[str, list[str]]:
    """Give every sentence of the sources; reading them takes seconds."""
    return sentences()


def test_the_sentences_of_the_sources_are_found():
    assert len(found()) > 1_000
    for said in (
        "There is no workspace at {folder}.",  # of an error
        "Show what is good, too.",  # of an option
        "The scored memories: list, remember, forget, undo.",  # of a command
        "passages: {documents:,}, files: {files:,}",  # of a finding
        "memories in a block at any tier, at most",  # of an option of the configuration
        "Nothing was found.",
    ):
        assert said in found(), said


def test_a_table_that_has_another_name_now_is_named(tmp_path: Path):
    """Its translations would be dropped as those of texts that nobody shows."""
    trace = tmp_path / "recall" / "trace.py"
    trace.parent.mkdir()
    trace.write_text('class Why:\n    LATE = "too late"\n', encoding="utf-8")
    with pytest.raises(ReleaseError, match="Reason"):
        sentences(tmp_path)
    trace.write_text('class Reason:\n    LATE = "too late"\n', encoding="utf-8")
    assert sentences(tmp_path) == {"too late": ["recall/trace.py"]}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_sentence_has_a_translation_with_the_same_values(file: Path):
    translations = read(file)
    assert [text for text in found() if not translations.get(text)] == []
    assert [text for text in translations if text not in found()] == []
    assert [text for text, said in translations.items() if places_in(text) != places_in(said)] == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_catalogue_is_compiled_as_it_is_written(file: Path):
    made = gettext.GNUTranslations(io.BytesIO(file.with_suffix(".mo").read_bytes()))
    for text, said in read(file).items():
        assert made.gettext(text) == said


def test_a_sentence_that_is_added_is_found(tmp_path: Path):
    (tmp_path / "cli").mkdir()
    (tmp_path / "cli" / "new.py").write_text(
        'def run(n):\n    raise InputError(Sentence("{n} is new.", n=n), hint="Go on.")\n'
    )
    assert sorted(sentences(tmp_path)) == ["Go on.", "{n} is new."]


def test_no_text_that_people_are_shown_is_an_f_string():
    assert spliced() == []


def test_an_f_string_that_people_are_shown_is_found(tmp_path: Path):
    (tmp_path / "new.py").write_text(
        'def run(n):\n    raise InputError(f"{n} is new to us.", hint=f"chmod 600 {n}" if n else f"{n} goes on.")\n'
    )
    assert spliced(tmp_path) == ["new.py:2: f'{n} is new to us.'", "new.py:2: f'{n} goes on.'"]


@pytest.mark.parametrize(
    "body",
    [
        "say(f'{n} is new to us.')",
        "text = f'{n} is new to us.'\n    say(text)",
        "text: str = f'{n} is new to us.'\n    _tell(False, {}, lambda: text)",
        "text = 'x' if n else f'{n} is new to us.'\n    raise InputError(text)",
        "text = 'One. '\n    text += f'{n} is new to us.'\n    typer.echo(text)",
        "lines = ['x', f'{n} is new to us.']\n    say('\\n'.join(lines))",
        "say('\\n'.join(f'{one} is new to us.' for one in n))",
        "more = f'{n} is new to us.'\n    text = f'* {more}'\n    console.print(text)",
        "say(tr('{n}', n=n) + f'{n} is new to us.')",
        "if (text := f'{n} is new to us.'):\n        Finding('disk', text)",
    ],
)
def test_an_f_string_that_is_held_in_a_variable_first_is_found(tmp_path: Path, body: str):
    (tmp_path / "new.py").write_text(f"def run(n):\n    {body}\n")
    (found,) = spliced(tmp_path)
    assert "is new to us." in found


@pytest.mark.parametrize(
    "body",
    [
        "text = tr('{n} is new to us.', n=n)\n    say(text)",
        "text = f'nanobot-memory entries list{n}'\n    say(text)",
        "sql = f'SELECT {n} FROM docs'\n    connection.execute(sql)\n    say(n)",
        "say(f'{n}: {n}')",
    ],
)
def test_an_f_string_that_says_nothing_of_ours_is_left_alone(tmp_path: Path, body: str):
    (tmp_path / "new.py").write_text(f"def run(n):\n    {body}\n")
    assert spliced(tmp_path) == []


def test_a_third_language_is_a_file(tmp_path: Path, monkeypatch, capsys):
    file = tmp_path / "de.po"
    write(file, {"There is no workspace at {folder}.": "In {folder} ist kein Arbeitsbereich."}, found())
    monkeypatch.setattr(languages, "CATALOGUES", tmp_path)
    monkeypatch.setenv("LC_ALL", "de_AT.UTF-8")
    assert run_command_line(["why", "x", "-w", str(tmp_path / "nowhere")]) == 1
    said = capsys.readouterr().err
    assert f"In {tmp_path / 'nowhere'} ist kein Arbeitsbereich." in said
    assert "Name the agent's folder with --workspace." in said  # what is not translated is said in English


def test_a_third_language_names_what_stands_for_a_value(tmp_path: Path, monkeypatch, capsys):
    write(tmp_path / "de.po", {"Usage: ": "Aufruf: ", "ID": "KENNUNG", "DIR": "ORDNER"}, found())
    monkeypatch.setattr(languages, "CATALOGUES", tmp_path)
    monkeypatch.setenv("LC_ALL", "de_AT.UTF-8")
    assert run_command_line(["entries", "show", "--help"]) == 0
    said = capsys.readouterr().out
    assert "Aufruf: nanobot-memory entries show [OPTIONS] {KENNUNG}" in said
    assert "ORDNER" in said


def test_a_third_language_is_chosen_in_the_configuration(tmp_path: Path, monkeypatch, capsys):
    write(tmp_path / "de.po", {"The memory is empty.": "Die Erinnerung ist leer."}, found())
    file = tmp_path / "config.json"
    file.write_text('{"memoryPlugins": {"core": {"language": "de"}}}')
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    search = ["search", "x", "-w", str(tmp_path), "-c", str(file), "--no-embeddings"]
    assert run_command_line(search) == 0
    assert "it should be 'auto', 'en', 'zh' or 'zh_Hant'" in capsys.readouterr().err
    assert run_command_line(["--lang", "zh", *search]) == 0
    assert "应该是 'auto', 'en', 'zh'，或 'zh_Hant'" in capsys.readouterr().err
    monkeypatch.setattr(languages, "CATALOGUES", tmp_path)
    assert run_command_line(search) == 0
    shown = capsys.readouterr()
    assert "Die Erinnerung ist leer." in shown.out
    assert "it should be" not in shown.err


def test_a_sentence_is_its_english_text_and_is_said_in_the_language_of_the_reader():
    inner = Sentence("{count} files", count=2)
    whole = Sentence("{what} at {place}", what=inner, place="here")
    table = {"{count} files": "{count} 个文件", "{what} at {place}": "{place} 有 {what}"}
    assert whole == "2 files at here"
    with speaking(lambda text: table.get(text, text)):
        assert tr(whole) == "here 有 2 个文件"
        assert tr(InputError(whole).cause) == "here 有 2 个文件"
        assert str(whole) == "2 files at here"
    assert tr(whole) == "2 files at here"


def test_a_translation_with_other_values_is_said_in_english():
    with speaking(lambda text: "{else_}"):
        assert tr("{count} files", count=2) == "2 files"


def test_sentences_stand_side_by_side_as_their_language_wants_it():
    assert together("One.", "", "Two.") == "One. Two."
    with speaking({"One.": "一。", "Two.": "二。"}.get):
        assert together("One.", "Two.") == "一。二。"


def test_a_finding_of_a_plugin_stays_a_sentence_and_a_false_one_becomes_text():
    true = Finding("disk", Sentence("{count} files", count=2))
    lying = Sentence("{count} files", count=2)
    lying.template = "something else"
    (copied, plain) = accepted_values([true, Finding("disk", lying)], Expected((Finding,)))
    assert isinstance(copied.state, Sentence)
    assert type(plain.state) is str
    assert copied == true


@pytest.mark.parametrize(
    ("error", "said"),
    [
        ("No such command 'serch'. Did you mean 'search'?", '没有命令"serch"。是不是想用"search"？'),
        ("Missing argument 'QUERY'.", "缺少参数 'QUERY'。"),
        (
            "Invalid value for '--limit' / '-n': Input should be greater than or equal to 1",
            "'--limit' / '-n' 的值不对：应该大于或等于 1",
        ),
        (
            "Invalid value for '--section': Value error, 'foo' is not one of 'active', 'archived'.",
            "'--section' 的值不对：'foo' 不在 'active' (有效), 'archived' (已归档) 之中。",
        ),
        ("what no version of Typer says", "what no version of Typer says"),
    ],
)
def test_what_typer_says_is_known_by_its_shape(error: str, said: str):
    with speaking(language.catalogue("zh")):
        assert told_error(error) == said


def test_no_word_of_pydantics_stands_before_what_is_wrong_with_a_value():
    told = told_error("Invalid value for '--section': Value error, 'foo' is not one of 'active', 'archived'.")
    assert told == "Invalid value for '--section': 'foo' is not one of 'active', 'archived'."


def test_a_new_catalogue_is_written_and_listed_by_the_script(tmp_path: Path, monkeypatch, capsys):
    before = {file: (file.stat().st_mtime_ns, file.read_bytes()) for file in CATALOGUES.iterdir()}
    shutil.copy(CATALOGUES / "zh.po", tmp_path)
    monkeypatch.setattr(catalogues, "sentences", found)
    assert catalogues.main(tmp_path) == 0
    assert "zh: " in capsys.readouterr().out
    assert (tmp_path / "zh.po").read_bytes() == (CATALOGUES / "zh.po").read_bytes()
    assert (tmp_path / "zh.mo").read_bytes() == (CATALOGUES / "zh.mo").read_bytes()
    assert (tmp_path / "zh_Hant.po").read_bytes() == (CATALOGUES / "zh_Hant.po").read_bytes()
    (tmp_path / "de.po").touch()
    script = [sys.executable, "-m", "release.catalogues", str(tmp_path)]
    done = subprocess.run(script, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 1
    assert f"de: 0 of {len(found())} texts are translated" in done.stdout
    assert 'msgid "Nothing was found."' in (tmp_path / "de.po").read_text(encoding="utf-8")
    assert {file: (file.stat().st_mtime_ns, file.read_bytes()) for file in CATALOGUES.iterdir()} == before


def test_a_catalogue_begins_as_gettext_wants_it():
    assert compiled({"": "", "a": "b"})[:4] == b"\xde\x12\x04\x95"
