"""The configuration as validated models: `MemoryConfig`, the options of core and redaction, and `ConfigProblem`."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError, field_validator
from pydantic_core import PydanticKnownError

from nanobot_memory_plugins.core.config.languages import language_named, languages
from nanobot_memory_plugins.core.language_model.options import LanguageModelOptions
from nanobot_memory_plugins.core.values.diagnosis import Finding, Health
from nanobot_memory_plugins.core.values.plugin_options import PluginOptions
from nanobot_memory_plugins.redaction.script.messages import Sentence

# One day, the longest time limit: timers overflow on much larger numbers.
_MAX_SECONDS = 86_400.0

_Days = Annotated[int, Field(ge=0, le=36_500)]
_Seconds = Annotated[float, Field(gt=0, le=_MAX_SECONDS)]

_bool_adapter = TypeAdapter(bool)


class CoreOptions(PluginOptions):
    """Options of core. Time limits and pauses are in seconds."""

    message_limit: _Seconds = Field(default=0.5, description="seconds for a plugin to answer a message or a draft")
    tool_limit: _Seconds = Field(default=0.5, description="seconds for a plugin to answer a tool execution")
    idle_limit: _Seconds = Field(default=60.0, description="seconds for a plugin to answer a quiet session")
    compaction_limit: _Seconds = Field(default=60.0, description="seconds for a plugin to answer a compaction")
    start_limit: _Seconds = Field(default=10.0, description="seconds for a plugin to start or stop")
    breaker_failures: int = Field(default=3, ge=1, le=1_000, description="failures in a row before a hook is paused")
    breaker_rest: _Seconds = Field(default=60.0, description="seconds that it is paused before one trial")
    idle_seconds: _Seconds = Field(default=300.0, description="seconds of quiet after which a session is idle")
    share: Literal["auto", "agent", "session"] = Field(
        default="auto",
        description="who sees a memory: auto (everybody where the workspace has one user, else its person), agent "
        "(everybody in the workspace) or session (that conversation alone)",
    )
    people: dict[str, tuple[str, ...]] = Field(
        default_factory=dict,
        description='names that are one person, as {"ana": ["telegram:111", "slack:U1", "cli"]}',
    )
    language: str = Field(
        default="auto",
        description="auto, en, zh, or another one with a catalogue: of the command line, and en and zh of the"
        " fence around injected text; auto follows the locale, and the message",
        json_schema_extra=lambda schema: schema.update(enum=["auto", *languages()]),
    )
    keep_transcripts: bool = Field(default=True, description="keep messages, redacted, in memory/sessions")
    transcript_max_age_days: _Days = Field(
        default=0, description="days after which messages are dropped from memory/sessions; 0: never"
    )
    tool_note_max_age_days: _Days = Field(
        default=0, description="days after which notes of tools are dropped from the day notes; 0: never"
    )
    wishes: str = Field(
        default="",
        max_length=2_000,
        description='what never to learn from conversations, or what matters, in a few lines: "nothing about health"',
    )
    plugin_files: tuple[Path, ...] = Field(
        default=(), description="one-file plugins, as absolute paths outside the workspace"
    )
    tools: bool = Field(default=True, description="offer the memory's tools to the model; recall works without them")
    language_model: LanguageModelOptions = Field(default_factory=LanguageModelOptions)

    @field_validator("language")
    @classmethod
    def _known_language(cls, value: str) -> str:
        language = value if value == "auto" else language_named(value)
        if language is None:
            raise PydanticKnownError("literal_error", {"expected": ", ".join(languages())})
        return language

    @field_validator("people")
    @classmethod
    def _distinct_names(cls, value: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        names = [name for listed in value.values() for name in dict.fromkeys(listed)]
        if len(names) != len(set(names)):
            raise ValueError(Sentence("a name should be listed for one person only"))
        if not all(name.strip() for name in (*value, *names)):
            raise ValueError(Sentence("a person and their names should not be empty"))
        return value


class RedactionOptions(PluginOptions):
    """Options of redaction. Secrets are always hidden, whatever the options are."""

    contacts: Literal["hide", "user", "keep"] = Field(
        default="user",
        description="telephone numbers and e-mail addresses: `hide` them all; `user`: what the user said stays"
        " readable, what only a tool or a page said is hidden; `keep` them all (notes of tools hide them always)",
    )


def as_switch(value: object) -> bool | None:
    """Parse a value of ``enabled``: a boolean, 0 or 1, or a word like "yes" and "off". None if it is anything else."""
    try:
        return _bool_adapter.validate_python(value)
    except ValidationError:
        return None


def _expand_switches(plugins: object) -> object:
    if not isinstance(plugins, Mapping):
        return plugins
    return {name: {"enabled": raw} if isinstance(raw, bool) else raw for name, raw in plugins.items()}


@dataclass(frozen=True, slots=True)
class ConfigProblem:
    """Something in a configuration that cannot be used, so that a default replaces it.

    ``key`` is dotted, as the user wrote it. ``message`` repeats the key, says what is wrong and what is expected, and
    never contains a value. ``source`` is the file, or empty. ``hint`` is empty if correcting the key is all that is
    needed. ``is_unread`` says that the whole file could not be read.
    """

    key: str
    message: str
    source: str = ""
    hint: str = ""
    is_unread: bool = False

    @property
    def finding(self) -> Finding:
        """The problem as a finding of the doctor."""
        hint = self.hint or Sentence(
            "Correct {key} in {source}; `nanobot-memory config show --all` lists the options, and --config "
            "names another file.",
            key=self.key,
            source=self.source or "the configuration",
        )
        return Finding("configuration", self.message, Health.BAD if self.is_unread else Health.DEGRADED, hint)


class MemoryConfig(BaseModel):
    """The whole configuration. ``MemoryConfig()`` means every installed plugin with its default options.

    ``plugins`` holds each plugin's options as they were read, including ``enabled``; `plugin_options` checks them
    against the plugin's own model. The last four fields are only for messages: ``problems``; ``source``, the file;
    ``prefix``, the dotted path of the plugins in it; and ``written``, which maps an option (``recall.recall_top_k``)
    to the name from the design documents that the user wrote (``memory.recallTopK``).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    core: CoreOptions = Field(default_factory=CoreOptions)
    redaction: RedactionOptions = Field(default_factory=RedactionOptions)
    plugins: Annotated[dict[str, dict[str, Any]], BeforeValidator(_expand_switches)] = Field(default_factory=dict)
    problems: tuple[ConfigProblem, ...] = Field(default=(), exclude=True, repr=False)
    source: str = Field(default="", exclude=True, repr=False)
    prefix: str = Field(default="memoryPlugins", exclude=True, repr=False)
    written: dict[str, str] = Field(default_factory=dict, exclude=True, repr=False)

    def enabled(self, plugin: str) -> bool:
        """Return whether a plugin may be loaded: true unless its options disable it."""
        return as_switch(self.plugins.get(plugin, {}).get("enabled", True)) is not False
