"""What of a page in a vault is no memory: comments, drawers, an app's own properties, templates and drawings."""

from nanobot_memory_plugins.core.transfer.formats.shown_text import is_template, shown_text
from tests.support.each import each

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
