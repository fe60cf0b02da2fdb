"""Run the benchmarks that are named, or all."""

import importlib
import pkgutil
import sys

import benchmarks

# Not measurements, but what they share.
SHARED = {"__main__", "measure"}


def main() -> int:
    """Run each benchmark's ``main`` and print what it returns; return 0."""
    names = [module.name for module in pkgutil.iter_modules(benchmarks.__path__) if module.name not in SHARED]
    wanted = sys.argv[1:] or names
    unknown = sorted(set(wanted) - set(names))
    if unknown:
        print(f"There is no benchmark {', '.join(unknown)}. There are: {', '.join(names)}.", file=sys.stderr)
        return 2
    for name in wanted:
        print(f"== {name}", flush=True)
        importlib.import_module(f"benchmarks.{name}").main()
    return 0


if __name__ == "__main__":
    sys.exit(main())
