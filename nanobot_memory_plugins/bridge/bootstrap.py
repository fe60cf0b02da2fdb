"""Trims the files that nanobot puts into its system prompt.

nanobot builds the prompt synchronously, and so does this module: it reads the bootstrap files and MEMORY.md, trims them
together, and hands them to nanobot's own builder while that runs. Every other reader of MEMORY.md (Dream, the tools,
the SDK) gets the whole file.
"""

from collections.abc import Callable
from contextvars import ContextVar
from functools import partial, wraps
from pathlib import Path
from typing import Any

from nanobot.agent.tools.context import current_request_session_key
from nanobot.utils.helpers import load_bundled_template

from nanobot_memory_plugins.bridge.sessions import is_internal_session
from nanobot_memory_plugins.bridge.turns import current_scope
from nanobot_memory_plugins.core import MemoryService, logger
from nanobot_memory_plugins.redaction.script.printable import printable

# The path of the long-term file, for the model's file tools and for nanobot's templates alike.
MEMORY_FILE = "memory/MEMORY.md"
# Headings and separator of nanobot 0.3.5 (ContextBuilder._load_bootstrap_files and build_system_prompt).
_HEADING = "## {name}\n\n"
_MEMORY_HEADING = "# Memory\n\n## Long-term Memory\n"
_RULE = "\n\n---\n\n"
# The only bootstrap file of the project rather than the agent, and the only one shown while it is still the template.
_PROJECT_FILE, _AGENT_FILE = "AGENTS.md", "SOUL.md"


class PromptFiles:
    """Wraps the methods by which nanobot brings files into a prompt."""

    def __init__(self, loop: Any, memory: MemoryService) -> None:
        self._context = loop.context
        self._memory = memory
        self._read: Callable[[], str]
        self._warned: set[tuple[str, ...]] = set()
        # The bootstrap files and the long-term memory for the prompt that is being built.
        self._prepared: ContextVar[tuple[str, str] | None] = ContextVar("prepared_prompt_files", default=None)

    def attach(self) -> str:
        """Wrap the loading of the bootstrap files, the reading of MEMORY.md and the builder that asks for both."""
        context = self._context
        build, load, self._read = context.build_system_prompt, context._load_bootstrap_files, context.memory.read_memory

        @wraps(build)
        def build_prompt(*, workspace: Path | None = None, include_memory: bool = True, **rest: Any) -> str:
            token = self._prepared.set(
                self._prepare(workspace, f"{rest.get('channel')}:", include_memory=include_memory)
            )
            try:
                return str(build(workspace=workspace, include_memory=include_memory, **rest))
            finally:
                self._prepared.reset(token)

        @wraps(load)
        def load_files(workspace: Path | None = None) -> str:
            prepared = self._prepared.get()
            return str(load(workspace)) if prepared is None else prepared[0]

        @wraps(self._read)
        def read_memory() -> str:
            prepared = self._prepared.get()
            return self._read() if prepared is None else prepared[1]

        context.build_system_prompt, context._load_bootstrap_files = build_prompt, load_files
        context.memory.read_memory = read_memory
        return "ContextBuilder.build_system_prompt"

    def _prepare(self, workspace: Path | None, channel: str, *, include_memory: bool) -> tuple[str, str] | None:
        """Return the bootstrap files and the long-term memory for the prompt; None leaves both to nanobot.

        It never raises.
        """
        key = current_request_session_key() or ""
        # Dream sees the files that it rewrites through its prompt, so it gets them whole.
        if is_internal_session(key) or is_internal_session(channel):
            return None
        files, long_term = self._bootstrap_files(workspace), ""
        try:
            if include_memory:
                long_term = self._read_for_prompt(MEMORY_FILE, self._read)
            shown, long_term = self._trim(key, files, long_term, include_memory=include_memory)
        except Exception as error:
            self._warn("the prompt's files are not shortened, and the long-term file is left out: {}", error)
            shown, long_term = files, ""
        bootstrap = "\n\n".join(_HEADING.format(name=name) + text for name, text in shown.items())
        return bootstrap, long_term

    def _trim(
        self, key: str, files: dict[str, str], long_term: str, *, include_memory: bool
    ) -> tuple[dict[str, str], str]:
        """Return the trimmed files, and the text below "Long-term Memory": that file and the memory's entries."""
        memory, scope, entries_text = self._memory.started, current_scope(key), ""
        if memory is None:
            return files, printable(long_term)
        if include_memory:
            entries = memory.prompt_entries(long_term, session_key=key, scope=scope)
            entries_text, long_term = entries.text, entries.long_term
        untrimmed = {**files, MEMORY_FILE: long_term} if long_term else files
        overhead = {name: len(_HEADING.format(name=name)) + len(_RULE) for name in files}
        overhead[MEMORY_FILE] = len(_MEMORY_HEADING) + len(_RULE)
        texts = memory.trim_bootstrap(untrimmed, overhead=overhead)
        long_term = texts.get(MEMORY_FILE, "")
        parts = (long_term.rstrip(), entries_text) if entries_text else (long_term,)
        return {name: texts[name] for name in files if name in texts}, "\n\n".join(filter(None, parts))

    def _bootstrap_files(self, workspace: Path | None) -> dict[str, str]:
        """Return the text of each bootstrap file that nanobot shows, by name. Unreadable files are left out."""
        texts = {}
        for name in self._context.BOOTSTRAP_FILES:
            folder = (workspace or self._context.workspace) if name == _PROJECT_FILE else self._context.workspace
            text = self._read_for_prompt(name, partial((folder / name).read_text, encoding="utf-8"))
            if text.strip():
                texts[name] = text
        return texts

    def _read_for_prompt(self, name: str, read: Callable[[], str]) -> str:
        """Return a file's text; empty when it cannot be read or is still nanobot's unchanged template."""
        try:
            text = read()
        except FileNotFoundError:
            return ""
        except (OSError, ValueError) as error:
            self._warn(f"{name} cannot be read ({{}}) and is left out of the prompt", error)
            return ""
        is_template = self._context._is_template_content
        if name == _AGENT_FILE:  # nanobot replaces an outdated template of its own, and shows it
            return load_bundled_template(name) or text if is_template(text, f"legacy/{name}") else text
        return "" if is_template(text, name) else text

    def _warn(self, text: str, error: Exception) -> None:
        """Log each warning once, since a prompt is built in every turn."""
        kind = type(error).__name__
        if (text, kind) not in self._warned:
            self._warned.add((text, kind))
            logger.warning(text, kind)
