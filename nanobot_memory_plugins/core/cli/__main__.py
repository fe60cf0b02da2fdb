"""``python -m nanobot_memory_plugins.core.cli``: the command line where its script is not on the path."""

from nanobot_memory_plugins.core.cli.start import main

main()
