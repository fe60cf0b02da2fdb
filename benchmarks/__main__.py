"""Run the benchmarks that are named, or all: ``python -m benchmarks [NAME ...]``, or ``NAME --option ...``."""

import importlib
import inspect
import pkgutil
import sys

import benchmarks

# Modules that the benchmarks share.
SHARED = {"__main__", "hostile_texts", "kept_answers", "lives", "local_model", "measure", "search_memory"}
# Benchmarks that take hours or gigabytes, or need the local model or a package from npm.
ONLY_WHEN_NAMED = {
    "answers",
    "beam",
    "claude_code",
    "everyday_answers",
    "extraction",
    "first_run",
    "forgetting",
    "learn_need",
    "learn_ranking",
    "silent_turn",
}


def main() -> int:
    """Run each benchmark's ``main``. Return 1 if any missed its bound, else 0.

    Options after the name of one benchmark are passed to it.
    """
    names = [module.name for module in pkgutil.iter_modules(benchmarks.__path__) if module.name not in SHARED]
    first_option = next((place for place, word in enumerate(sys.argv) if place and word[:1] == "-"), len(sys.argv))
    named, options = sys.argv[1:first_option], sys.argv[first_option:]
    wanted = named or [name for name in names if name not in ONLY_WHEN_NAMED]
    unknown = sorted(set(wanted) - set(names))
    if unknown:
        print(f"There is no benchmark {', '.join(unknown)}. There are: {', '.join(names)}.", file=sys.stderr)
        return 2
    if options and len(named) != 1:
        print("Options can be given to one benchmark only, after its name.", file=sys.stderr)
        return 2
    status = 0
    for name in wanted:
        print(f"== {name}", flush=True)
        benchmark = importlib.import_module(f"benchmarks.{name}")
        if options and not inspect.signature(benchmark.main).parameters:
            print(f"{name} takes no options.", file=sys.stderr)
            return 2
        status = (benchmark.main(options) if options else benchmark.main()) or status
    return status


if __name__ == "__main__":
    sys.exit(main())
