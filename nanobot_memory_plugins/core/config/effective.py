"""The options as they hold: each with its value, where that comes from, and what may stand there."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from pydantic import BaseModel
from pydantic.alias_generators import to_camel

from nanobot_memory_plugins.core.config.models import MemoryConfig
from nanobot_memory_plugins.core.config.names import BY_PATH, DOCUMENT_NAMES, snake_path
from nanobot_memory_plugins.core.config.options import plugin_options
from nanobot_memory_plugins.core.config.wording import allowed_by
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
