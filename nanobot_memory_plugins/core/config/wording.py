"""How problems are put into words: keys and kinds, never values."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import reduce
from typing import Any

from pydantic.alias_generators import to_camel, to_snake

from nanobot_memory_plugins.redaction.script.messages import Sentence
from nanobot_memory_plugins.redaction.script.printable import one_line

_LONGEST_KEY = 80
# From this likeness on a name is offered.
_NEAR = 0.705


def key_text(key: object) -> str:
    """Return a key fit for one line of a log, cut to a sensible length."""
    text = one_line(str(key))
    return text if len(text) <= _LONGEST_KEY else text[: _LONGEST_KEY - 1] + "…"


_PLAIN: Mapping[object, str] = {
    "boolean": "true or false",
    "null": "null",
    "array": "a list",
    "object": "an object",
    "string": "a text",
    "number": "a number",
    "integer": "a whole number",
}
_BOUNDS = {
    "exclusiveMinimum": "above {bound:,g}",
    "minimum": "from {bound:,g}",
    "maximum": "up to {bound:,g}",
    "exclusiveMaximum": "below {bound:,g}",
}


def allowed_by(schema: Mapping[str, Any], defined: Mapping[str, Any]) -> str:
    """Return in words which values a JSON schema allows."""
    if "$ref" in schema:
        schema = defined.get(str(schema["$ref"]).rpartition("/")[2], {})
    if kinds := schema.get("anyOf"):
        allowed = dict.fromkeys(allowed_by(one, defined) for one in kinds)
        return reduce(lambda one, other: Sentence("{one} or {other}", one=one, other=other), allowed)
    if "const" in schema:
        return f'"{schema["const"]}"'
    if "enum" in schema:
        return Sentence("one of {names}", names=", ".join(f'"{one}"' for one in schema["enum"]))
    kind = Sentence(_PLAIN.get(schema.get("type"), "anything"))
    items = schema.get("items") or schema.get("additionalProperties")
    if isinstance(items, Mapping):
        return Sentence("{kind}, each value {item}", kind=kind, item=allowed_by(items, defined))
    if longest := schema.get("maxLength"):
        return Sentence("text of at most {longest:,} characters", longest=longest)
    bounds = [Sentence(template, bound=schema[key]) for key, template in _BOUNDS.items() if key in schema]
    return Sentence("{kind} {bounds}", kind=kind, bounds=Sentence.joined(bounds, " ")) if bounds else kind


def nearest(requested: str, known: Iterable[str]) -> str:
    """Return the known name that is most like ``requested``, or nothing where all are far-fetched.

    A name may have dots between its parts: then one that ends alike is near, too.
    """
    names = {_folded(name): name for name in known}
    names |= {_folded(name.rpartition(".")[2]): name for name in names.values() if "." not in requested}
    matches = get_close_matches(_folded(requested[:_LONGEST_KEY]), names, n=1, cutoff=_NEAR)
    return names[matches[0]] if matches else ""


def _folded(name: str) -> str:
    return name.casefold().replace("_", "").replace("-", "")


def sentence(key: str, text: str) -> Sentence:
    """Return a problem's message: the key, then the text, ended as a sentence is."""
    ended = text.endswith((".", "?"))
    return Sentence("{key}: {text}" if ended else "{key}: {text}.", key=key, text=Sentence.of(text))


def hint(key: str, known: Iterable[str]) -> Sentence:
    """Return a sentence that helps with an unknown key: the nearest known one, else where all are."""
    if near := nearest(key, sorted(known)):
        near = near if key == to_snake(key) else ".".join(map(to_camel, near.split(".")))
        return Sentence('Did you mean "{near}"?', near=near)
    return Sentence("`nanobot-memory config show --all` lists all.")
