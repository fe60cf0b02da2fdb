"""The language of the panel: English texts are the keys, other languages are tables of them."""

import os
from collections.abc import Mapping
from datetime import datetime

from nanobot_memory_plugins.panel.chinese import CHINESE

LANGUAGES = ("en", "zh")
# In the order in which programs look at them.
_LOCALE_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")
_ENCODING_VARIABLES = ("LC_ALL", "LC_CTYPE", "LANG")
_DAY_SECONDS = 86_400


class Words:
    """Says things in a language; what is not translated stays English."""

    def __init__(self, language: str = "en") -> None:
        self.language = language
        self._table: Mapping[str, str] = CHINESE if language == "zh" else {}

    def __call__(self, text: str, **values: object) -> str:
        """Return a text in the language, with ``values`` filled in."""
        said = self._table.get(text, text)
        return said.format(**values) if values else said

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


def language_of(environment: Mapping[str, str] = os.environ) -> str:
    """Return the language that the locale asks for."""
    locale = next((environment[name] for name in _LOCALE_VARIABLES if environment.get(name)), "")
    return "zh" if locale.lower().startswith("zh") else "en"


def is_unicode_terminal(environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether the terminal shows more than ASCII, as the locale says; without a locale, it does."""
    encoding = environment.get("PYTHONIOENCODING", "").partition(":")[0]
    if encoding:
        return "utf" in encoding.lower()
    locale = next((environment[name] for name in _ENCODING_VARIABLES if environment.get(name)), "utf-8")
    return "utf" in locale.lower()
