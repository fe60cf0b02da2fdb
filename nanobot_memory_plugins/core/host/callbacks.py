"""Callbacks that cannot end the run of the framework that calls them."""

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from nanobot_memory_plugins.core.errors import said_of
from nanobot_memory_plugins.core.log import logger

_T = TypeVar("_T")
_P = ParamSpec("_P")


def guarded(callback: Callable[_P, Awaitable[_T]]) -> Callable[_P, Awaitable[_T | None]]:
    """Have a callback answer None, and log it, where it fails: most frameworks end the run for what a callback raises.

    A cancellation is passed on.
    """

    @wraps(callback)
    async def call(*arguments: _P.args, **named: _P.kwargs) -> _T | None:
        try:
            return await callback(*arguments, **named)
        except Exception as error:
            logger.warning("the memory could not deal with what the host told: {}", said_of(error))
            return None

    return call


def never_raises(method: Callable[_P, _T]) -> Callable[_P, _T | None]:
    """Have a call of the host answered with None, and logged, where what it hands over cannot be dealt with."""

    @wraps(method)
    def call(*arguments: _P.args, **named: _P.kwargs) -> _T | None:
        try:
            return method(*arguments, **named)
        except Exception as error:
            logger.warning("the memory could not deal with what the host told: {}", said_of(error))
            return None

    return call
