"""Building an image of the default set with whatever builder there is, and running the memory's doctor in it.

``python -m release.container [TAG]`` builds from this checkout. Without a builder that answers it says so, and fails.
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
    """Return the first program on the path that can build images and answers. Raises `ReleaseError`."""
    silent = []
    for name in BUILDERS:
        if shutil.which(name, path=path) is None:
            continue
        try:
            run([name, "info"], folder=ROOT, seconds=60)
        except ReleaseError:
            silent.append(name)
            continue
        return name
    if silent:
        raise ReleaseError(f"{', '.join(silent)} is installed and does not answer: start its service.")
    raise ReleaseError(f"There is nothing to build an image with: install one of {', '.join(BUILDERS)}.")


def build_image(program: str, tag: str, folder: Path) -> str:
    """Build the image in a folder, and return what its doctor says. Raises `ReleaseError`."""
    shutil.copy(Path(__file__).parent / "image" / "Dockerfile", folder / "Dockerfile")
    files = building.build(ROOT, folder / "built")
    wheels = folder / "wheels"
    wheels.mkdir()
    for file in files:
        if file.suffix == ".whl":
            shutil.copy(file, wheels)
    run([program, "build", "--tag", tag, "."], folder=folder)
    # In the home, for an image has no workspace until somebody ran `nanobot onboard` in it.
    doctor = ["--entrypoint", "nanobot-memory", tag, "doctor", "--workspace", "/home/agent"]
    return run([program, "run", "--rm", *doctor], folder=folder)


def main() -> None:
    """Build the image, and print what its doctor says."""
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
