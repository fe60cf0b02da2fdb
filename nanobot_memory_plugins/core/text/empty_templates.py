"""Empty templates: parts of a long-term file that a host has put there, and that nobody has written into.

A line counts as the host's only word for word: what a person sets in brackets or in italics is that person's.
"""

# What nanobot's MEMORY.md says below its headings.
_HOSTS_LINES = (
    "",
    "(Important facts about the user)",
    "(User preferences learned over time)",
    "(Information about ongoing projects)",
    "(Things to remember)",
    "This file stores important information that should persist across sessions.",
    "*This file is automatically updated by nanobot when important information should be remembered.*",
)


def is_empty_template(text: str) -> bool:
    """Return whether a part of a file holds headings, rules and a host's own placeholders alone."""
    return all(map(_is_hosts, text.splitlines()))


def _is_hosts(line: str) -> bool:
    # A heading of the third level may be an entry that somebody wrote by hand.
    is_heading = line.split(maxsplit=1)[:1] in (["#"], ["##"])
    is_rule = line.strip().startswith("---") and not line.strip(" \t-")
    return is_heading or is_rule or line.strip() in _HOSTS_LINES
