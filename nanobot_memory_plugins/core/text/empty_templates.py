"""Empty templates: parts of a long-term file that a host has put there, and that nobody has written into.

A line counts as the host's only word for word: what a person sets in brackets or in italics is that person's.
"""

import re

# Headings of sections, rules and blank lines, and what nanobot's MEMORY.md says below its headings. A heading of the
# third level may be an entry that somebody wrote by hand.
_HOSTS_LINE = re.compile(
    r"\s*(?:##?(?:\s.*)?|-{3,}"
    r"|\((?:Important facts about the user|User preferences learned over time|Information about ongoing projects"
    r"|Things to remember)\)"
    r"|[*_]?This file (?:stores important information that should persist across sessions"
    r"|is automatically updated by nanobot when important information should be remembered)\.[*_]?)?\s*"
)


def is_empty_template(text: str) -> bool:
    """Return whether a part of a file holds headings, rules and a host's own placeholders alone."""
    return all(_HOSTS_LINE.fullmatch(line) for line in text.splitlines())
