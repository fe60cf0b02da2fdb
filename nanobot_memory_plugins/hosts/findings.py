"""What ``nanobot-memory doctor`` says of the frameworks that are installed: whether an adapter fits, what it lacks."""

import importlib.metadata
import re
from dataclasses import dataclass

from nanobot_memory_plugins.core import Finding, Health
from nanobot_memory_plugins.redaction.script.messages import Sentence

_DISTRIBUTION = "nanobot-memory-hosts"
_BOUNDS = re.compile(r">=(?P<least>[\d.]+)|<(?P<below>[\d.]+)")


@dataclass(frozen=True, slots=True)
class Framework:
    """A framework: its distribution, the extra that asks for it, and what its adapter cannot have."""

    name: str
    distribution: str
    extra: str
    lacks: str


FRAMEWORKS = (
    Framework("LangChain", "langchain", "langchain", Sentence("graphs without create_agent have no memory")),
    Framework("pydantic-ai", "pydantic-ai-slim", "pydantic-ai", Sentence("structured answers are not kept as replies")),
    Framework("OpenAI Agents", "openai-agents", "openai-agents", Sentence("each run has to be given its turn")),
    Framework("Google ADK", "google-adk", "adk", Sentence("a run that is cancelled keeps no answer")),
)


def framework_findings() -> list[Finding]:
    """Return a finding of each framework that is installed."""
    return [finding for one in FRAMEWORKS if (finding := _finding(one)) is not None]


def _finding(framework: Framework) -> Finding | None:
    try:
        version = importlib.metadata.version(framework.distribution)
        needs = importlib.metadata.requires(_DISTRIBUTION) or []
    except importlib.metadata.PackageNotFoundError:
        return None
    need = next((one for one in needs if re.search(rf"extra == ['\"]{framework.extra}['\"]", one)), "")
    if is_between(version, need.partition(";")[0]):
        return Finding(
            framework.name,
            Sentence("{version}, supported; {lacks} (docs/limits.md)", version=version, lacks=framework.lacks),
            Health.INFO,
        )
    return Finding(
        framework.name,
        Sentence("{version} was not tried with this memory", version=version),
        Health.DEGRADED,
        hint=Sentence("Install one that was: pip install 'nanobot-memory-hosts[{extra}]'", extra=framework.extra),
    )


def is_between(version: str, requirement: str) -> bool:
    """Return whether a version is within the ``>=`` and ``<`` of a requirement."""
    bounds = [(one["least"], one["below"]) for one in _BOUNDS.finditer(requirement)]
    return all(
        _numbers(version) >= _numbers(least) if least else _numbers(version) < _numbers(below)
        for least, below in bounds
    )


def _numbers(version: str) -> tuple[int, int, int]:
    """Return the first three numbers of a version."""
    found = [int(one) for one in re.findall(r"\d+", version)[:3]]
    first, second, third = (*found, 0, 0, 0)[:3]
    return first, second, third
