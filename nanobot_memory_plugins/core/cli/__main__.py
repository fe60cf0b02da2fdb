"""``nanobot-memory``, which answers Ctrl-C from its first moment on, also while modules are imported."""

import signal
import sys
from contextlib import suppress


def main() -> None:
    """Run the command line on this process's arguments, and exit."""
    try:
        from nanobot_memory_plugins.core.cli.main import main as run

        run()
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        with suppress(OSError):
            sys.stderr.write("nanobot-memory: Interrupted.\n")
            sys.stderr.flush()
        sys.exit(130)


if __name__ == "__main__":
    main()
