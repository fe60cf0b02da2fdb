"""How well a small language model answers from the context that each system gives for a question.

``python -m benchmarks answers --help`` lists the options.
"""

from collections.abc import Sequence


def main(arguments: Sequence[str] = ()) -> None:
    """Ask the remaining questions, and print the table."""
    from benchmarks.answers.command import main as run
    from benchmarks.measure import quiet

    with quiet():
        run(arguments)
