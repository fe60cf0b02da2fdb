"""The texts of configuration problems. They contain keys and kinds of values, but never a value."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import reduce
from typing import Any

from pydantic.alias_generators import to_camel, to_snake

from nanobot_memory_plugins.redaction.script.messages import Sentence
from nanobot_memory_plugins.redaction.script.printable import one_line

_MAX_KEY_LENGTH = 80
# A name at least this similar to an unknown one is suggested instead.
_MIN_SIMILARITY = 0.705


def key_text(key: object) -> str:
    """Return a key for a message: on one line, and shortened if it is very long."""
    text = one_line(str(key))
    return text if len(text) <= _MAX_KEY_LENGTH else text[: _MAX_KEY_LENGTH - 1] + "…"


_TYPE_WORDS: Mapping[object, str] = {
    "boolean": "true or false",
    "null": "null",
    "array": "a list",
    "object": "an object",
    "string": "a text",
    "number": "a number",
    "integer": "a whole number",
}
_BOUND_WORDS = {
    "exclusiveMinimum": "above {bound:,g}",
    "minimum": "from {bound:,g}",
    "maximum": "up to {bound:,g}",
    "exclusiveMaximum": "below {bound:,g}",
}


def allowed_values(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    """Describe in words the values that a JSON schema allows. ``definitions`` holds the schemas that it refers to."""
    if "$ref" in schema:
        schema = definitions.get(str(schema["$ref"]).rpartition("/")[2], {})
    if kinds := schema.get("anyOf"):
        allowed = dict.fromkeys(allowed_values(one, definitions) for one in kinds)
        return reduce(lambda one, other: Sentence("{one} or {other}", one=one, other=other), allowed)
    if "const" in schema:
        return f'"{schema["const"]}"'
    if "enum" in schema:
        return Sentence("one of {names}", names=", ".join(f'"{one}"' for one in schema["enum"]))
    kind = Sentence(_TYPE_WORDS.get(schema.get("type"), "anything"))
    items = schema.get("items") or schema.get("additionalProperties")
    if isinstance(items, Mapping):
        return Sentence("{kind}, each value {item}", kind=kind, item=allowed_values(items, definitions))
    if longest := schema.get("maxLength"):
        return Sentence("text of at most {longest:,} characters", longest=longest)
    bounds = [Sentence(template, bound=schema[key]) for key, template in _BOUND_WORDS.items() if key in schema]
    return Sentence("{kind} {bounds}", kind=kind, bounds=Sentence.joined(bounds, " ")) if bounds else kind


def nearest_name(requested: str, known: Iterable[str]) -> str:
    """Return the known name that is most similar to ``requested``, or an empty string if none is similar enough.

    If ``requested`` has no dots, it is also compared with the last part of each dotted name.
    """
    names = {_fold(name): name for name in known}
    names |= {_fold(name.rpartition(".")[2]): name for name in names.values() if "." not in requested}
    matches = get_close_matches(_fold(requested[:_MAX_KEY_LENGTH]), names, n=1, cutoff=_MIN_SIMILARITY)
    return names[matches[0]] if matches else ""


def _fold(name: str) -> str:
    return name.casefold().replace("_", "").replace("-", "")


def problem_sentence(key: str, text: str) -> Sentence:
    """Return the message of a problem: the key, the text, and a full stop if the text has none."""
    is_ended = text.endswith((".", "?"))
    return Sentence("{key}: {text}" if is_ended else "{key}: {text}.", key=key, text=Sentence.of(text))


def spelling_hint(key: str, known: Iterable[str]) -> Sentence:
    """Return the hint for an unknown key: the most similar known one, or else how to list all."""
    if near := nearest_name(key, sorted(known)):
        near = near if key == to_snake(key) else ".".join(map(to_camel, near.split(".")))
        return Sentence('Did you mean "{near}"?', near=near)
    return Sentence("`nanobot-memory config show --all` lists all.")
