"""For commands that run a server: the socket to listen on, and stopping on a signal."""

import asyncio
import contextlib
import signal
import socket
from collections.abc import Callable, Iterator

from nanobot_memory_plugins.core.errors import InputError
from nanobot_memory_plugins.redaction.script.messages import Sentence

_BACKLOG = 128


def bound_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens on ``host``; port 0 is any free one. Raises `InputError` if it cannot be bound."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InputError(
            Sentence("Port {port} on {host} cannot be used: {why}.", port=port, host=host, why=reason),
            hint="Name another one with --port, or 0 for any that is free.",
        ) from error


@contextlib.contextmanager
def stop_on_signals(stop: Callable[[], object]) -> Iterator[None]:
    """Call ``stop`` when a signal (SIGINT, SIGTERM or SIGHUP) asks the process to end."""
    loop = asyncio.get_running_loop()
    numbers = [number for name in ("SIGINT", "SIGTERM", "SIGHUP") if (number := getattr(signal, name, None))]
    with contextlib.suppress(NotImplementedError, RuntimeError):  # Windows has Ctrl-C as an exception
        for number in numbers:
            loop.add_signal_handler(number, stop)
    yield
