"""Run every check, or those with a given word in their names, and print the problems."""

import sys
import traceback

from release.checks import catalogues, documents, imports, tests, wheels  # noqa: F401 - importing them fills the list
from release.checks.listed import CHECKS


def main(words: list[str]) -> int:
    """Return 1 if there is any problem."""
    failed = 0
    for name, function in CHECKS.items():
        if words and not any(word in name for word in words):
            continue
        try:
            problems = list(function())
        except Exception:
            problems = [traceback.format_exc()]
        print(f"{'FAILED' if problems else 'ok    '} {name}", flush=True)
        for problem in problems:
            print(f"         {problem}")
        failed += bool(problems)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
