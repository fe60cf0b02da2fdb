"""Builds a container image of the default set from this checkout, and runs the memory's doctor in it.

``python -m release.container [TAG]`` uses the first builder that responds, and fails without one.
"""

import shutil
import sys
import tempfile
from pathlib import Path

from release import building
from release.running import ReleaseError, run

ROOT = Path(__file__).resolve().parents[1]
BUILDERS = ("docker", "podman", "nerdctl")
TAG = "nanobot-memory"


def builder(path: str | None = None) -> str:
    """Return the first image builder on the path that responds. Raises `ReleaseError`."""
    unresponsive = []
    for name in BUILDERS:
        if shutil.which(name, path=path) is None:
            continue
        try:
            run([name, "info"], folder=ROOT, seconds=60)
        except ReleaseError:
            unresponsive.append(name)
            continue
        return name
    if unresponsive:
        raise ReleaseError(f"{', '.join(unresponsive)} is installed and does not answer: start its service.")
    raise ReleaseError(f"There is nothing to build an image with: install one of {', '.join(BUILDERS)}.")


def build_image(program: str, tag: str, folder: Path) -> str:
    """Build the image in a folder, and return its doctor's output. Raises `ReleaseError`."""
    shutil.copy(Path(__file__).parent / "image" / "Dockerfile", folder / "Dockerfile")
    files = building.build(ROOT, folder / "built")
    wheels = folder / "wheels"
    wheels.mkdir()
    for file in files:
        if file.suffix == ".whl":
            shutil.copy(file, wheels)
    run([program, "build", "--tag", tag, "."], folder=folder)
    # In the home folder, since an image has no workspace before `nanobot onboard`.
    doctor = ["--entrypoint", "nanobot-memory", tag, "doctor", "--workspace", "/home/agent"]
    return run([program, "run", "--rm", *doctor], folder=folder)


def main() -> None:
    """Build the image, and print its doctor's output."""
    tag = sys.argv[1] if len(sys.argv) > 1 else TAG
    try:
        program = builder()
        with tempfile.TemporaryDirectory() as made:
            print(build_image(program, tag, Path(made)))
    except ReleaseError as failed:
        sys.exit(f"{failed}")
    print(f"{tag} is built: `{program} run -it -v nanobot:/home/agent/.nanobot {tag} agent`")


if __name__ == "__main__":
    main()
