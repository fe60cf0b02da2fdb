"""A nanobot of its own for the demonstration: fresh home folder, fresh workspace, fresh config.json."""

import json
import os
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from platformdirs import user_cache_dir

from nanobot_memory_plugins.core import ConfigurationError
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Where the embedding model is kept; without it a fresh home folder would have none.
CACHE_VARIABLE = "NANOBOT_MEMORY_CACHE"
# nanobot counts tokens with a file that it downloads, and stalls without a network. A proxy that refuses at once makes
# it use its own estimate. It also shows that nothing of the demonstration leaves the machine.
_NO_NETWORK = {
    "HTTP_PROXY": "http://127.0.0.1:9",
    "HTTPS_PROXY": "http://127.0.0.1:9",
    "NO_PROXY": "127.0.0.1,localhost",
}
# What a nanobot's config.json says about its model; the rest of the user's file is not taken over.
_MODEL_KEYS = ("providers", "modelPresets", "model_presets")
_MODEL_DEFAULTS = ("model", "provider", "modelPreset", "model_preset", "maxTokens", "max_tokens", "temperature",
                   "contextWindowTokens", "context_window_tokens", "reasoningEffort", "reasoning_effort")  # fmt: skip

# What is shown is what it does, not how fast this machine is: a busy one would pass the usual limits of a turn.
_PATIENCE = {
    "core": {"messageLimit": 30, "toolLimit": 30},
    "recall": {"recallTimeout": 20},
    "nanobot": {"startLimit": 60},
}

SETTINGS_FILE = "settings.toml"


@dataclass(frozen=True, slots=True)
class AgentRun:
    """One ``nanobot agent -m``, or command of ours, that ended. ``output`` is what it printed."""

    pid: int
    returncode: int
    output: str
    errors: str


@dataclass(slots=True)
class Installation:
    """The folders and the configuration. ``offline`` cuts the network off for nanobot.

    ``memory`` are options of plugins, beside the patience that every demonstration has.
    """

    folder: Path
    settings: Mapping[str, Any]
    offline: bool = True
    time_limit: float = 120.0
    memory: Mapping[str, Any] = field(default_factory=dict)
    pids: list[int] = field(default_factory=list)

    @property
    def workspace(self) -> Path:
        """The agent's workspace."""
        return self.folder / "workspace"

    @property
    def config_file(self) -> Path:
        """The configuration of this nanobot."""
        return self.folder / "home" / ".nanobot" / "config.json"

    def prepare(self) -> None:
        """Create the folders and write the configuration, readable for the user only: it can hold keys."""
        self.workspace.mkdir(parents=True)
        self.config_file.parent.mkdir(parents=True)
        descriptor = os.open(self.config_file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "w", encoding="utf-8") as file:
            json.dump(self._configuration(), file, indent=2)

    def agent(self, text: str, *, session: str) -> AgentRun:
        """Say one thing to the stock command line, in a process of its own."""
        return self._run("nanobot", "agent", "-m", text, "-s", session, "--no-markdown")

    def command(self, name: str, *arguments: str, is_configured: bool = True) -> AgentRun:
        """Run a command of ours on this memory, in a process of its own. Some take no configuration."""
        whose = ["--workspace", str(self.workspace)]
        whose += ["--config", str(self.config_file)] if is_configured else []
        return self._run("nanobot_memory_plugins.core.cli", name, *arguments, *whose)

    def _run(self, module: str, *arguments: str) -> AgentRun:
        process = subprocess.Popen(  # noqa: S603  # our own interpreter and nanobot's module
            [sys.executable, "-m", module, *arguments],
            env=self._environment(),
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
        )
        self.pids.append(process.pid)
        try:
            output, errors = process.communicate(timeout=self.time_limit)
        except subprocess.TimeoutExpired:
            process.kill()
            output, errors = process.communicate()
            errors += f"\nended after {self.time_limit:.0f} s"
        return AgentRun(process.pid, process.returncode, output, errors)

    def _configuration(self) -> dict[str, Any]:
        whole = json.loads(json.dumps(self.settings))
        defaults = whole.setdefault("agents", {}).setdefault("defaults", {})
        defaults["workspace"] = str(self.workspace)
        whole.setdefault("channels", {})["memoryPlugins"] = {**_PATIENCE, **self.memory}
        return dict(whole)

    def _environment(self) -> dict[str, str]:
        home = str(self.folder / "home")
        cache = os.environ.get(CACHE_VARIABLE) or user_cache_dir("nanobot-memory")
        own = {"HOME": home, "USERPROFILE": home, CACHE_VARIABLE: cache, "PYTHONIOENCODING": "utf-8", "COLUMNS": "200"}
        return {**os.environ, **own, **(_NO_NETWORK if self.offline else {})}


def temporary_folder() -> Path:
    """Make a folder for one demonstration."""
    return Path(tempfile.mkdtemp(prefix="nanobot-memory-demo-"))


def settings_for(base_url: str, model: str, **defaults: Any) -> dict[str, Any]:
    """Return nanobot settings for an OpenAI-compatible server on this machine."""
    return {
        "agents": {"defaults": {"provider": "custom", "model": model, "maxTokens": 1024, **defaults}},
        "providers": {"custom": {"apiKey": "none", "apiBase": base_url}},
    }


def settings_of_the_user(file: Path | None = None) -> dict[str, Any]:
    """Return the part of the user's own config.json that names his model and how to reach it.

    Raises `ConfigurationError` when there is no such file, or it cannot be read.
    """
    file = file or Path.home() / ".nanobot" / "config.json"
    try:
        raw = json.loads(file.read_text(encoding="utf-8-sig"))
        defaults = raw.get("agents", {}).get("defaults", {})
        return {
            "agents": {"defaults": {key: defaults[key] for key in _MODEL_DEFAULTS if key in defaults}},
            **{key: raw[key] for key in _MODEL_KEYS if key in raw},
        }
    except (OSError, ValueError, AttributeError, TypeError) as error:
        raise ConfigurationError(
            Sentence("{file} cannot be read as nanobot's configuration: {kind}.", file=file, kind=type(error).__name__),
            hint="Run `nanobot onboard` first, or leave --provider-from-config out.",
        ) from error


def fake_secret() -> str:
    """Return something that looks like a key, new each time, so that no file of ours can hold it by chance."""
    return "sk-" + secrets.token_urlsafe(30).replace("-", "x").replace("_", "y")
