"""How well a small language model answers from what each system would put beside a question.

``python -m benchmarks answers --help`` says what can be chosen.
"""

from collections.abc import Sequence


def main(arguments: Sequence[str] = ()) -> None:
    """Ask the questions that are not answered yet, and print the table."""
    from benchmarks.answers.command import main as run
    from benchmarks.measure import quiet

    with quiet():
        run(arguments)
