"""The redactor with the rules that installed distributions bring through their entry points."""

from __future__ import annotations

import importlib
import re
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from nanobot_memory_plugins.core.entry_points import REDACTION_GROUP, InstalledEntryPoint, installed_entry_points
from nanobot_memory_plugins.core.errors import PluginError
from nanobot_memory_plugins.core.isolation.failure import exception_name
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.redaction.bounded_rules import BoundedRules, enter_rule, is_within_rule
from nanobot_memory_plugins.redaction.engine.redactor import Redactor
from nanobot_memory_plugins.redaction.rules.rule import Rule
from nanobot_memory_plugins.redaction.script.messages import Sentence

_LOAD_SECONDS = 10.0
_BUILT_IN_ONLY = Redactor()


@dataclass(frozen=True, slots=True)
class InstalledRules:
    """What one entry point brought; ``error`` says why it brought nothing."""

    name: str
    distribution: str
    version: str
    rules: tuple[Rule, ...] = ()
    error: str = ""


def default_redactor() -> Redactor:
    """Give the redactor of this process. The first call loads the detectors and looks for rules.

    That takes some tenths of a second: a host makes it outside its event loop. The rules stay what they were then.
    """
    return _BUILT_IN_ONLY if is_within_rule() else _loaded()[0]


def installed_rules() -> tuple[InstalledRules, ...]:
    """Give what each entry point of the group brought to `default_redactor`, by name."""
    return _loaded()[1]


def forget_installed_rules() -> None:
    """Look for rules anew at the next call."""
    _loaded.cache_clear()


@cache
def _loaded() -> tuple[Redactor, tuple[InstalledRules, ...]]:
    importlib.import_module("nanobot_memory_plugins.redaction.detectors.registry")
    points = sorted(installed_entry_points(REDACTION_GROUP), key=lambda one: (one.name, one.distribution))
    found = tuple(_load(point) for point in points)
    for one in found:
        if one.error:
            logger.warning("the redaction rules of {} ({}) are not used: {}", one.name, one.distribution, one.error)
    rules = [(one.name, rule) for one in found for rule in one.rules]
    return (Redactor(bounded=BoundedRules(rules)) if rules else _BUILT_IN_ONLY), found


def _load(point: InstalledEntryPoint) -> InstalledRules:
    """Load one entry point in a daemon thread, so that one that hangs holds nobody up for long."""
    outcomes: list[tuple[tuple[Rule, ...], str]] = []

    def load() -> None:
        enter_rule()
        try:
            brought = point.load()
            if callable(brought):
                brought = brought()
            rules = _checked(brought)
            outcomes.append((rules, ""))
        except PluginError as error:
            outcomes.append(((), str(error)))
        except BaseException as error:  # an import may raise anything
            outcomes.append(((), exception_name(error)))

    thread = threading.Thread(target=load, name=f"nanobot-memory rules {point.name}", daemon=True)
    thread.start()
    thread.join(_LOAD_SECONDS)
    rules, error = (
        outcomes[0]
        if outcomes
        else ((), Sentence("loading them takes longer than {seconds:g} s", seconds=_LOAD_SECONDS))
    )
    return InstalledRules(point.name, point.distribution, point.version, rules, error)


def _checked(brought: object) -> tuple[Rule, ...]:
    """Give copies of the rules that were brought, since what is taken over may not change any more.

    Raises `PluginError` for anything else.
    """
    many = brought if isinstance(brought, Iterable) else (brought,)
    rules = []
    for one in many:
        if not isinstance(one, Rule):
            raise PluginError(Sentence("they are to be rules, and one is {kind}", kind=type(one).__name__))
        if not isinstance(one.pattern, re.Pattern) or not isinstance(one.pattern.pattern, str):
            raise PluginError("a rule's pattern is to be a compiled pattern for text")
        try:
            rule = Rule(str(one.kind), str(one.placeholder), one.pattern, one.validator, tuple(map(str, one.literals)))
            BoundedRules([("", rule)])
        except ValueError as error:
            raise PluginError(str(error)) from None
        rules.append(rule)
    return tuple(rules)
