"""What of a page in a vault is no memory: comments, drawers, an app's own properties, templates and drawings."""

import json
import time
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.transfer.formats.shown_text import is_template, shown_text
from tests.support.each import each
from tests.transfer.snapshots import notes
from tests.transfer.test_vault import imported, page, texts

DRAWER = "\t:LOGBOOK:\n\tCLOCK: [2026-09-01 Tue 10:00:00]\n\t:END:\n"


@each(
    ("text", "shown"),
    [
        ("%% private %%\n# Kiln\n", "# Kiln\n"),
        ("It fires %%at least%% hot.", "It fires  hot."),
        ("a\n%%\none\n\ntwo\n%%\nb", "a\nb"),
        ("a\n%% kanban:settings\n```\n{}\n\n```\n%%\nb", "a\nb"),
        ("- %% a comment %%\n- tea", "- tea"),
        ("<!-- a\ncomment -->\ntea", "tea"),
        ("tea <!-- or not -->", "tea "),
        ("- DONE mailed it\n" + DRAWER + "- tea", "- DONE mailed it\n- tea"),
        ("- a\n  :PROPERTIES:\n  :ID: 3\n  :END:\n- b", "- a\n- b"),
        ("- Lecture\n  id:: 6500-00\n  collapsed:: true\n\t- part", "- Lecture\n\t- part"),
        ("- tea\n  logseq.order-list-type:: number", "- tea"),
        ("```\n%% 3 %%\n:LOGBOOK:\n:END:\nid:: 3\n```\ntea", "```\n%% 3 %%\n:LOGBOOK:\n:END:\nid:: 3\n```\ntea"),
        ("`%% a %%` and `<!-- b -->`", "`%% a %%` and `<!-- b -->`"),
        ("- ```\n  %% 3 %%\n  ```\n- %%x%%", "- ```\n  %% 3 %%\n  ```"),
        ("100%% sure, 50%% unsure", "100%% sure, 50%% unsure"),
        ("one %% mark\n\nanother %% mark", "one %% mark\n\nanother %% mark"),
        ("<!-- never closed\ntea", "<!-- never closed\ntea"),
        (":LOGBOOK:\nnever closed", ":LOGBOOK:\nnever closed"),
        ("rating:: 5\nauthor:: [[Mei]]", "rating:: 5\nauthor:: [[Mei]]"),
        ("SCHEDULED: <2026-10-01 Thu>", "SCHEDULED: <2026-10-01 Thu>"),
        ("at 10:00: tea", "at 10:00: tea"),
        ("", ""),
    ],
)  # fmt: skip
def test_what_the_reader_of_a_page_does_not_see_is_left_out(text: str, shown: str):
    left, numbers = shown_text(text)
    assert left == shown
    lines = text.split("\n")
    assert all(
        part.split()[0] in lines[number]
        for part, number in zip(left.split("\n"), numbers, strict=False)
        if part.split()
    )


@each("piece", ["%%\n", "%% a\n", "a %% b\n", "<!-- a\n", ":A:\n", "```\n", "`\n", "id:: 3\n", "%%a%% ", "%%", "- \t"])
def test_a_long_page_is_read_in_a_moment(piece: str):
    started = time.process_time()
    shown_text(piece * (200_000 // len(piece)))
    assert time.process_time() - started < 10


@each(
    ("text", "template"),
    [
        ("# {{date}}\n\n## Tasks\n- [ ] \n<% tp.date.now() %>\n", True),
        ("{{title}}", True),
        ("# {{date:YYYY-MM-DD}} {{time}}\n---\n", True),
        ("<%*\nlet a = 1\n%>\n## Notes\n", True),
        ("# Tasks\n- [ ] \n", False),
        ("# {{date}}\n\nDrank oolong with Mei.\n", False),
        ("Write `{{date}}` where the day should stand.", False),
        ("{{query (todo TODO)}}", False),
    ],
)
def test_a_page_that_only_a_new_page_fills_in_is_a_template(text: str, template: bool):
    assert is_template(text) is template


def test_comments_drawers_and_properties_are_no_memories(tmp_path: Path, workspace: Path, capsys):
    folder = tmp_path / "vault"
    page(folder / "Kiln.md", "---\ntags: pottery\n---\n%% private comment %%\n# Kiln\n\nIt fires at 900 degrees.\n")
    page(folder / "journals" / "2026_09_06.md", f"- DONE mailed the table\n{DRAWER}- tea\n  id:: 65000000-0000\n")
    page(folder / "hidden.md", "%% nothing else %%\n")
    report = imported(folder, workspace, capsys)
    assert [(row["file"], row["why"]) for row in report["left"]] == [("hidden.md", "it has no text")]
    said = texts(workspace)
    for part in ("private", "LOGBOOK", "CLOCK", ":END:", "id::", "65000000", "nothing else"):
        assert part not in said
    for part in ("900 degrees", "DONE mailed the table", "tea"):
        assert part in said
    assert {note.tldr for day in notes(workspace).values() for note in day} >= {"It fires at 900 degrees."}


@pytest.mark.parametrize(
    ("settings", "key"), [("templates.json", "folder"), ("plugins/templater-obsidian/data.json", "templates_folder")]
)
def test_templates_and_drawings_are_left_and_named(tmp_path: Path, workspace: Path, capsys, settings: str, key: str):
    folder = tmp_path / "vault"
    page(folder / ".obsidian" / settings, json.dumps({key: "Extras/Forms"}))
    page(folder / "Extras" / "Forms" / "Day.md", "# {{date}}\n\nHow did I sleep?\n")
    page(folder / "Extras" / "Tea.md", "Oolong.\n")
    page(folder / "Templates" / "Person.md", "---\naliases: []\n---\n{{title}}\n")
    page(folder / "map.excalidraw.md", "---\nexcalidraw-plugin: parsed\n---\n# Drawing\n```json\n{}\n```\n")
    report = imported(folder, workspace, capsys)
    assert {(row["file"], row["why"]) for row in report["left"]} == {
        (".obsidian", "it is hidden"),
        ("Extras/Forms", "it holds the templates of Obsidian"),
        ("Templates/Person.md", "it is a template"),
        ("map.excalidraw.md", "it is a drawing"),
    }
    assert texts(workspace).split() == ["Extras/Tea", "Oolong."]


def test_a_note_below_a_comment_keeps_its_line(tmp_path: Path, workspace: Path, capsys):
    file = page(tmp_path / "vault" / "Kiln.md", "%%\na\n\nb\n%%\n# Kiln\n\nHot.\n\n# Glaze\n\nGreen.\n")
    from nanobot_memory_plugins.core.transfer.formats.markdown_notes import markdown_items
    from nanobot_memory_plugins.core.values import Origin

    found = [one.line for one in markdown_items(file, "Kiln.md", origin=Origin.NOTES, is_vault=True)]
    assert found == [6, 10]
