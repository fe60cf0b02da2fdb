"""Builds the wheels as for a release, and checks their contents."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from release.checks.listed import ROOT, check
from release.contents import machine_traces, problems
from release.running import run
from release.versions import problems as of_versions
from release.versions import projects, version_of


@check("distributions agree on version and metadata")
def versions() -> Iterator[str]:
    """They also require exactly that version of each other."""
    yield from of_versions(ROOT)


@check("wheels hold what belongs into them, and nothing of this machine")
def wheels() -> Iterator[str]:
    """There is one for every distribution."""
    with tempfile.TemporaryDirectory() as folder:
        variables = {**os.environ, "NANOBOT_RELEASE": "1"}
        build = ["uv", "build", "--quiet", "--all-packages", "--wheel", "--out-dir", folder]
        run(build, folder=ROOT, variables=variables)
        built = sorted(Path(folder).glob("*.whl"))
        named = {file.name.split("-")[0].replace("_", "-") for file in built}
        yield from (f"{name}: no wheel, or no such distribution" for name in sorted(named ^ set(projects(ROOT))))
        forbidden = [*machine_traces(ROOT), str(ROOT).encode()]
        for file in built:
            yield from problems(file, version_of(ROOT), forbidden)
