"""``nanobot-memory`` as ``python -m nanobot_memory_plugins.core.cli``."""

from nanobot_memory_plugins.core.cli.main import main

if __name__ == "__main__":
    main()
