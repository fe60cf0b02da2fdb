"""Values of options under the names that the output gives them: ``--kind 笔记`` is ``--kind note``.

The names are those of the catalogues, of every language, whatever is spoken now: a third language brings its own.
"""

from collections.abc import Callable, Sequence
from enum import Enum
from functools import cache
from typing import Any, get_args

from nanobot_memory_plugins.core.cli.language import catalogue, languages


def take_names_of_catalogues(command: Any) -> None:
    """Let the options of a command, and of those below it, take a choice by its name in any language, too."""
    for option in command.params:
        if option.param_type_name == "option" and (choices := _choices_of(option)):
            option.process_value = _naming(option.process_value, choices)
    for below in getattr(command, "commands", {}).values():
        take_names_of_catalogues(below)


def _naming(process: Callable[[Any, Any], Any], choices: tuple[str, ...]) -> Callable[[Any, Any], Any]:
    def processed(context: Any, value: Any) -> Any:
        if isinstance(value, str):
            value = _named(value, choices)
        elif isinstance(value, list | tuple):
            value = type(value)(_named(one, choices) for one in value)
        return process(context, value)

    return processed


def _named(value: Any, choices: tuple[str, ...]) -> Any:
    if isinstance(value, Enum) or not isinstance(value, str) or value in choices:
        return value
    return _names(choices).get(_folded(value), value)


@cache
def _names(choices: tuple[str, ...]) -> dict[str, str]:
    """Return the choices by their names, without a name that two of them have."""
    found: dict[str, set[str]] = {}
    for language in languages():
        for choice in choices:
            found.setdefault(_folded(catalogue(language)(choice)), set()).add(choice)
    return {name: one for name, (one, *more) in found.items() if not more}


def _folded(name: str) -> str:
    from nanobot_memory_plugins.redaction.script.chinese_script import simplified  # its table costs an import

    return simplified(name.strip()).casefold()


def _choices_of(option: Any) -> tuple[str, ...]:
    """Return the values that an option chooses from, as the Typer that is installed holds them."""
    held: Sequence[Any] = getattr(getattr(option, "type", None), "choices", ())
    annotation = getattr(getattr(option, "type_descriptor", None), "annotation", None)
    for one in (annotation, *get_args(annotation)):
        if isinstance(one, type) and issubclass(one, Enum):
            held = list(one)
    return tuple(str(one.value if isinstance(one, Enum) else one) for one in held)
