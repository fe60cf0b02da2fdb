"""A plugin's raw options against its own model, key by key: what is wrong costs only its own key."""

from collections.abc import Mapping
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

_Path = tuple[str, ...]


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
    checking = _Checking(prefix, source, written or {})
    given = checking.named(model, raw)
    return checking.built(model, given), checking.problems


class _Checking:
    """One check of options. ``problems`` grows with it."""

    def __init__(self, prefix: str, source: str, written: Mapping[str, str]) -> None:
        self.problems: list[ConfigProblem] = []
        self._prefix = prefix
        self._source = source
        self._written = written
        # The keys that the user wrote, by the keys under which the model takes them.
        self._spelt: dict[_Path, _Path] = {}

    def named(
        self, model: type[BaseModel], raw: Mapping[Any, Any], above: _Path = (), spelt: _Path = ()
    ) -> dict[str, Any]:
        """Return raw options by the keys under which a model takes them, without those that it does not know."""
        given: dict[str, Any] = {}
        for key, value in ((str(key), value) for key, value in raw.items()):
            field = _field_of(model, key)
            info = model.model_fields[field] if field else None
            name = next(iter(_aliases(info)), field or key) if info else key
            nested = _nested_model(info)
            if info is None and model.model_config.get("extra") != "allow":
                self._report((*spelt, key), _unknown(model, key))
                continue
            if not _is_usable(value, _DEPTH):
                why = Sentence("a number that can be used is expected, at most {most}", most=_LARGEST_NUMBER)
                self._report((*spelt, key), _with_default(why, info))
                continue
            if nested is not None and isinstance(value, Mapping):
                value = self.named(nested, value, (*above, name), (*spelt, key))
            given[name] = value
            self._spelt[*above, name] = (*spelt, key)
        return given

    def built(self, model: type[BaseModel], given: dict[str, Any]) -> BaseModel | None:
        """Validate everything at once, and where that fails without the option that is wrong, until it does not."""
        while True:
            try:
                return model.model_validate(given)
            except ValidationError as error:
                first = error.errors(include_url=False)[0]
                loc = tuple(map(str, first["loc"]))
                # A rule between options says not which; the one that was given last breaks what held before.
                path = self._given(loc or tuple(given)[-1:])
                info, allowed = _described(model, path)
                why = _why(first, allowed)
                if first["type"] == "missing":
                    self._report(loc, "this option is required, and is missing")
                else:
                    self._report(self._spelt.get(path, path), _with_default(why, info))
            except Exception as error:  # a validator of a third party may raise whatever it likes
                path = tuple(name for name, value in given.items() if _breaks(model, name, value))[:1]
                info, _ = _described(model, path)
                why = Sentence("the plugin cannot use it ({kind})", kind=type(error).__name__)
                self._report(self._spelt.get(path, path), _with_default(why, info))
            if not path or (len(path) == 1 and info is not None and info.is_required()):
                return None
            place = given
            for name in path[:-1]:
                place = place[name]
            del place[path[-1]]

    def _given(self, loc: _Path) -> _Path:
        """Return the longest part of a place in a model that is an option that was given."""
        return next((loc[:end] for end in range(len(loc), 0, -1) if loc[:end] in self._spelt), ())

    def _report(self, path: _Path, message: str) -> None:
        key = self._written.get(".".join(path)) or ".".join((self._prefix, *map(shown, path)))
        self.problems.append(ConfigProblem(key, sentence(key, message), self._source))


def _described(model: type[BaseModel], path: _Path) -> tuple[FieldInfo | None, str]:
    """Return the field at a path of a model, and what may stand there in words."""
    info: FieldInfo | None = None
    for name in path:
        field = _field_of(model, name)
        if field is None:
            return None, ""
        schema = model.model_json_schema(by_alias=False)
        info, allowed = model.model_fields[field], allowed_by(schema["properties"][field], schema.get("$defs", {}))
        model = _nested_model(info) or model
    return (info, allowed) if info is not None else (None, "")


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


def _aliases(field: FieldInfo) -> list[str]:
    alias = field.validation_alias
    choices: list[Any] = alias.choices if isinstance(alias, AliasChoices) else [alias]
    return [choice for choice in (*choices, field.alias) if isinstance(choice, str)]


def _why(first: Mapping[str, Any], allowed: str) -> str:
    """Return an error of pydantic's in words, without the value that it is about."""
    found, message = first["input"], first["msg"].removeprefix("Value error, ")
    if first["type"] != "value_error" and allowed:
        message = Sentence("it should be {allowed}", allowed=allowed)
    elif isinstance(found, str) and found.strip() and found in message:
        message = Sentence("this value is not accepted")
    return Sentence("{said} (found {kind})", said=message, kind=kind_of(found))


def _is_usable(value: object, depth: int) -> bool:
    """Return whether a timer or a database can use every number in a value; what is nested too deeply cannot."""
    if isinstance(value, (int, float)):
        return abs(value) <= _LARGEST_NUMBER  # not a number is not, either
    if isinstance(value, (Mapping, list, tuple)):
        items = value.values() if isinstance(value, Mapping) else value
        return depth > 0 and all(_is_usable(item, depth - 1) for item in items)
    return True


def _nested_model(field: FieldInfo | None) -> type[BaseModel] | None:
    """Return the one model that a field holds, or None: not a model, or a choice of several."""
    if field is None:
        return None
    kinds = get_args(field.annotation) if get_origin(field.annotation) in (Union, UnionType) else (field.annotation,)
    members = [kind for kind in kinds if kind is not NoneType]
    models = [kind for kind in members if isinstance(kind, type) and issubclass(kind, BaseModel)]
    return models[0] if len(models) == len(members) == 1 else None


def _with_default(why: str, field: FieldInfo | None) -> Sentence:
    """Return what is wrong with a value, and what is used instead."""
    said = Sentence.of(why)
    if field is None or field.is_required():
        return said
    default = field.default
    if isinstance(default, (bool, int, float)) or default == "":
        return Sentence("{said}; the default {default!r} is used", said=said, default=default)
    if isinstance(default, str):
        return Sentence('{said}; the default "{default}" is used', said=said, default=default)
    return Sentence("{said}; the default is used", said=said)
