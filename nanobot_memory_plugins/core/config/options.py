"""A plugin's raw options against its own model, key by key: what is wrong costs only its own key."""

from collections.abc import Callable, Mapping
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

from pydantic import AliasChoices, BaseModel, ValidationError
from pydantic.alias_generators import to_snake
from pydantic.fields import FieldInfo

from nanobot_memory_plugins.core.config.models import ConfigProblem, MemoryConfig
from nanobot_memory_plugins.core.config.names import place_of
from nanobot_memory_plugins.core.config.wording import allowed_by, hint, kind_of, sentence, shown
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Whole numbers above it are not exact in JSON, and overflow timers and SQLite's integers soon after.
_LARGEST_NUMBER = 2**53
# How deep values are looked through for numbers that cannot be used; options are far flatter.
_DEPTH = 32

_Report = Callable[[tuple[str, ...], str], None]


def plugin_options(
    config: MemoryConfig, plugin: str, model: type[BaseModel] | None, *, source: str = ""
) -> tuple[BaseModel | None, list[ConfigProblem]]:
    """Return a plugin's options as an instance of its ``model``, and what was wrong with them.

    The options are None when the plugin has no model, or when the model requires an option that is not there.
    """
    raw = dict(config.plugins.get(plugin, {}))
    if model is None or "enabled" not in model.model_fields:
        raw.pop("enabled", None)
    written = {key.removeprefix(f"{plugin}."): name for key, name in config.written.items()}
    prefix, source = f"{config.prefix}.{shown(plugin)}", source or config.source
    if model is not None:
        return checked_options(model, raw, prefix=prefix, source=source, written=written)
    why = Sentence('the plugin "{plugin}" has no options', plugin=shown(plugin))
    keys = [f"{prefix}.{shown(key)}" for key in raw]
    return None, [ConfigProblem(key, sentence(key, why), source) for key in keys]


def checked_options(
    model: type[BaseModel],
    raw: Mapping[Any, Any],
    *,
    prefix: str,
    source: str,
    written: Mapping[str, str] | None = None,
) -> tuple[BaseModel | None, list[ConfigProblem]]:
    """Return ``raw`` as an instance of ``model``, and what was wrong; ``prefix`` stands before the keys.

    ``written`` gives by the path of an option the key that the user wrote, where it is another.
    """
    problems: list[ConfigProblem] = []

    def report(path: tuple[str, ...], message: str) -> None:
        key = (written or {}).get(".".join(path)) or ".".join((prefix, *map(shown, path)))
        problems.append(ConfigProblem(key, sentence(key, message), source))

    return _checked(model, raw, report, ()), problems


def _checked(
    model: type[BaseModel], raw: Mapping[Any, Any], report: _Report, above: tuple[str, ...]
) -> BaseModel | None:
    given: dict[str, object] = {}
    keys: dict[str, str] = {}
    for key, value in ((str(key), value) for key, value in raw.items()):
        field = _field_of(model, key)
        name, info = (_alias_of(model, field), model.model_fields[field]) if field else (key, None)
        if info is None and model.model_config.get("extra") != "allow":
            report((*above, key), _unknown(model, key))
        elif info is not None and (wrong := _unusable(info, value)):
            report((*above, key), _told(wrong, info))
        else:
            if name in keys:
                report((*above, key), Sentence('"{name}" says the same option; the later one counts', name=keys[name]))
            nested = _nested_model(info)
            if nested is not None and isinstance(value, Mapping):
                value = _checked(nested, value, report, (*above, key))
            if nested is None or value is not None:
                given[name], keys[name] = value, key
    return _built(model, given, keys, report, above)


def _built(
    model: type[BaseModel],
    given: dict[str, object],
    keys: Mapping[str, str],
    report: _Report,
    above: tuple[str, ...],
) -> BaseModel | None:
    """Validate everything at once, and where that fails without the option that is wrong, until it does not fail."""
    while True:
        name, why = "", ""
        try:
            return model.model_validate(given)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            # A rule between options says not which; the one that was given last breaks what held before.
            name = str(first["loc"][0]) if first["loc"] else next(reversed(given), "")
            why = "this option is required, and is missing" if first["type"] == "missing" else _why(model, first)
        except Exception as error:  # a validator of a third party may raise whatever it likes
            name = next((one for one, value in given.items() if _breaks(model, one, value)), "")
            why = Sentence("the plugin cannot use it ({kind})", kind=type(error).__name__)
        field = model.model_fields.get(_field_of(model, name) or "")
        report((*above, keys.get(name, name)) if name else above, _told(why, field))
        if name not in given or (field is not None and field.is_required()):
            return None
        del given[name]


def _breaks(model: type[BaseModel], name: str, value: object) -> bool:
    """Return whether an option alone makes a validator raise something of its own."""
    try:
        model.model_validate({name: value})
    except ValidationError:
        return False
    except Exception:
        return True
    return False


def _unknown(model: type[BaseModel], key: str) -> Sentence:
    elsewhere = place_of(key)
    if elsewhere and elsewhere.rpartition(".")[2] not in model.model_fields:
        return Sentence('there is no such option here; it is "{elsewhere}"', elsewhere=elsewhere)
    return Sentence("there is no such option. {hint}", hint=hint(key, model.model_fields))


def _field_of(model: type[BaseModel], key: str) -> str | None:
    """Return the field that a key names: by its name, by an alias, or in camelCase."""
    named = (name for name, field in model.model_fields.items() if key in _aliases(field))
    snake = to_snake(key)
    return key if key in model.model_fields else next(named, snake if snake in model.model_fields else None)


def _alias_of(model: type[BaseModel], field: str) -> str:
    """Return the key by which a model takes a field."""
    return next(iter(_aliases(model.model_fields[field])), field)


def _aliases(field: FieldInfo) -> list[str]:
    alias = field.validation_alias
    choices: list[Any] = alias.choices if isinstance(alias, AliasChoices) else [alias]
    return [choice for choice in (*choices, field.alias) if isinstance(choice, str)]


def _why(model: type[BaseModel], first: Mapping[str, Any]) -> str:
    """Return an error of pydantic's in words, without the value that it is about."""
    found, message = first["input"], first["msg"].removeprefix("Value error, ")
    if first["type"] != "value_error":
        schema = model.model_json_schema(by_alias=False)
        field = _field_of(model, str(first["loc"][0])) if first["loc"] else None
        message = (
            Sentence("it should be {allowed}", allowed=allowed_by(schema["properties"][field], schema.get("$defs", {})))
            if field
            else message
        )
    elif isinstance(found, str) and found.strip() and found in message:
        message = Sentence("this value is not accepted")
    return Sentence("{said} (found {kind})", said=message, kind=kind_of(found))


def _unusable(field: FieldInfo, value: object) -> str:
    """Return what is wrong with a value that a model might let pass and a timer or a database would not."""
    if not _is_usable(value, _DEPTH):
        return Sentence("a number that can be used is expected, at most {most}", most=_LARGEST_NUMBER)
    types = _members(field.annotation)
    if isinstance(value, bool) and types & {int, float} and not types & {bool, Any, object}:
        return Sentence("it should be a number (found a boolean)")
    return ""


def _is_usable(value: object, depth: int) -> bool:
    """Return whether every number in a value can be used; what is nested too deeply cannot."""
    if isinstance(value, (int, float)):
        return abs(value) <= _LARGEST_NUMBER  # not a number is not, either
    if isinstance(value, (Mapping, list, tuple)):
        return depth > 0 and all(
            _is_usable(item, depth - 1) for item in (value.values() if isinstance(value, Mapping) else value)
        )
    return True


def _members(annotation: Any) -> set[Any]:
    """Return the members of a union, or the annotation alone."""
    return set(get_args(annotation)) if get_origin(annotation) in (Union, UnionType) else {annotation}


def _nested_model(field: FieldInfo | None) -> type[BaseModel] | None:
    """Return the one model that a field holds, or None: not a model, or a choice of several."""
    members = _members(field.annotation) - {NoneType} if field is not None else set()
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
