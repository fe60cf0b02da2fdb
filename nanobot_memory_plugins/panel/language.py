"""The language of the panel: that of the command line, from the same catalogue."""

from datetime import datetime

from nanobot_memory_plugins.core.cli.language import catalogue, language_of
from nanobot_memory_plugins.redaction.script.messages import Sentence

__all__ = ["PanelWords", "language_of"]

_DAY_SECONDS = 86_400


class PanelWords:
    """Says things in a language; what is not translated stays English."""

    def __init__(self, language: str = "en") -> None:
        self.language = language
        self._translate = catalogue(language)

    def __call__(self, text: str, **values: object) -> str:
        """Return a text in the language, with ``values`` filled in."""
        sentence = Sentence(text, **values) if values else Sentence.of(text)
        return sentence.translated(self._translate)

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
