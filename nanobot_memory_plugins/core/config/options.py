"""Checking a plugin's raw options against its own model, key by key: a wrong value costs only its own key."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic.alias_generators import to_snake
from pydantic.fields import FieldInfo

from nanobot_memory_plugins.core.config.models import ConfigProblem, MemoryConfig
from nanobot_memory_plugins.core.config.wording import allowed_values, key_text, problem_sentence, spelling_hint
from nanobot_memory_plugins.core.values.plugin_options import PluginOptions
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Larger whole numbers are not exact in JSON, and much larger ones overflow timers and SQLite's integers.
_MAX_NUMBER = 2**53

_Path = tuple[str, ...]


def plugin_options(
    config: MemoryConfig, plugin: str, model: type[BaseModel] | None
) -> tuple[BaseModel | None, list[ConfigProblem]]:
    """Return a plugin's options as an instance of its ``model``, and the problems with them.

    The options are None if the plugin has no model, or if an option that the model requires is missing or wrong.
    """
    raw = dict(config.plugins.get(plugin, {}))
    if model is None or "enabled" not in model.model_fields:
        raw.pop("enabled", None)
    written = {key.removeprefix(f"{plugin}."): name for key, name in config.written.items()}
    prefix = f"{config.prefix}.{key_text(plugin)}"
    options, problems = checked_options(
        model or PluginOptions, raw, prefix=prefix, source=config.source, written=written
    )
    return (options if model else None), problems


def describe_options(model: type[BaseModel], parent: _Path = ()) -> Iterator[tuple[_Path, FieldInfo, str]]:
    """Yield each option of a model and of its nested models: its path, its field, and the allowed values in words."""
    schema = model.model_json_schema(by_alias=False)
    for name, info in model.model_fields.items():
        if (nested := _nested_model(info)) is not None:
            yield from describe_options(nested, (*parent, name))
        else:
            yield (*parent, name), info, allowed_values(schema["properties"][name], schema.get("$defs", {}))


def checked_options(
    model: type[BaseModel],
    raw: Mapping[Any, Any],
    *,
    prefix: str,
    source: str,
    written: Mapping[str, str] | None = None,
) -> tuple[BaseModel | None, list[ConfigProblem]]:
    """Return ``raw`` as an instance of ``model``, and the problems, whose keys get the ``prefix``.

    ``written`` maps the path of an option to the key that the user wrote, if that is a different one.
    """
    checker = _OptionChecker(prefix, source, written or {})
    values = checker.known_options(model, raw)
    return checker.validate(model, values), checker.problems


class _OptionChecker:
    """Checks the options of one plugin and collects the ``problems``."""

    def __init__(self, prefix: str, source: str, written: Mapping[str, str]) -> None:
        self.problems: list[ConfigProblem] = []
        self._prefix = prefix
        self._source = source
        self._written = written
        self._keys: dict[_Path, _Path] = {}  # the given options: the path that the user wrote, by the fields' path

    def known_options(
        self, model: type[BaseModel], raw: Mapping[Any, Any], parent: _Path = (), parent_key: _Path = ()
    ) -> dict[str, Any]:
        """Return the raw options by the field names of a model; unknown ones are reported and left out."""
        known: dict[str, Any] = {}
        for key, value in ((str(key), value) for key, value in raw.items()):
            name = _field_name(model, key)
            if name is None:
                self._report(
                    (*parent_key, key),
                    Sentence("there is no such option. {hint}", hint=spelling_hint(key, model.model_fields)),
                )
            elif isinstance(value, (int, float)) and not abs(value) <= _MAX_NUMBER:  # NaN fails the comparison, too
                why = Sentence("it should be a number up to {most}; the default is used", most=_MAX_NUMBER)
                self._report((*parent_key, key), why)
            else:
                self._keys[*parent, name] = (*parent_key, key)
                nested = _nested_model(model.model_fields[name])
                if nested is not None and isinstance(value, Mapping):
                    value = self.known_options(nested, value, (*parent, name), (*parent_key, key))
                known[name] = value
        return known

    def validate(self, model: type[BaseModel], values: dict[str, Any]) -> BaseModel | None:
        """Validate all values, and again without each wrong one, which is reported, until the rest is valid.

        Return None if a wrong or missing option is required.
        """
        while True:
            try:
                return model.model_validate(values, by_alias=True, by_name=True)
            except ValidationError as error:
                first = error.errors(include_url=False)[0]
            except Exception as error:  # a validator of a third party may raise anything
                self._report((), Sentence("its options cannot be used ({kind})", kind=type(error).__name__))
                with suppress(Exception):
                    return model()
                return None
            # A validator of the whole model names no option; the one that was given last is taken for the wrong one.
            path = tuple(map(str, first["loc"])) or tuple(values)[-1:]
            wrong = next((path[:end] for end in range(len(path), 0, -1) if path[:end] in self._keys), ())
            if first["type"] == "missing":
                self._report(path, Sentence("this option is required, and is missing"))
            else:
                allowed = next((words for option, _, words in describe_options(model) if option == wrong), "")
                self._report(self._keys.get(wrong, path), _error_text(first, allowed))
            if not wrong or (len(wrong) == 1 and model.model_fields[wrong[0]].is_required()):
                return None
            parent = values
            for name in wrong[:-1]:
                parent = parent[name]
            del parent[wrong[-1]]

    def _report(self, path: _Path, message: str) -> None:
        key = self._written.get(".".join(path)) or ".".join((self._prefix, *map(key_text, path)))
        self.problems.append(ConfigProblem(key, problem_sentence(key, message), self._source))


def _field_name(model: type[BaseModel], key: str) -> str | None:
    matches = (name for name, field in model.model_fields.items() if key in (name, field.validation_alias))
    snake = to_snake(key)
    return next(matches, snake if snake in model.model_fields else None)


def _nested_model(field: FieldInfo) -> type[BaseModel] | None:
    kind = field.annotation
    return kind if isinstance(kind, type) and issubclass(kind, BaseModel) else None


def _error_text(error: Mapping[str, Any], allowed: str) -> Sentence:
    """Return the text of a pydantic error, without the wrong value."""
    value, message = error["input"], error["msg"].removeprefix("Value error, ")
    if error["type"] != "value_error" and allowed:
        return Sentence("it should be {allowed}; the default is used", allowed=allowed)
    if isinstance(value, str) and value.strip() and value in message:
        message = Sentence("this value is not accepted")
    return Sentence("{said}; the default is used", said=Sentence.of(message))
