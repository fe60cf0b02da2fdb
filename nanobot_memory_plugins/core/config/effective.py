"""The options as they hold: each with its value, where that comes from, and what may stand there."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

from pydantic import BaseModel
from pydantic.alias_generators import to_camel

from nanobot_memory_plugins.core.config.models import MemoryConfig
from nanobot_memory_plugins.core.config.names import BY_PATH, DOCUMENT_NAMES, snake_path
from nanobot_memory_plugins.core.config.options import plugin_options
from nanobot_memory_plugins.redaction.script.messages import Sentence

ENABLED = "enabled"


@dataclass(frozen=True, slots=True)
class Option:
    """One option. ``key`` is ``<plugin>.<option>`` in camelCase, ``given`` the key that set it, or empty: the default.

    ``allowed`` says in words what may stand there.
    """

    key: str
    value: object
    default: object
    allowed: str
    description: str = ""
    given: str = ""
    documents: tuple[str, ...] = field(default=())

    @property
    def is_set(self) -> bool:
        """Whether the configuration sets it."""
        return bool(self.given)


def options_of(config: MemoryConfig, models: Mapping[str, type[BaseModel] | None]) -> Iterator[Option]:
    """Yield every option of core, redaction and the plugins whose ``models`` are given, in their order.

    A wrong value is not among them: its default holds, as it does at work.
    """
    for name, section in (("core", config.core), ("redaction", config.redaction)):
        yield from _of(section, name, (), config)
    for name, model in models.items():
        raw = config.plugins.get(name, {})
        given = f"{config.prefix}.{name}.{ENABLED}" if ENABLED in raw else ""
        yield Option(
            f"{name}.{ENABLED}",
            config.enabled(name),
            True,
            Sentence("true or false"),
            Sentence("whether it is loaded"),
            given,
        )
        found, _ = plugin_options(config, name, model)
        if found is not None:
            yield from (one for one in _of(found, name, (), config) if one.key != f"{name}.{ENABLED}")


def canonical(key: str) -> str:
    """Return the key of an option however it was written: in snake_case, with the file's place, or as documents do."""
    for place in ("channels.memoryPlugins.", "channels.memory_plugins.", "memoryPlugins.", "memory_plugins."):
        key = key.removeprefix(place)
    written = snake_path(key)
    if (documented := BY_PATH.get(written)) is not None and documented.plugin != "*":
        written = tuple(documented.option.split("."))
    return ".".join((written[0], *map(to_camel, written[1:])))


def _of(section: BaseModel, name: str, above: tuple[str, ...], config: MemoryConfig) -> Iterator[Option]:
    schema = type(section).model_json_schema(by_alias=False)
    for attribute, info in type(section).model_fields.items():
        value, path = getattr(section, attribute), (*above, attribute)
        if isinstance(value, BaseModel):
            yield from _of(value, name, path, config)
            continue
        key = ".".join((name, *map(to_camel, path)))
        written = config.written.get(".".join((name, *path)), "")
        yield Option(
            key=key,
            value=value,
            default=info.get_default(call_default_factory=True),
            allowed=allowed_by(schema["properties"][attribute], schema.get("$defs", {})),
            description=info.description or "",
            given=(written or f"{config.prefix}.{key}") if attribute in section.model_fields_set else "",
            documents=tuple(
                one for one, known in DOCUMENT_NAMES.items() if known.path == path and known.plugin == name
            ),
        )


def allowed_by(schema: Mapping[str, Any], defined: Mapping[str, Any]) -> str:
    """Return in words what a JSON schema lets stand there."""
    if "$ref" in schema:
        schema = defined.get(str(schema["$ref"]).rpartition("/")[2], {})
    if kinds := schema.get("anyOf") or schema.get("oneOf"):
        told = dict.fromkeys(allowed_by(one, defined) for one in kinds)
        return reduce(lambda one, other: Sentence("{one} or {other}", one=one, other=other), told)
    if "const" in schema:
        return f'"{schema["const"]}"'
    if "enum" in schema:
        return Sentence("one of {names}", names=", ".join(f'"{one}"' for one in schema["enum"]))
    kind = schema.get("type")
    if kind in ("number", "integer"):
        return _number(schema, is_whole=kind == "integer")
    if kind == "array":
        items = schema.get("items")
        return Sentence("a list, each {kind}", kind=allowed_by(items, defined)) if items else Sentence("a list")
    if longest := schema.get("maxLength"):
        return Sentence("text of at most {longest:,} characters", longest=longest)
    plain = {
        "boolean": Sentence("true or false"),
        "null": Sentence("null"),
        "object": Sentence("an object"),
        "string": Sentence("text"),
    }
    return plain.get(str(kind), Sentence("anything"))


_BOUNDS = {
    "exclusiveMinimum": "above {bound:,g}",
    "minimum": "from {bound:,g}",
    "maximum": "up to {bound:,g}",
    "exclusiveMaximum": "below {bound:,g}",
}


def _number(schema: Mapping[str, Any], *, is_whole: bool) -> Sentence:
    kind = Sentence("a whole number") if is_whole else Sentence("a number")
    if "minimum" in schema and "maximum" in schema:
        least, most = schema["minimum"], schema["maximum"]
        return Sentence("{kind} from {least:,g} to {most:,g}", kind=kind, least=least, most=most)
    told = [Sentence(template, bound=schema[key]) for key, template in _BOUNDS.items() if key in schema]
    return Sentence("{kind} {bounds}", kind=kind, bounds=Sentence.joined(told)) if told else kind
