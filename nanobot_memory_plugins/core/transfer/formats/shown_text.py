"""What of a page in a vault its reader sees: comments, drawers and what Obsidian and Logseq note down are left out."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

# Properties of a block that Logseq writes for itself, and hides.
_OWN_PROPERTIES = (
    r"id|collapsed|heading|background-color|created-at|updated-at|last-modified-at|logseq\.[\w.-]+|query-[\w-]+"
    r"|hl-(?:type|page|stamp|color)|ls-type"
)
_BEGIN = re.compile(
    r"^[ \t]*(?:[-*+][ \t]+)?(?P<fence>`{3,}|~{3,})"
    r"|(?P<code>`[^`\n]*`)"
    r"|(?<![\w%])(?P<percent>%%)(?!%)"
    r"|(?P<comment><!--)"
    r"|^(?P<drawer>[ \t]*(?:[-*+][ \t]+)?:[A-Z][A-Z_-]*:[ \t\r]*$)"
    rf"|^(?P<own>[ \t]*(?:[-*+][ \t]+)?(?:{_OWN_PROPERTIES})::(?:[ \t][^\n]*)?$)",
    re.MULTILINE,
)
_DRAWER_END = re.compile(r"^[ \t]*:END:[ \t\r]*$", re.MULTILINE)
_ALONE = re.compile(r"[ \t]*%%[ \t\r]*$", re.MULTILINE)
_BLANK = re.compile(r"\n[ \t\r]*\n")
_LONGEST_TEMPLATE = 20_000
# Characters of a drawer: what is longer lacks its end.
_LONGEST_DRAWER = 5_000
_NOTHING_LEFT = re.compile(r"[ \t\r]*(?:[-*+>][ \t\r]*)?")
_PLACEHOLDER = re.compile(r"\{\{(?:date|time|title)(?::[^{}\n]*)?\}\}|<%.{0,2000}?%>", re.DOTALL)
_SAYS_NOTHING = re.compile(r"[ \t]*(?:#{1,6}(?:[ \t].*)?|[-*+>][ \t]*(?:\[[ xX]\])?|[-*_ \t|:]*)[ \t\r]*")
# Which file of Obsidian's settings names a folder of templates, and under which key.
_TEMPLATE_SETTINGS = (("templates.json", "folder"), ("plugins/templater-obsidian/data.json", "templates_folder"))


def shown_text(text: str) -> tuple[str, list[int]]:
    """Return what is shown of a text, and for each of its lines which one of ``text`` it is, from 0."""
    hidden = list(_hidden(text))
    lines, numbers = list[str](), list[int]()
    start = first = 0
    for number, line in enumerate(text.split("\n")):
        end, at, left = start + len(line), start, ""
        is_inside = first < len(hidden) and hidden[first][0] < start and hidden[first][1] > end
        while first < len(hidden) and hidden[first][0] < end:
            begin, stop = hidden[first]
            left += text[at : max(begin, at)]
            at = max(at, min(stop, end))
            if stop > end:
                break
            first += 1
        left += text[at:end]
        if not is_inside and (left == line or not _NOTHING_LEFT.fullmatch(left)):
            lines.append(left)
            numbers.append(number)
        start = end + 1
    return "\n".join(lines), numbers or [0]


def is_template(text: str) -> bool:
    """Return whether a page has placeholders that a new page fills in, and says nothing besides its headings."""
    if len(text) > _LONGEST_TEMPLATE:
        return False
    left, count = _PLACEHOLDER.subn("", text)
    return count > 0 and all(_SAYS_NOTHING.fullmatch(line) for line in left.splitlines())


def template_folders(vault: Path) -> frozenset[Path]:
    """Return the folders that the settings of Obsidian name as those of templates. It blocks."""
    found = set[Path]()
    for name, key in _TEMPLATE_SETTINGS:
        try:
            settings = json.loads((vault / ".obsidian" / name).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        folder = settings.get(key) if isinstance(settings, dict) else None
        if isinstance(folder, str) and folder.strip("/. "):
            found.add(vault / folder.strip("/ "))
    return frozenset(found)


def _hidden(text: str) -> Iterator[tuple[int, int]]:
    """Yield where a text has parts that are not shown, in its order. What begins and does not end is shown."""
    at = drawer_end = 0
    last_comment = text.rfind("-->")
    while (begin := _BEGIN.search(text, at)) is not None:
        kind, start, at, stop = begin.lastgroup, begin.start(), begin.end(), 0
        if kind == "fence":
            end = re.compile(rf"^[ \t]*{begin['fence']}", re.MULTILINE).search(text, at)
            at = end.end() if end is not None else len(text)
        elif kind == "own":
            stop = at
        elif kind == "comment" and at <= last_comment:
            stop = text.find("-->", at) + 3
        elif kind == "percent":
            stop = _end_of_percents(text, start, at)
        elif kind == "drawer":
            if drawer_end < at:
                found = _DRAWER_END.search(text, at)
                drawer_end = found.end() if found is not None else len(text) + _LONGEST_DRAWER + 1
            stop = drawer_end if drawer_end - at <= _LONGEST_DRAWER else 0
        if stop:
            yield start, stop
            at = stop


def _end_of_percents(text: str, start: int, at: int) -> int:
    """Return where a comment of Obsidian's ends, or 0: within its paragraph, unless its marks have lines of their own.

    Its first mark stands between ``start`` and ``at``.
    """
    stop = text.find("%%", at)
    if stop < 0 or _BLANK.search(text, at, stop) is None:
        return stop + 2 if stop >= 0 else 0
    opens_line = not text[text.rfind("\n", 0, start) + 1 : start].strip()
    closes_line = _ALONE.match(text, text.rfind("\n", 0, stop) + 1) is not None
    return stop + 2 if opens_line and closes_line else 0
