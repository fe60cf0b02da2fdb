"""``nanobot-memory``, which answers Ctrl-C from its first moment on, also while modules are imported."""

import gettext
import os
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
    """Let gettext find our catalogue, before Typer, which looks its headings up when it is imported."""
    from nanobot_memory_plugins.core.cli.language import chosen_language
    from nanobot_memory_plugins.core.config.languages import CATALOGUES, DOMAIN
    from nanobot_memory_plugins.core.errors import InputError

    with suppress(InputError):  # the command says so
        os.environ["LANGUAGE"] = chosen_language(sys.argv[1:])[0]
    gettext.bindtextdomain(DOMAIN, CATALOGUES)
    gettext.textdomain(DOMAIN)


if __name__ == "__main__":
    main()
