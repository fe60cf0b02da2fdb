"""A plugin's raw options against its own model, key by key: what is wrong costs only its own key."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic.alias_generators import to_snake
from pydantic.fields import FieldInfo

from nanobot_memory_plugins.core.config.models import ConfigProblem, MemoryConfig
from nanobot_memory_plugins.core.config.wording import allowed_by, hint, key_text, sentence
from nanobot_memory_plugins.core.values.plugin_options import PluginOptions
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Whole numbers above it are not exact in JSON, and overflow timers and SQLite's integers soon after.
_LARGEST_NUMBER = 2**53

_Path = tuple[str, ...]


def plugin_options(
    config: MemoryConfig, plugin: str, model: type[BaseModel] | None
) -> tuple[BaseModel | None, list[ConfigProblem]]:
    """Return a plugin's options as an instance of its ``model``, and what was wrong with them.

    The options are None when the plugin has no model, or when the model requires an option that is not there.
    """
    raw = dict(config.plugins.get(plugin, {}))
    if model is None or "enabled" not in model.model_fields:
        raw.pop("enabled", None)
    written = {key.removeprefix(f"{plugin}."): name for key, name in config.written.items()}
    prefix = f"{config.prefix}.{key_text(plugin)}"
    checked = checked_options(model or PluginOptions, raw, prefix=prefix, source=config.source, written=written)
    return (checked[0] if model else None), checked[1]


def described(model: type[BaseModel], above: _Path = ()) -> Iterator[tuple[_Path, FieldInfo, str]]:
    """Yield each option of a model, and of those within: its path, its field, and the allowed values in words."""
    schema = model.model_json_schema(by_alias=False)
    for name, info in model.model_fields.items():
        if (nested := _nested_model(info)) is not None:
            yield from described(nested, (*above, name))
        else:
            yield (*above, name), info, allowed_by(schema["properties"][name], schema.get("$defs", {}))


def checked_options(
    model: type[BaseModel],
    raw: Mapping[Any, Any],
    *,
    prefix: str,
    source: str,
    written: Mapping[str, str] | None = None,
) -> tuple[BaseModel | None, list[ConfigProblem]]:
    """Return ``raw`` as an instance of ``model``, and what was wrong; ``prefix`` is put before the keys.

    ``written`` gives by the path of an option the key that the user wrote, where it is another.
    """
    check = _Check(prefix, source, written or {})
    named = check.named(model, raw)
    return check.built(model, named), check.problems


class _Check:
    """One check of options. ``problems`` grows with it."""

    def __init__(self, prefix: str, source: str, written: Mapping[str, str]) -> None:
        self.problems: list[ConfigProblem] = []
        self._prefix = prefix
        self._source = source
        self._written = written
        self._spelt: dict[_Path, _Path] = {}  # the options that were given, by their names

    def named(
        self, model: type[BaseModel], raw: Mapping[Any, Any], above: _Path = (), spelt: _Path = ()
    ) -> dict[str, Any]:
        """Return raw options by the names of a model's fields, without those that it does not know."""
        taken: dict[str, Any] = {}
        for key, value in ((str(key), value) for key, value in raw.items()):
            name = _field_of(model, key)
            if name is None:
                self._report(
                    (*spelt, key), Sentence("there is no such option. {hint}", hint=hint(key, model.model_fields))
                )
            elif isinstance(value, (int, float)) and not abs(value) <= _LARGEST_NUMBER:  # NaN is not, either
                why = Sentence("it should be a number up to {most}; the default is used", most=_LARGEST_NUMBER)
                self._report((*spelt, key), why)
            else:
                self._spelt[*above, name] = (*spelt, key)
                nested = _nested_model(model.model_fields[name])
                if nested is not None and isinstance(value, Mapping):
                    value = self.named(nested, value, (*above, name), (*spelt, key))
                taken[name] = value
        return taken

    def built(self, model: type[BaseModel], taken: dict[str, Any]) -> BaseModel | None:
        """Validate everything at once, and where that fails without the option that is wrong, until it does not."""
        while True:
            try:
                return model.model_validate(taken, by_alias=True, by_name=True)
            except ValidationError as error:
                first = error.errors(include_url=False)[0]
            except Exception as error:  # a validator of a third party may raise whatever it likes
                self._report((), Sentence("its options cannot be used ({kind})", kind=type(error).__name__))
                with suppress(Exception):
                    return model()
                return None
            # A rule between options says not which; the one that was given last breaks what held before.
            place = tuple(map(str, first["loc"])) or tuple(taken)[-1:]
            wrong = next((place[:end] for end in range(len(place), 0, -1) if place[:end] in self._spelt), ())
            if first["type"] == "missing":
                self._report(place, Sentence("this option is required, and is missing"))
            else:
                allowed = next((words for path, _, words in described(model) if path == wrong), "")
                self._report(self._spelt.get(wrong, place), _why(first, allowed))
            if not wrong or (len(wrong) == 1 and model.model_fields[wrong[0]].is_required()):
                return None
            within = taken
            for name in wrong[:-1]:
                within = within[name]
            del within[wrong[-1]]

    def _report(self, path: _Path, message: str) -> None:
        key = self._written.get(".".join(path)) or ".".join((self._prefix, *map(key_text, path)))
        self.problems.append(ConfigProblem(key, sentence(key, message), self._source))


def _field_of(model: type[BaseModel], key: str) -> str | None:
    named = (name for name, field in model.model_fields.items() if key in (name, field.validation_alias))
    snake = to_snake(key)
    return next(named, snake if snake in model.model_fields else None)


def _nested_model(field: FieldInfo) -> type[BaseModel] | None:
    kind = field.annotation
    return kind if isinstance(kind, type) and issubclass(kind, BaseModel) else None


def _why(first: Mapping[str, Any], allowed: str) -> Sentence:
    """Return an error of pydantic's in words, without the value that it is about."""
    found, message = first["input"], first["msg"].removeprefix("Value error, ")
    if first["type"] != "value_error" and allowed:
        return Sentence("it should be {allowed}; the default is used", allowed=allowed)
    if isinstance(found, str) and found.strip() and found in message:
        message = Sentence("this value is not accepted")
    return Sentence("{said}; the default is used", said=Sentence.of(message))
