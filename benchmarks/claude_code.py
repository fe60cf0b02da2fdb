"""The additional time of a turn of Claude Code with the plugin, once its server runs.

``python -m benchmarks claude_code`` alternates between a conversation with the plugin and one without. It needs the
package from npm: `release.claude_code` says where. The model answers at once, so that the time of a turn is that of the
host and the memory.
"""

import statistics
import sys
import tempfile
import time
from pathlib import Path

from tests.support.claude_code import MISSING, ClaudeCode, Conversation, program
from tests.support.wire_servers import AnthropicServer

TURNS, FIRST = 60, 5
# Each question follows the statement that it is about, so that half of the turns recall something.
_SAID = "Our {} is kept in hall {}."
_ASKED = "In which hall is our {} kept?"
_THINGS = ["crane", "lathe", "press", "kiln", "loom", "forge", "mill", "saw", "drill", "winch", "pump", "boiler"]


def prompts() -> list[str]:
    """Return statements and questions alternately."""
    said = [_SAID.format(f"{thing} {n}", n * 7) for n in range(3) for thing in _THINGS]
    asked = [_ASKED.format(f"{thing} {n}") for n in range(3) for thing in _THINGS]
    return [one for pair in zip(said, asked, strict=True) for one in pair][:TURNS]


def seconds(conversation: Conversation, prompt: str) -> float:
    """Return the seconds of a turn."""
    began = time.perf_counter()
    conversation.ask(prompt)
    return time.perf_counter() - began


def main() -> None:
    """Print the medians and their difference."""
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
