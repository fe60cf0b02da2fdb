"""How well the search finds the evidence of questions on labelled sets, compared to other systems.

``python -m benchmarks retrieval --help`` lists the options.
"""

from collections.abc import Sequence


def main(arguments: Sequence[str] = ()) -> int:
    """Print the table of every set. Return 1 when our ranking is below a plain one."""
    # Imported here, since the peers' environments import this package without the command's requirements.
    from benchmarks.measure import quiet
    from benchmarks.retrieval.command import main as run

    with quiet():
        return run(arguments)
