"""Two users of one system, each with a folder that only he may enter, share a memory by a server and nothing else."""

import json
import os
import pwd
import shutil
import stat
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nanobot_memory_plugins.postgres.server.launcher import OwnServer
from tests.postgres.slow_way import slow_way

pytestmark = pytest.mark.slow

USERS = ("daemon", "bin")
FERRY, CABIN, TEA = "The ferry leaves at nine", "The cabin key is under the mat", "The user drinks green tea"


@pytest.fixture
def folders() -> Iterator[dict[str, Path]]:
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        pytest.skip("processes of two system users are begun by root alone")
    for name in USERS:
        try:
            pwd.getpwnam(name)
        except KeyError:
            pytest.skip(f"this system has no user {name}")
    parent = Path(tempfile.mkdtemp(prefix="users"))
    parent.chmod(0o755)
    made = {}
    for name in USERS:
        made[name] = parent / name
        made[name].mkdir(mode=0o700)
        shutil.chown(made[name], name, pwd.getpwnam(name).pw_gid)
    yield made
    shutil.rmtree(parent)


@pytest.fixture
def way(server: OwnServer) -> Iterator[str]:
    """A way to the server that both may go: its own socket lies where only its user comes."""
    with slow_way(server.dsn) as (_, dsn):
        folder = Path(dsn.partition("host=")[2].partition(" ")[0])
        folder.chmod(0o755)
        for socket in folder.iterdir():
            socket.chmod(0o666)
        yield dsn


def live(name: str, folders: dict[str, Path], **order: Any) -> dict[str, Any]:
    other = next(folders[one] for one in USERS if one != name)
    usual = {"notes": [], "entries": [], "forget": [], "until_entries": [], "question": "ferry", "machine": name}
    told = json.dumps({**usual, **order, "other": str(other)})
    home = {**os.environ, "HOME": str(folders[name]), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "tests.postgres.as_user", name, folders[name], told],
        capture_output=True, text=True, timeout=240, check=False, env=home,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout.splitlines()[-1])
    assert seen["uid"] == pwd.getpwnam(name).pw_uid
    assert not seen["can_read"]
    return seen


def test_two_users_share_what_they_say_and_no_file(folders: dict[str, Path], way: str):
    first, second = USERS
    both = {"dsn": way, "tenant": uuid.uuid4().hex}
    assert live(first, folders, **both, notes=[FERRY], entries=[TEA], until_entries=[TEA])["found"] == [FERRY]
    assert FERRY in live(second, folders, **both, notes=[CABIN], until_entries=[TEA])["found"]
    seen = live(first, folders, **both, question="cabin key", forget=[FERRY], until_entries=[TEA])
    assert CABIN in seen["found"]
    assert FERRY not in live(second, folders, **both, until_entries=[TEA])["found"]
    for name, folder in folders.items():
        made = [folder, *folder.rglob("*")]
        assert {path.stat().st_uid for path in made} == {pwd.getpwnam(name).pw_uid}
        open_ = [path for path in made if path.is_file() and stat.S_IMODE(path.stat().st_mode) & 0o077]
        assert open_ == []
