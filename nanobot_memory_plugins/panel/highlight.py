"""Which parts of a text a query hits, for people's eyes."""

import re

from rich.text import Text

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"
_TOKEN = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+")
# Latin words are found with their endings: of a longer word this much must be the same.
_STEM_FROM = 5
_MOST_TERMS = 40


def pattern_of(query: str) -> re.Pattern[str] | None:
    """Return what finds a query's words in a text, or None for a query without words."""
    terms: list[str] = []
    for token in _TOKEN.findall(query.casefold())[:_MOST_TERMS]:
        if re.match(f"[{_CJK}]", token):
            # Pairs of characters, as words are not marked off; a single one stands for itself.
            terms += [token] if len(token) == 1 else [token[at : at + 2] for at in range(len(token) - 1)]
        elif len(token) > 1 or token.isdigit():
            stem = token[: max(_STEM_FROM - 1, len(token) - 2)]
            terms.append(rf"(?<!\w){re.escape(stem)}\w*" if token.isalpha() else rf"(?<!\w){re.escape(token)}(?!\w)")
    if not terms:
        return None
    return re.compile("|".join(sorted(set(terms), key=len, reverse=True)), re.IGNORECASE)


def highlighted(text: str, pattern: re.Pattern[str] | None, style: str = "bold black on yellow") -> Text:
    """Return a text with what the pattern finds in it marked."""
    marked = Text(text)
    if pattern is not None:
        for match in pattern.finditer(text):
            marked.stylize(style, match.start(), match.end())
    return marked
