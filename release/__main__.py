"""``python -m release`` builds a release and checks it; ``python -m release version 1.2.3`` sets the version."""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from release import building, changelog, trying, versions
from release.running import ReleaseError

ROOT = Path(__file__).parents[1]
T = TypeVar("T")


def main(arguments: list[str] | None = None) -> int:
    """Return 0 when the release can be uploaded, 1 when not, 2 for wrong use."""
    parser = argparse.ArgumentParser(prog="python -m release", description=__doc__)
    parser.add_argument("--rehearsal", action="store_true", help="go on with a tree and a changelog that are not ready")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="where the files go; it is emptied first")
    parser.add_argument("--python", action="append", help="a Python to try; all of 3.11, 3.12 and 3.13 otherwise")
    parser.add_argument("--host", default="nanobot-ai", help="the requirement of nanobot-ai that it is tried with")
    parser.add_argument("--no-trial", action="store_true", help="build and check only")
    commands = parser.add_subparsers(dest="command")
    commands.add_parser("version", help="set the version of every distribution").add_argument("version")
    options = parser.parse_args(arguments)
    try:
        if options.command == "version":
            versions.set_version(ROOT, options.version)
            print(f"Every distribution is of version {options.version} now.")
            return 0
        return _release(options)
    except (ReleaseError, ValueError) as error:
        print(f"No release: {error}", file=sys.stderr)
        return 1


def ready(root: Path) -> list[str]:
    """Return why a checkout is not ready to be released, one sentence each."""
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    problems = building.tree_problems(root) + versions.problems(root)
    return problems + changelog.problems(text, versions.version_of(root))


def _release(options: argparse.Namespace) -> int:
    version = versions.version_of(ROOT)
    problems = ready(ROOT)
    if problems and not options.rehearsal:
        raise ReleaseError("\n".join(problems))
    for one in problems:
        print(f"Not ready: {one}")
    files = _run_timed("built", lambda: building.build(ROOT, options.out))
    _run_timed("looked into", lambda: building.check(ROOT, files, version))
    _run_timed("checked by twine", lambda: building.check_with_twine(ROOT, files))
    if not options.no_trial:
        with tempfile.TemporaryDirectory(prefix="nanobot-memory-release-") as folder:
            for python in options.python or trying.PYTHONS:
                print(trying.try_out(options.out.resolve(), version, python, Path(folder), options.host), flush=True)
    print(f"\n{len(files)} files in {options.out}:")
    print("\n".join(building.upload_list(files)))
    if problems:
        print("\nThis was a rehearsal: do not upload them.")
        return 0
    print(f"\nNothing was uploaded. To do it:\n  git tag v{version} && git push origin v{version}")
    print(f"  uv publish {options.out}/*")
    return 0


def _run_timed(what: str, work: Callable[[], T]) -> T:
    started = time.monotonic()
    result = work()
    print(f"{what} in {time.monotonic() - started:.0f} s", flush=True)
    return result


if __name__ == "__main__":
    sys.exit(main())
