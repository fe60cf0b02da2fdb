"""Sentences that people read: English where they are made and kept, and in the reader's language where they are shown.

A sentence with values is a `Sentence`. It is its English text, for logs, files, JSON and comparisons, and it remembers
what it was made of. `tr` says it, or a text without values, in the language of the person who reads; what has no
translation stays English. The catalogues are of whoever shows the sentences: `speaking` takes a function.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Self

from nanobot_memory_plugins.redaction.script.printable import one_line

Translate = Callable[[str], str]
# By this name a template takes why something failed: often in the words of the system.
_REASON = "why"
_WIDE_ENDS = ("。", "！", "？", "：", "；")


class Sentence(str):
    """An English sentence on one line that knows its template and its values, which may be sentences themselves.

    Without values the template is the text, braces and all.
    """

    template: str
    values: Mapping[str, object]

    def __new__(cls, template: str, /, **values: object) -> Self:
        """Fill the values into a template with named places, as `str.format` does."""
        made = super().__new__(cls, one_line(template.format(**values) if values else template))
        made.template = template
        made.values = values
        return made

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Any]]:
        return (self.template,), dict(self.values)

    @classmethod
    def of(cls, text: str) -> "Sentence":
        """Return a text of ours as a sentence, which it may be already."""
        return text if isinstance(text, Sentence) else cls(text)

    @classmethod
    def joined(cls, parts: Iterable[str], separator: str = ", ") -> Self:
        """Return parts side by side, each of which stays a sentence."""
        values = {f"part{number}": part for number, part in enumerate(parts)}
        return cls(separator.join(f"{{{name}}}" for name in values), **values)

    def translated(self, translate: Translate) -> str:
        """Return the sentence in another language, the sentences among its values too."""
        return filled(self.template, self.values, translate)


def filled(template: str, values: Mapping[str, object], translate: Translate) -> str:
    """Return a translated template with its values; in English where the translation has other places."""
    text = translate(template) if template else template
    if not values:
        return text
    translated = {name: _translated_value(name, value, translate) for name, value in values.items()}
    try:
        return text.format(**translated)
    except (LookupError, ValueError):
        return template.format(**translated)


def _translated_value(name: str, value: object, translate: Translate) -> object:
    if isinstance(value, Sentence):
        return value.translated(translate)
    return translate(value) if name == _REASON and isinstance(value, str) and value else value


def _as_it_is(text: str) -> str:
    return text


_translate: Translate = _as_it_is


@contextmanager
def speaking(translate: Translate) -> Iterator[None]:
    """Let `tr` speak another language inside the block, for the whole process."""
    global _translate  # one person reads what a process says
    before, _translate = _translate, translate
    try:
        yield
    finally:
        _translate = before


def tr(text: str, /, **values: object) -> str:
    """Return a text of ours in the language of who reads it. Not for texts of others: one might be a sentence of ours.

    ``values`` are filled in where there are any; a text without them may hold braces.
    """
    if isinstance(text, Sentence):
        return text.translated(_translate)
    return filled(text, values, _translate)


def together(*texts: str) -> str:
    """Return sentences side by side in the reader's language: with a space between them, but after a wide full stop."""
    found = ""
    for sentence in filter(None, map(tr, texts)):
        found += f" {sentence}" if found and not found.endswith(_WIDE_ENDS) else sentence
    return found
