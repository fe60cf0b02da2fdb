"""What a turn of Claude Code costs more with the plugin, once its server is up.

``python -m benchmarks claude_code`` asks two conversations in turn, one with the plugin and one without, and needs the
package from npm: `release.claude_code` says where it lies. The model answers at once, so that a turn is the host's work
and the memory's alone.
"""

import statistics
import sys
import tempfile
import time
from pathlib import Path

from tests.support.claude_code import MISSING, ClaudeCode, Conversation, program
from tests.support.wire_servers import AnthropicServer

TURNS, FIRST = 60, 5
# What is asked about was said before, so that half of the turns recall something.
_SAID = "Our {} is kept in hall {}."
_ASKED = "In which hall is our {} kept?"
_THINGS = ["crane", "lathe", "press", "kiln", "loom", "forge", "mill", "saw", "drill", "winch", "pump", "boiler"]


def prompts() -> list[str]:
    """Return what is said and asked, in turn."""
    said = [_SAID.format(f"{thing} {n}", n * 7) for n in range(3) for thing in _THINGS]
    asked = [_ASKED.format(f"{thing} {n}") for n in range(3) for thing in _THINGS]
    return [one for pair in zip(said, asked, strict=True) for one in pair][:TURNS]


def seconds(conversation: Conversation, prompt: str) -> float:
    """Return how long a turn took."""
    began = time.perf_counter()
    conversation.ask(prompt)
    return time.perf_counter() - began


def main() -> None:
    """Print the medians and what the plugin adds."""
    if program() is None:
        print(MISSING, file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as made, AnthropicServer() as server:
        claude = ClaudeCode(Path(made) / "one", server, {})
        with Conversation(claude) as remembers, Conversation(claude, plugin=False) as plain:
            pairs = [(seconds(remembers, one), seconds(plain, one)) for one in prompts()][FIRST:]
    own, bare = ([pair[n] * 1000 for pair in pairs] for n in (0, 1))
    added = sorted(one - other for one, other in zip(own, bare, strict=True))
    print(f"a turn with the plugin {statistics.median(own):.0f} ms, without it {statistics.median(bare):.0f} ms")
    print(f"added: median {statistics.median(added):.0f} ms, p95 {added[int(0.95 * len(added))]:.0f} ms")


if __name__ == "__main__":
    main()
