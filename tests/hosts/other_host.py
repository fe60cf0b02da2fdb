"""A host of another kind over a workspace, ``other_host.py WORKSPACE``: it says what is recalled for each line."""

import sys

from nanobot_memory_plugins.core import MemoryConfig, MemoryService
from tests.support.hosts import OPTIONS

with MemoryService(sys.argv[1], config=MemoryConfig.model_validate(OPTIONS)) as memory:
    for line in map(str.strip, sys.stdin):
        turn = memory.turn("other:console")
        block = turn.received(line).now() or "nothing"
        turn.replied("Understood.").now()
        print(" ".join(block.split()))
