"""``nanobot-memory``, which answers Ctrl-C from its first moment on, also while modules are imported."""

import gettext
import signal
import sys
from contextlib import suppress


def main() -> None:
    """Run the command line on this process's arguments, and exit."""
    try:
        _choose_language()
        from nanobot_memory_plugins.core.cli.main import main as run

        run()
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        with suppress(OSError):
            sys.stderr.write(f"nanobot-memory: {gettext.gettext('Interrupted.')}\n")
            sys.stderr.flush()
        sys.exit(130)


def _choose_language() -> None:
    """Have gettext say what our catalogue does, before Typer, which looks its headings up when it is imported."""
    from nanobot_memory_plugins.core.cli.language import catalogue, chosen_language
    from nanobot_memory_plugins.core.errors import InputError

    with suppress(InputError):  # the command says so
        gettext.gettext = catalogue(chosen_language(sys.argv[1:])[0])  # type: ignore[assignment]


if __name__ == "__main__":
    main()
