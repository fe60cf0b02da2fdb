"""Messages for people: English when they are created and stored, translated when they are displayed.

A `Sentence` is a string with its English text, for logs, files, JSON and comparisons, which also keeps its template and
values. `tr` translates it, or a text without values, into the reader's language; a text without a translation stays
English. `use_translation` sets the function that translates.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Self

from nanobot_memory_plugins.redaction.script.printable import one_line

Translate = Callable[[str], str]
# The name of the value that says why something failed, often a message of the operating system.
_REASON = "why"
_WIDE_ENDS = ("。", "！", "？", "：", "；")


class Sentence(str):
    """A one-line English message that keeps its template and its values, which may be sentences themselves.

    Without values the text is the template itself, which may contain braces.
    """

    template: str
    values: Mapping[str, object]

    def __new__(cls, template: str, /, **values: object) -> Self:
        """Fill the named fields of ``template`` with ``values``, like `str.format`."""
        made = super().__new__(cls, one_line(template.format(**values) if values else template))
        made.template = template
        made.values = values
        return made

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Any]]:
        return (self.template,), dict(self.values)

    @classmethod
    def of(cls, text: str) -> "Sentence":
        """Return ``text``, which may be a sentence already, as a sentence."""
        return text if isinstance(text, Sentence) else cls(text)

    @classmethod
    def joined(cls, parts: Iterable[str], separator: str = ", ") -> Self:
        """Return the parts joined; each part is translated separately."""
        values = {f"part{number}": part for number, part in enumerate(parts)}
        return cls(separator.join(f"{{{name}}}" for name in values), **values)

    def translated(self, translate: Translate) -> str:
        """Return the sentence translated, including the sentences among its values."""
        return fill_template(self.template, self.values, translate)


def fill_template(template: str, values: Mapping[str, object], translate: Translate) -> str:
    """Return the translated template with its values; in English if the translation has other fields."""
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


def _untranslated(text: str) -> str:
    return text


_translate: Translate = _untranslated


@contextmanager
def use_translation(translate: Translate) -> Iterator[None]:
    """Make `tr` use ``translate`` inside the block, for the whole process."""
    global _translate  # a process has one reader
    before, _translate = _translate, translate
    try:
        yield
    finally:
        _translate = before


def tr(text: str, /, **values: object) -> str:
    """Return a message of the program in the reader's language. Do not use it for people's own text.

    ``values`` fill the fields of ``text``; a text without values may contain braces.
    """
    if isinstance(text, Sentence):
        return text.translated(_translate)
    return fill_template(text, values, _translate)


def join_sentences(*texts: str) -> str:
    """Return sentences joined in the reader's language, with a space between except after a full-width mark."""
    found = ""
    for sentence in filter(None, map(tr, texts)):
        found += f" {sentence}" if found and not found.endswith(_WIDE_ENDS) else sentence
    return found
