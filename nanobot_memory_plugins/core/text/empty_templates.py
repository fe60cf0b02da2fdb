"""Recognises the parts of a long-term file that still contain only the host's template.

Only exact lines of the template count: other text in brackets or italics was written by a person.
"""

# The placeholders in nanobot's MEMORY.md.
_TEMPLATE_LINES = (
    "",
    "(Important facts about the user)",
    "(User preferences learned over time)",
    "(Information about ongoing projects)",
    "(Things to remember)",
    "This file stores important information that should persist across sessions.",
    "*This file is automatically updated by nanobot when important information should be remembered.*",
)


def is_empty_template(text: str) -> bool:
    """Return whether a part of a file contains only headings, horizontal rules and the host's placeholders."""
    return all(map(_is_template_line, text.splitlines()))


def _is_template_line(line: str) -> bool:
    # A heading of level 3 may be an entry that a person wrote by hand.
    is_heading = line.split(maxsplit=1)[:1] in (["#"], ["##"])
    is_rule = line.strip().startswith("---") and not line.strip(" \t-")
    return is_heading or is_rule or line.strip() in _TEMPLATE_LINES
