"""Texts that were kept in English as sentences that can be said in the reader's language."""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from nanobot_memory_plugins.redaction.script.messages import Sentence


def sentence_of(text: str, templates: Sequence[str]) -> str:
    """Return a text that one of the templates made as a sentence, its values too; another one as it is."""
    for template, pattern in patterns(tuple(templates)):
        if found := pattern.fullmatch(text):
            return Sentence(template, **{name: sentence_of(one, templates) for name, one in found.groupdict().items()})
    return text


@cache
def patterns(templates: tuple[str, ...]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return for each template what a text of it looks like."""
    return tuple((template, re.compile("".join(_pattern(template)), re.DOTALL)) for template in templates)


def _pattern(template: str) -> Iterator[str]:
    for number, part in enumerate(re.split(r"\{(\w+)\}", template)):
        yield f"(?P<{part}>.+?)" if number % 2 else re.escape(part)
