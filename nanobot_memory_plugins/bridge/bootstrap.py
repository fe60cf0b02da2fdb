"""The files that nanobot puts into its system prompt, as the plugins shorten them.

nanobot builds the prompt synchronously, and so does this: bootstrap files and MEMORY.md are read, shortened together,
and handed to nanobot's own builder while it runs. Whoever else reads MEMORY.md (Dream, the tools, the SDK) gets the
file.
"""

from collections.abc import Callable
from contextvars import ContextVar
from functools import partial, wraps
from pathlib import Path
from typing import Any

from nanobot.agent.tools.context import current_request_session_key
from nanobot.utils.helpers import load_bundled_template

from nanobot_memory_plugins.bridge.sessions import is_own
from nanobot_memory_plugins.bridge.turns import current_scope
from nanobot_memory_plugins.core import MemoryService, logger
from nanobot_memory_plugins.redaction.script.printable import printable

# The long-term file by the name under which the model's file tools find it, which is its template's, too.
MEMORY_FILE = "memory/MEMORY.md"
# What nanobot 0.3.5 puts around them (ContextBuilder._load_bootstrap_files and build_system_prompt).
_HEADING = "## {name}\n\n"
_MEMORY_HEADING = "# Memory\n\n## Long-term Memory\n"
_RULE = "\n\n---\n\n"
# The one bootstrap file that is the project's, not the agent's; and the one that is shown though nobody has changed it.
_OF_PROJECT, _OF_AGENT = "AGENTS.md", "SOUL.md"


class PromptFiles:
    """Wraps the methods by which nanobot brings files into a prompt."""

    def __init__(self, loop: Any, memory: MemoryService) -> None:
        self._context = loop.context
        self._memory = memory
        self._read: Callable[[], str]
        self._warned: set[tuple[str, ...]] = set()
        # Bootstrap files and long-term memory as the prompt shows them that is being built.
        self._prepared: ContextVar[tuple[str, str] | None] = ContextVar("prepared_prompt_files", default=None)

    def attach(self) -> str:
        """Wrap the loading of the bootstrap files, the reading of MEMORY.md and the builder that asks for both."""
        context = self._context
        build, load, self._read = context.build_system_prompt, context._load_bootstrap_files, context.memory.read_memory

        @wraps(build)
        def built(*, workspace: Path | None = None, include_memory: bool = True, **rest: Any) -> str:
            token = self._prepared.set(
                self._prepare(workspace, f"{rest.get('channel')}:", include_memory=include_memory)
            )
            try:
                return str(build(workspace=workspace, include_memory=include_memory, **rest))
            finally:
                self._prepared.reset(token)

        @wraps(load)
        def loaded(workspace: Path | None = None) -> str:
            prepared = self._prepared.get()
            return str(load(workspace)) if prepared is None else prepared[0]

        @wraps(self._read)
        def read() -> str:
            prepared = self._prepared.get()
            return self._read() if prepared is None else prepared[1]

        context.build_system_prompt, context._load_bootstrap_files, context.memory.read_memory = built, loaded, read
        return "ContextBuilder.build_system_prompt"

    def _prepare(self, workspace: Path | None, channel: str, *, include_memory: bool) -> tuple[str, str] | None:
        """Return what the prompt shows of the files. None: the files as nanobot reads them. Never raises."""
        key = current_request_session_key() or ""
        # Dream sees the files that it rewrites through its prompt, so it gets them whole.
        if is_own(key) or is_own(channel):
            return None
        files, long_term = self._files(workspace), ""
        try:
            if include_memory:
                long_term = self._shown_text(MEMORY_FILE, self._read)
            shown, long_term = self._shown(key, files, long_term, include_memory=include_memory)
        except Exception as error:
            self._warn("the prompt's files are not shortened, and the long-term file is left out: {}", error)
            shown, long_term = files, ""
        bootstrap = "\n\n".join(_HEADING.format(name=name) + text for name, text in shown.items())
        return bootstrap, long_term

    def _shown(
        self, key: str, files: dict[str, str], long_term: str, *, include_memory: bool
    ) -> tuple[dict[str, str], str]:
        """Return the files, and what stands under "Long-term Memory": the file, and what is known of the user."""
        memory, scope, known = self._memory.started, current_scope(key), ""
        if memory is None:
            return files, printable(long_term)
        if include_memory:
            entries = memory.prompt_entries(long_term, session_key=key, scope=scope)
            known, long_term = entries.text, entries.long_term
        given = {**files, MEMORY_FILE: long_term} if long_term else files
        overhead = {name: len(_HEADING.format(name=name)) + len(_RULE) for name in files}
        overhead[MEMORY_FILE] = len(_MEMORY_HEADING) + len(_RULE)
        texts = memory.trim_bootstrap(given, overhead=overhead)
        long_term = texts.get(MEMORY_FILE, "")
        shown = {name: texts[name] for name in files if name in texts}
        return shown, "\n\n".join(filter(None, (long_term.rstrip(), known))) if known else long_term

    def _files(self, workspace: Path | None) -> dict[str, str]:
        """Return the bootstrap files that nanobot shows, by name, without those that cannot be read."""
        texts = {}
        for name in self._context.BOOTSTRAP_FILES:
            folder = (workspace or self._context.workspace) if name == _OF_PROJECT else self._context.workspace
            text = self._shown_text(name, partial((folder / name).read_text, encoding="utf-8"))
            if text.strip():
                texts[name] = text
        return texts

    def _shown_text(self, name: str, read: Callable[[], str]) -> str:
        """Return a file's text, or nothing of one that cannot be read, or that nobody has changed since it was made."""
        try:
            text = read()
        except FileNotFoundError:
            return ""
        except (OSError, ValueError) as error:
            self._warn(f"{name} cannot be read ({{}}) and is left out of the prompt", error)
            return ""
        is_template = self._context._is_template_content
        if name == _OF_AGENT:  # nanobot brings an old template of its own up to date, and shows it
            return load_bundled_template(name) or text if is_template(text, f"legacy/{name}") else text
        return "" if is_template(text, name) else text

    def _warn(self, text: str, error: Exception) -> None:
        """Warn once: a prompt is built in every turn."""
        kind = type(error).__name__
        if (text, kind) not in self._warned:
            self._warned.add((text, kind))
            logger.warning(text, kind)
