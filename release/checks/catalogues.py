"""Checks that the catalogues contain every message."""

from collections.abc import Iterator

from nanobot_memory_plugins.core.config.languages import ENGLISH, languages, read_catalogue
from release.catalogues import placeholders, sentences, untranslatable_f_strings
from release.checks.listed import check


@check("the catalogues are complete")
def catalogues() -> Iterator[str]:
    """`python -m release.catalogues` updates them."""
    found = sentences()
    for language in languages():
        if language == ENGLISH:
            continue
        translations = read_catalogue(language)
        yield from (f"{language}, not translated: {text}" for text in found if not translations.get(text))
        yield from (f"{language}, not used: {text}" for text in translations if text not in found)
        yield from (
            f"{language}, other values: {text}"
            for text, translation in translations.items()
            if placeholders(text) != placeholders(translation)
        )


@check("no sentence that people read is an f-string, which no catalogue can hold")
def f_strings() -> Iterator[str]:
    """Write them as `tr("...", name=value)` instead."""
    yield from untranslatable_f_strings()
