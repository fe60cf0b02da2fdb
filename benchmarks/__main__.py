"""Run the benchmarks that are named, or all. What follows the first option goes to each of them: they know theirs."""

import importlib
import itertools
import pkgutil
import sys

import benchmarks

# Not measurements, but what they share.
SHARED = {"__main__", "hostile_texts", "made_up", "measure", "search_memory"}


def main() -> int:
    """Run each benchmark's ``main`` and print what it returns; return 0."""
    names = [module.name for module in pkgutil.iter_modules(benchmarks.__path__) if module.name not in SHARED]
    arguments = sys.argv[1:]
    options = list(itertools.dropwhile(lambda argument: not argument.startswith("-"), arguments))
    wanted = arguments[: len(arguments) - len(options)] or names
    unknown = sorted(set(wanted) - set(names))
    if unknown:
        print(f"There is no benchmark {', '.join(unknown)}. There are: {', '.join(names)}.", file=sys.stderr)
        return 2
    for name in wanted:
        print(f"== {name}", flush=True)
        importlib.import_module(f"benchmarks.{name}").main(*([options] if options else []))
    return 0


if __name__ == "__main__":
    sys.exit(main())
