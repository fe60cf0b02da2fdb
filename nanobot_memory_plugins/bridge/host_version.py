"""Which nanobot-ai is installed, and whether the bridge can use it."""

import re
from importlib.metadata import PackageNotFoundError, version

from nanobot_memory_plugins.core import Finding, Health
from nanobot_memory_plugins.redaction.script.messages import Sentence

HOST = "nanobot-ai"
SUPPORTED_FROM = (0, 3, 5)
UPGRADE = f"`pip install --upgrade '{HOST}>={'.'.join(map(str, SUPPORTED_FROM))}'`"


def host_finding(installed: str | None = None) -> Finding:
    """Say which version is there and what that means. ``installed`` is its version, by default what is installed."""
    try:
        found = installed if installed is not None else version(HOST)
    except PackageNotFoundError:
        return Finding(HOST, "not installed", Health.BAD, hint=Sentence("`pip install {host}`", host=HOST))
    if _number(found) >= SUPPORTED_FROM:
        return Finding(HOST, Sentence("{found}, supported", found=found))
    return Finding(HOST, Sentence("{found}, not supported", found=found), Health.BAD, hint=UPGRADE)


def _number(text: str) -> tuple[int, ...]:
    """Return the leading numbers of a version; what comes after them (rc1, .post2) does not matter here."""
    return tuple(int(part) for part in re.findall(r"\d+", text.split("+")[0])[:3])
