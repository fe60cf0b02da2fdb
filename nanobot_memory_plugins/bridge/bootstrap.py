"""The files that nanobot puts into its system prompt, as the plugins shorten them.

nanobot builds the prompt synchronously, and so does this: bootstrap files and MEMORY.md are read, shortened together,
and handed to nanobot's own builder while it runs. Whoever else reads MEMORY.md (Dream, the tools, the SDK) gets the
file.
"""

import functools
import inspect
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nanobot.agent.tools.context import current_request_session_key
from nanobot.utils.helpers import load_bundled_template

from nanobot_memory_plugins.bridge.seams import SeamMissingError, require
from nanobot_memory_plugins.bridge.sessions import is_own
from nanobot_memory_plugins.bridge.turn_scopes import current_scope
from nanobot_memory_plugins.core import logger
from nanobot_memory_plugins.core.host.memory_thread import MemoryThread
from nanobot_memory_plugins.core.host.prompt_calls import without_others_notes
from nanobot_memory_plugins.core.scopes.scopes import Scopes
from nanobot_memory_plugins.redaction.script.messages import Sentence
from nanobot_memory_plugins.redaction.script.printable import printable

# The long-term file by the name under which the model's file tools find it.
MEMORY_FILE = "memory/MEMORY.md"
_MEMORY_TEMPLATE = "memory/MEMORY.md"
# What nanobot 0.3.5 puts around them (ContextBuilder._load_bootstrap_files and build_system_prompt).
_HEADING = "## {name}\n\n"
_BETWEEN = "\n\n"
_MEMORY_HEADING = "# Memory\n\n## Long-term Memory\n"
_RULE = "\n\n---\n\n"
# The one bootstrap file that is the project's, not the agent's.
_OF_PROJECT = "AGENTS.md"
# The one that is shown though nobody has written into it.
_OF_AGENT = "SOUL.md"
_UNREADABLE = "{} cannot be read ({}) and is left out of the prompt"


@dataclass(frozen=True, slots=True)
class _Prepared:
    """What one prompt shows of the files. None leaves them to nanobot's own reading."""

    context: object
    bootstrap: str | None
    memory: str | None


_prepared: ContextVar[_Prepared | None] = ContextVar("prepared_prompt_files", default=None)


class PromptFiles:
    """Wraps the two methods by which nanobot brings files into a prompt.

    ``scopes`` say which owners' notes a prompt may show while the memory has not started or fails.
    """

    def __init__(self, loop: Any, thread: MemoryThread, scopes: Callable[[], Scopes]) -> None:
        self._loop = loop
        self._scopes = scopes
        self._thread = thread
        self._loads_files = False
        self._read: Callable[[], str] | None = None
        self._build: Callable[..., str] | None = None
        self._warned: set[tuple[str, ...]] = set()

    def attach_files(self) -> str:
        """Wrap the loading of the bootstrap files."""
        context = require(self._loop, "context")
        load: Callable[..., str] = _taking(require(context, "_load_bootstrap_files"), "workspace")
        require(context, "BOOTSTRAP_FILES")
        self._wrap_building(context)

        @functools.wraps(load)
        def wrapped(workspace: Path | None = None) -> str:
            prepared = self._prepared_for(context)
            if prepared is not None and prepared.bootstrap is not None:
                return prepared.bootstrap
            try:
                return load(workspace)
            except (OSError, ValueError):  # nanobot gives up at the first file that it cannot read
                return _joined_files(self._files(workspace))

        self._loads_files = True
        context._load_bootstrap_files = wrapped
        return "ContextBuilder._load_bootstrap_files"

    def attach_memory(self) -> str:
        """Wrap the reading of MEMORY.md, as the prompt's builder sees it."""
        context = require(self._loop, "context")
        store = require(context, "memory")
        read: Callable[[], str] = require(store, "read_memory")
        self._wrap_building(context)

        @functools.wraps(read)
        def wrapped() -> str:
            prepared = self._prepared_for(context)
            return prepared.memory if prepared is not None and prepared.memory is not None else read()

        self._read = read
        store.read_memory = wrapped
        return "ContextBuilder.build_system_prompt"

    def _wrap_building(self, context: Any) -> None:
        if self._build is not None:
            return
        parameters = ("workspace", "channel", "include_memory")
        build: Callable[..., str] = _taking(require(context, "build_system_prompt"), *parameters)

        @functools.wraps(build)
        def wrapped(**options: Any) -> str:
            token = _prepared.set(self._prepare(**options))
            try:
                return build(**options)
            finally:
                _prepared.reset(token)

        self._build = build
        context.build_system_prompt = wrapped

    # --- while a prompt is built ------------------------------------------------------------------------------

    def _prepared_for(self, context: object) -> _Prepared | None:
        """Return what was prepared for the prompt that is being built, if it is one of this loop."""
        prepared = _prepared.get()
        return prepared if prepared is not None and prepared.context is context else None

    def _prepare(
        self,
        *,
        workspace: Path | None = None,
        channel: str | None = None,
        include_memory: bool = True,
        **_: Any,
    ) -> _Prepared | None:
        """Return what the prompt shows of the files. None: the files as nanobot reads them. Never raises."""
        # Dream sees the files that it rewrites through its prompt, so it gets them whole.
        if is_own(current_request_session_key() or "") or is_own(f"{channel}:"):
            return None
        try:
            memory = self._thread.started
            if memory is None:
                return self._without_memory(include_memory)
            files = self._files(workspace) if self._loads_files else {}
            shows_memory = include_memory and self._read is not None
            long_term = self._long_term() if shows_memory else None
            known = ""
            if shows_memory:
                key = current_request_session_key() or ""
                entries = memory.prompt_entries(long_term or "", session_key=key, scope=current_scope(key))
                known, long_term = entries.text, entries.long_term if long_term is not None else None
            overhead = {name: len(_HEADING.format(name=name)) + len(_RULE) for name in files}
            if long_term:
                overhead[MEMORY_FILE] = len(_MEMORY_HEADING) + len(_RULE)
            texts = memory.trim_bootstrap({**files, MEMORY_FILE: long_term} if long_term else files, overhead=overhead)
            kept = {name: texts[name] for name in files if name in texts}
            shown = texts.get(MEMORY_FILE, "") if long_term else long_term
            return _Prepared(self._loop.context, None if kept == files else _joined_files(kept), _below(shown, known))
        except Exception as error:
            self._warn("the prompt's files are not shortened: {}", type(error).__name__)
            return self._without_memory(include_memory)

    def _without_memory(self, include_memory: bool) -> _Prepared | None:
        """Return the long-term file without what may be somebody else's, which needs no memory. Never raises."""
        if not include_memory or self._read is None:
            return None
        try:
            long_term = self._long_term()
            if long_term is None:
                return None
            key = current_request_session_key() or ""
            visible = self._scopes().visible(self._scopes().known(key, current_scope(key)))
            return _Prepared(self._loop.context, None, printable(without_others_notes(long_term, visible)))
        except Exception as error:
            self._warn("the long-term file is left out of the prompt: {}", type(error).__name__)
            return _Prepared(self._loop.context, None, "")

    def _long_term(self) -> str | None:
        """Return the long-term file, before it is shortened.

        None leaves it to nanobot, which shows no template that nobody has written into.
        """
        assert self._read is not None  # noqa: S101  # asked for only once it is attached
        try:
            text = self._read()
        except (OSError, ValueError) as error:
            self._warn(_UNREADABLE, MEMORY_FILE, type(error).__name__)
            return ""
        return None if self._is_template(text, _MEMORY_TEMPLATE) else text

    def _files(self, workspace: Path | None) -> dict[str, str]:
        """Return the bootstrap files that nanobot shows, by name, without those that cannot be read."""
        context, texts = self._loop.context, dict[str, str]()
        for name in context.BOOTSTRAP_FILES:
            folder = (workspace or context.workspace) if name == _OF_PROJECT else context.workspace
            try:
                text = (folder / name).read_text(encoding="utf-8")
            except FileNotFoundError:
                continue
            except (OSError, ValueError) as error:
                self._warn(_UNREADABLE, name, type(error).__name__)
                continue
            if name == _OF_AGENT:  # nanobot brings an old template of its own up to date, and shows it
                if self._is_template(text, f"legacy/{name}"):
                    text = load_bundled_template(name) or text
            elif self._is_template(text, name):
                continue
            if text.strip():
                texts[name] = text
        return texts

    def _is_template(self, text: str, name: str) -> bool:
        """Return whether nobody has changed a file since nanobot made it; nanobot shows those in no prompt."""
        is_template = getattr(self._loop.context, "_is_template_content", None)
        return bool(text) and is_template is not None and bool(is_template(text, name))

    def _warn(self, text: str, *parts: str) -> None:
        """Warn once: a prompt is built in every turn."""
        if (text, *parts) not in self._warned:
            self._warned.add((text, *parts))
            logger.warning(text, *parts)


def _joined_files(files: Mapping[str, str]) -> str:
    """Return bootstrap files as nanobot joins them."""
    return _BETWEEN.join(_HEADING.format(name=name) + text for name, text in files.items())


def _below(long_term: str | None, known: str) -> str | None:
    """Return the text under "Long-term Memory": the file, and what is known of the user below it."""
    if not known:
        return long_term
    return "\n\n".join(filter(None, ((long_term or "").rstrip(), known)))


def _taking(function: Callable[..., str], *names: str) -> Callable[..., str]:
    """Return a function of the host that takes arguments of these names. Raises `SeamMissingError` otherwise."""
    missing = [name for name in names if name not in inspect.signature(function).parameters]
    if missing:
        raise SeamMissingError(
            Sentence("{kind} takes no {missing}", kind=function.__name__, missing=", ".join(missing))
        )
    return function
