"""A plugin's raw options against its own model, key by key: what is wrong costs only its own key."""

import math
from collections.abc import Iterator, Mapping
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

from pydantic import AliasChoices, BaseModel, ValidationError
from pydantic.alias_generators import to_snake
from pydantic.fields import FieldInfo

from nanobot_memory_plugins.core.config.models import ConfigProblem, MemoryConfig
from nanobot_memory_plugins.core.config.names import place_of
from nanobot_memory_plugins.core.config.wording import hint, kind_of, sentence, shown, wrong_value
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Whole numbers above it are not exact in JSON, and overflow timers and SQLite's integers soon after.
_LARGEST_NUMBER = 2**53
# How deep values are looked through for numbers that cannot be used; options are far flatter.
_DEPTH = 32


def plugin_options(
    config: MemoryConfig, plugin: str, model: type[BaseModel] | None, *, source: str = ""
) -> tuple[BaseModel | None, list[ConfigProblem]]:
    """Return a plugin's options as an instance of its ``model``, and what was wrong with them.

    The options are None when the plugin has no model, or when the model requires an option that is not there.
    """
    raw = dict(config.plugins.get(plugin, {}))
    if model is None or "enabled" not in model.model_fields:
        raw.pop("enabled", None)
    source = source or config.source
    prefix = f"{config.prefix}.{shown(plugin)}"
    written = {key.removeprefix(f"{plugin}."): name for key, name in config.written.items()}
    checker = _Checker(source, written)
    if model is None:
        for key in raw:
            checker.report(prefix, (str(key),), Sentence('the plugin "{plugin}" has no options', plugin=shown(plugin)))
        return None, checker.problems
    return checker.check(model, raw, prefix, ()), checker.problems


def checked_options(
    model: type[BaseModel], raw: Mapping[Any, Any], *, prefix: str, source: str
) -> tuple[BaseModel | None, list[ConfigProblem]]:
    """Return ``raw`` as an instance of ``model``, and what was wrong; ``prefix`` stands before the keys."""
    checker = _Checker(source, {})
    return checker.check(model, raw, prefix, ()), checker.problems


class _Checker:
    """Goes through an object and its nested ones, and collects the problems."""

    def __init__(self, source: str, written: Mapping[str, str]) -> None:
        self._source = source
        self._written = written
        self.problems: list[ConfigProblem] = []

    def report(self, prefix: str, path: tuple[str, ...], message: str) -> None:
        """Add a problem with the option at ``path``, under the name that the user wrote."""
        key = self._written.get(".".join(path)) or ".".join((prefix, *(shown(part) for part in path)))
        self.problems.append(ConfigProblem(key, sentence(key, message), self._source))

    def check(
        self, model: type[BaseModel], raw: Mapping[Any, Any], prefix: str, above: tuple[str, ...]
    ) -> BaseModel | None:
        """Return an instance of ``model``, or None when a required option is missing or wrong."""
        given: dict[str, object] = {}
        keys: dict[str, str] = {}
        for key, value in raw.items():
            name = _field_of(model, str(key))
            path = (*above, str(key))
            if name is None and model.model_config.get("extra") == "allow":
                given[str(key)] = value
            elif name is None:
                self.report(prefix, path, self._unknown(model, str(key)))
            elif wrong := _unusable(model.model_fields[name], value):
                self.report(prefix, path, _told(wrong, model.model_fields[name]))
            else:
                if name in given:
                    self.report(
                        prefix,
                        path,
                        Sentence('"{name}" says the same option; the later one counts', name=shown(keys[name])),
                    )
                keys[name] = str(key)
                given[name] = value
        for name in list(given):
            nested = _nested_model(model.model_fields.get(name))
            value = given[name]
            if nested is not None and isinstance(value, Mapping):
                inner = self.check(nested, value, prefix, (*above, keys[name]))
                if inner is None:
                    del given[name]
                else:
                    given[name] = inner
        return self._build(model, given, keys, prefix, above)

    def _build(
        self,
        model: type[BaseModel],
        given: dict[str, object],
        keys: dict[str, str],
        prefix: str,
        above: tuple[str, ...],
    ) -> BaseModel | None:
        """Validate everything at once; when that fails, start from what is required and add key by key."""
        instance, _ = _validated(model, given)
        if instance is not None:
            return instance
        required = {name for name, field in model.model_fields.items() if field.is_required()}
        accepted = {name: value for name, value in given.items() if name in required}
        for name in sorted(required - set(given)):
            self.report(prefix, (*above, name), "this option is required, and is missing")
        instance, why = _validated(model, accepted)
        if instance is None:
            if required <= set(given):
                self.report(prefix, above, why or "these options cannot be used")
            return None
        for name, value in given.items():
            if name in required:
                continue
            larger, why = _validated(model, {**accepted, name: value})
            if larger is not None:
                accepted[name] = value
                instance = larger
                continue
            field = model.model_fields.get(name)
            self.report(prefix, (*above, keys.get(name, name)), _told(why, field))
        return instance

    @staticmethod
    def _unknown(model: type[BaseModel], key: str) -> Sentence:
        elsewhere = place_of(key)
        names = set(model.model_fields)
        if elsewhere and elsewhere.rpartition(".")[2] not in names:
            return Sentence('there is no such option here; it is "{elsewhere}"', elsewhere=elsewhere)
        return Sentence("there is no such option. {hint}", hint=hint(key, names))


def _field_of(model: type[BaseModel], key: str) -> str | None:
    """Return the field that a key names: by its name, by an alias, or in camelCase."""
    if key in model.model_fields:
        return key
    for name, field in model.model_fields.items():
        if key in _aliases(field):
            return name
    snake = to_snake(key)
    return snake if snake in model.model_fields else None


def _aliases(field: FieldInfo) -> list[str]:
    alias = field.validation_alias
    choices: list[Any] = alias.choices if isinstance(alias, AliasChoices) else [alias]
    return [choice for choice in (*choices, field.alias) if isinstance(choice, str)]


def _validated(model: type[BaseModel], given: Mapping[str, object]) -> tuple[BaseModel | None, str]:
    """Return an instance, or None and why not. A validator of a third party may raise whatever it likes."""
    by_name = model.model_config.get("populate_by_name") or model.model_config.get("validate_by_name")
    keyed = {}
    for name, value in given.items():
        aliases = _aliases(model.model_fields[name]) if name in model.model_fields else []
        keyed[aliases[0] if aliases and not by_name else name] = value
    try:
        return model.model_validate(keyed), ""
    except ValidationError as error:
        return None, _why(error)
    except Exception as error:
        return None, Sentence("the plugin cannot use it ({kind})", kind=type(error).__name__)


def _why(error: ValidationError) -> str:
    """Return the first error in words, without the value that it is about."""
    first = error.errors(include_url=False)[0]
    found = first["input"]
    message = first["msg"].replace("Input should", "it should").removeprefix("Value error, ")
    if isinstance(found, str) and found.strip() and found in message:
        message = "this value is not accepted"
    said = wrong_value(message, first.get("ctx", {}))
    place = "".join(f"[{part}]" for part in first["loc"] if isinstance(part, int))
    if place:
        return Sentence("at {place} {said} (found {kind})", place=place, said=said, kind=kind_of(found))
    return Sentence("{said} (found {kind})", said=said, kind=kind_of(found))


def _unusable(field: FieldInfo, value: object) -> str:
    """Return what is wrong with a value that a model might let pass and a timer or a database would not."""
    for number in _numbers(value, _DEPTH):
        if not math.isfinite(number) or abs(number) > _LARGEST_NUMBER:
            return Sentence("a number that can be used is expected, at most {most}", most=_LARGEST_NUMBER)
    types = _members(field.annotation)
    if isinstance(value, bool) and types & {int, float} and not types & {bool, Any, object}:
        return Sentence("it should be a number (found a boolean)")
    return ""


def _numbers(value: object, depth: int) -> Iterator[int | float]:
    """Yield the numbers in a value; one that is nested too deeply counts as one that cannot be used."""
    if isinstance(value, (int, float)):
        yield value if isinstance(value, float) or abs(value) <= _LARGEST_NUMBER else math.inf
    elif isinstance(value, (Mapping, list, tuple)):
        if depth == 0:
            yield math.inf
            return
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _numbers(item, depth - 1)


def _members(annotation: Any) -> set[Any]:
    """Return the members of a union, or the annotation alone."""
    return set(get_args(annotation)) if get_origin(annotation) in (Union, UnionType) else {annotation}


def _nested_model(field: FieldInfo | None) -> type[BaseModel] | None:
    """Return the one model that a field holds, or None: not a model, or a choice of several."""
    if field is None:
        return None
    members = _members(field.annotation) - {NoneType}
    models = [kind for kind in members if isinstance(kind, type) and issubclass(kind, BaseModel)]
    return models[0] if len(models) == len(members) == 1 else None


def _told(wrong: str, field: FieldInfo | None) -> Sentence:
    """Return what is wrong with a value, and what is used instead."""
    said = Sentence.of(wrong)
    if field is None or field.is_required():
        return said
    default = field.default
    if isinstance(default, (bool, int, float)) or default == "":
        return Sentence("{said}; the default {default!r} is used", said=said, default=default)
    if isinstance(default, str):
        return Sentence('{said}; the default "{default}" is used', said=said, default=default)
    return Sentence("{said}; the default is used", said=said)
