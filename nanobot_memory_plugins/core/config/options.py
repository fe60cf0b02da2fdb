"""A plugin's raw options against its own model, key by key: what is wrong costs only its own key."""

from collections.abc import Iterator, Mapping
from types import NoneType, UnionType
from typing import Any, NamedTuple, Union, get_args, get_origin

from pydantic import AliasChoices, BaseModel, ValidationError
from pydantic.alias_generators import to_snake
from pydantic.fields import FieldInfo

from nanobot_memory_plugins.core.config.models import ConfigProblem, MemoryConfig
from nanobot_memory_plugins.core.config.names import place_of
from nanobot_memory_plugins.core.config.wording import allowed_by, hint, kind_of, sentence, shown
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
    prefix = f"{config.prefix}.{shown(plugin)}"
    if model is not None:
        return checked_options(model, raw, prefix=prefix, source=config.source, written=written)
    why = Sentence('the plugin "{plugin}" has no options', plugin=shown(plugin))
    keys = [f"{prefix}.{shown(key)}" for key in raw]
    return None, [ConfigProblem(key, sentence(key, why), config.source) for key in keys]


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
    given = check.known(model, raw)
    return check.built(model, given), check.problems


class _Given(NamedTuple):
    """An option that was given: as the user spelt it, its path in the models, and its field."""

    spelt: _Path
    path: _Path
    field: FieldInfo | None


class _Check:
    """One check of options. ``problems`` grows with it."""

    def __init__(self, prefix: str, source: str, written: Mapping[str, str]) -> None:
        self.problems: list[ConfigProblem] = []
        self._prefix = prefix
        self._source = source
        self._written = written
        self._given: dict[_Path, _Given] = {}  # by the keys under which the model takes them

    def known(
        self, model: type[BaseModel], raw: Mapping[Any, Any], above: _Path = (), spelt: _Path = (), path: _Path = ()
    ) -> dict[str, Any]:
        """Return raw options by the keys under which a model takes them, without those that it does not know."""
        taken: dict[str, Any] = {}
        for key, value in ((str(key), value) for key, value in raw.items()):
            name = _field_of(model, key)
            if name is None and model.model_config.get("extra") != "allow":
                self._report((*spelt, key), _unknown(model, key))
                continue
            info = model.model_fields[name] if name else None
            if isinstance(value, (int, float)) and not abs(value) <= _LARGEST_NUMBER:  # NaN is not, either
                why = Sentence("a number that can be used is expected, at most {most}", most=_LARGEST_NUMBER)
                self._report((*spelt, key), _with_default(why, info))
                continue
            accepted = next(iter(_aliases(info)), name or key) if info else key
            given = _Given((*spelt, key), (*path, name or key), info)
            self._given[*above, accepted] = given
            nested = _nested_model(info)
            if nested is not None and isinstance(value, Mapping):
                value = self.known(nested, value, (*above, accepted), given.spelt, given.path)
            taken[accepted] = value
        return taken

    def built(self, model: type[BaseModel], taken: dict[str, Any]) -> BaseModel | None:
        """Validate everything at once, and where that fails without the option that is wrong, until it does not."""
        while True:
            try:
                return model.model_validate(taken)
            except ValidationError as error:
                first = error.errors(include_url=False)[0]
                if first["type"] == "missing":
                    self._report(tuple(map(str, first["loc"])), "this option is required, and is missing")
                    wrong = self._nearest(first["loc"])
                else:
                    # A rule between options says not which; the one that was given last breaks what held before.
                    wrong = self._nearest(first["loc"] or tuple(taken)[-1:])
                    given = self._given.get(wrong, _Given(wrong, wrong, None))
                    allowed = {path: words for path, _, words in described(model)}
                    why = _why(first, allowed.get(given.path, ""))
                    self._report(given.spelt, _with_default(why, given.field))
            except Exception as error:  # a validator of a third party may raise whatever it likes
                why = Sentence("the plugin cannot use its options ({kind})", kind=type(error).__name__)
                self._report((), why)
                return _defaults(model)
            if not wrong or (len(wrong) == 1 and (field := self._given[wrong].field) and field.is_required()):
                return None
            place = taken
            for name in wrong[:-1]:
                place = place[name]
            del place[wrong[-1]]

    def _nearest(self, loc: tuple[int | str, ...]) -> _Path:
        """Return the longest part of a place in a model that is an option that was given."""
        path = tuple(map(str, loc))
        return next((path[:end] for end in range(len(path), 0, -1) if path[:end] in self._given), ())

    def _report(self, path: _Path, message: str) -> None:
        key = self._written.get(".".join(path)) or ".".join((self._prefix, *map(shown, path)))
        self.problems.append(ConfigProblem(key, sentence(key, message), self._source))


def _defaults(model: type[BaseModel]) -> BaseModel | None:
    try:
        return model()
    except Exception:  # an option is required, or a validator of a third party raises for its default, too
        return None


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
    return [choice for choice in choices if isinstance(choice, str)]


def _nested_model(field: FieldInfo | None) -> type[BaseModel] | None:
    """Return the one model that a field holds, or None: not a model, or a choice of several."""
    annotation = field.annotation if field is not None else None
    members = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)
    kinds = [kind for kind in members if kind is not NoneType]
    is_model = len(kinds) == 1 and isinstance(kinds[0], type) and issubclass(kinds[0], BaseModel)
    return kinds[0] if is_model else None


def _why(first: Mapping[str, Any], allowed: str) -> str:
    """Return an error of pydantic's in words, without the value that it is about."""
    found, message = first["input"], first["msg"].removeprefix("Value error, ")
    if first["type"] != "value_error" and allowed:
        message = Sentence("it should be {allowed}", allowed=allowed)
    elif isinstance(found, str) and found.strip() and found in message:
        message = Sentence("this value is not accepted")
    return Sentence("{said} (found {kind})", said=Sentence.of(message), kind=kind_of(found))


def _with_default(why: str, field: FieldInfo | None) -> Sentence:
    """Return what is wrong with a value, and what is used instead."""
    problem = Sentence.of(why)
    if field is None or field.is_required():
        return problem
    default = field.default
    if isinstance(default, (bool, int, float)) or default == "":
        return Sentence("{said}; the default {default!r} is used", said=problem, default=default)
    if isinstance(default, str):
        return Sentence('{said}; the default "{default}" is used', said=problem, default=default)
    return Sentence("{said}; the default is used", said=problem)
