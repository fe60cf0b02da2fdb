"""How well the search finds what a question asks for, on labelled sets of documents and questions, beside others.

``python -m benchmarks retrieval --help`` says what can be chosen.
"""

from collections.abc import Sequence


def main(arguments: Sequence[str] = ()) -> int:
    """Print the table of every set; return 1 where our order is below a plain one."""
    # Imported here because the environments of the peers import this package without what the command needs.
    from benchmarks.measure import quiet
    from benchmarks.retrieval.command import main as run

    with quiet():
        return run(arguments)
