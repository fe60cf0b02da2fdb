"""The language of the panel: that of the command line, from the same catalogue."""

import os
from collections.abc import Mapping
from datetime import datetime

from nanobot_memory_plugins.core.cli.language import catalogue, language_of
from nanobot_memory_plugins.redaction.script.messages import Sentence

__all__ = ["PanelWords", "is_unicode_terminal", "language_of"]

# In the order in which programs look at them.
_ENCODING_VARIABLES = ("LC_ALL", "LC_CTYPE", "LANG")
_DAY_SECONDS = 86_400


class PanelWords:
    """Says things in a language; what is not translated stays English."""

    def __init__(self, language: str = "en") -> None:
        self.language = language
        self._translate = catalogue(language)

    def __call__(self, text: str, **values: object) -> str:
        """Return a text in the language, with ``values`` filled in."""
        sentence = Sentence(text, **values) if values else Sentence.of(text)
        return sentence.said(self._translate)

    def age(self, then: datetime | None, now: datetime) -> str:
        """Return how long ago something was, in at most five cells."""
        if then is None:
            return ""
        seconds = max(0, (now - then).total_seconds())
        days = int(seconds // _DAY_SECONDS)
        if days >= 365:
            return self("{n}y", n=days // 365)
        if days >= 7:
            return self("{n}w", n=days // 7)
        if days >= 1:
            return self("{n}d", n=days)
        return self("{n}h", n=int(seconds // 3_600)) if seconds >= 3_600 else self("now")


def is_unicode_terminal(environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether the terminal shows more than ASCII, as the locale says; without a locale, it does."""
    encoding = environment.get("PYTHONIOENCODING", "").partition(":")[0]
    if encoding:
        return "utf" in encoding.lower()
    locale = next((environment[name] for name in _ENCODING_VARIABLES if environment.get(name)), "utf-8")
    return "utf" in locale.lower()
