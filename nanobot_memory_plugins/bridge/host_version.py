"""Which nanobot-ai is installed, and how much of it the bridge can use."""

import re
from importlib.metadata import PackageNotFoundError, version

from nanobot_memory_plugins.core import Finding, Health
from nanobot_memory_plugins.redaction.script.messages import Sentence

HOST = "nanobot-ai"
SUPPORTED_FROM = (0, 3, 5)
DEGRADED_FROM = (0, 3, 0)
UPGRADE = f"`pip install --upgrade '{HOST}>={'.'.join(map(str, SUPPORTED_FROM))}'`"


def host_finding(installed: str | None = None) -> Finding:
    """Say which version is there and what that means. ``installed`` is its version, by default what is installed."""
    try:
        found = installed if installed is not None else version(HOST)
    except PackageNotFoundError:
        return Finding(HOST, "not installed", Health.BAD, hint=Sentence("`pip install {host}`", host=HOST))
    number = _number(found)
    if number >= SUPPORTED_FROM:
        return Finding(HOST, Sentence("{found}, supported", found=found))
    if number >= DEGRADED_FROM:
        return Finding(
            HOST, Sentence("{found}, degraded: see the seams below", found=found), Health.DEGRADED, hint=UPGRADE
        )
    return Finding(HOST, Sentence("{found}, not supported", found=found), Health.BAD, hint=UPGRADE)


def _number(text: str) -> tuple[int, ...]:
    """Return the leading numbers of a version; what comes after them (rc1, .post2) does not matter here."""
    return tuple(int(part) for part in re.findall(r"\d+", text.split("+")[0])[:3])
