"""Every sentence that people read is in the catalogues."""

from collections.abc import Iterator

from nanobot_memory_plugins.core.config.languages import ENGLISH, languages, read_catalogue
from release.catalogues import places_in, sentences, spliced
from release.checks.listed import check


@check("the catalogues are complete")
def catalogues() -> Iterator[str]:
    """`python -m release.catalogues` brings them up to date."""
    found = sentences()
    for language in languages():
        if language == ENGLISH:
            continue
        said = read_catalogue(language)
        yield from (f"{language}, not translated: {text}" for text in found if not said.get(text))
        yield from (f"{language}, not used: {text}" for text in said if text not in found)
        yield from (f"{language}, other values: {text}" for text in said if places_in(text) != places_in(said[text]))


@check("no sentence that people read is an f-string, which no catalogue can hold")
def f_strings() -> Iterator[str]:
    """They are written as `tr("...", name=value)`."""
    yield from spliced()
