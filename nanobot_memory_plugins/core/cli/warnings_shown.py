"""Warnings of the log as sentences that can be said in the reader's language. The log itself stays English."""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from nanobot_memory_plugins.redaction.script.messages import Sentence

# What is logged while a memory starts and is asked how it is. What another one says stays as it was logged.
WARNING_TEXTS = (
    "plugin {plugin} failed in {hook}: {why} at {place}",
    "plugin {plugin}: circuit open for {seconds} s in {hook}",
    "no answer within {limit} s",
    "entries: {why}",
    "{file}, it is damaged ({why}), and there is no good copy: what can be read is used",
    "{file} is damaged ({why}); its last good copy is used",
    "Memory: {why}",
    "the store could not be closed cleanly: {why}",
    "a search failed and is made by reading the files: {why}",
    "the index cannot be used, the memory files are searched themselves: {why}",
    "the index was made by another version, and is made again from the files",
    "the index was damaged; it was put aside as {file} and is built again",
    "indexing failed and is tried again every {seconds} s: {why}",
    "legacy memory in {folder} was not migrated: {why}",
    "{count} files of legacy memory in {folder} are below memory/ now",
    "the memory files cannot be watched ({why}); they are looked at every few seconds",
    "No embedding, search is by words only: {why}",
    "No reranker, the order is that of the search: {why}",
)


def warning_sentence(text: str) -> str:
    """Return a warning of the log, and what it gives as reason, as a sentence; one of another shape as it is."""
    return sentence_of(text, WARNING_TEXTS)


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
