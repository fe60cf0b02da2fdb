"""Keeps the files that open a prompt within one budget, which the important files get first."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from hashlib import blake2b
from pathlib import Path

from pydantic import Field

from nanobot_memory_plugins.bootstrap.cutting import cut
from nanobot_memory_plugins.core import Finding, Health, PluginContext, PluginOptions, estimate_tokens, hookimpl, logger
from nanobot_memory_plugins.core.host.prompt_texts import default_overhead, read_text
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict
from nanobot_memory_plugins.redaction.script.messages import Sentence

# The pattern for all files that match no other pattern of the priority.
OTHERS = "*"
# The percentage of the total that may be used.
USED_PERCENT = 98


class BootstrapOptions(PluginOptions):
    """Options of the bootstrap plugin. Sizes are characters."""

    max_chars: int = Field(default=20_000, ge=0, description="of one file, marker included")
    total_max_chars: int = Field(
        default=24_000, ge=0, description="of all files; together with headings and markers they stay inside 98 % of it"
    )
    head_ratio: float = Field(default=0.7, ge=0, le=1, description="share of a file's budget for its beginning")
    tail_ratio: float = Field(default=0.2, ge=0, le=1, description="share of a file's budget for its end")
    min_budget: int = Field(
        default=64, ge=0, description="when less remains of the budget, the remaining files are left out"
    )
    priority: tuple[str, ...] = Field(
        default=("AGENTS.md", "SOUL.md", "USER.md", OTHERS, "MEMORY.md"),
        description="who gets the budget first: names or patterns; a single * means all others",
    )


@dataclass(frozen=True, slots=True)
class ShortenedFile:
    """A file that is not shown whole: its size, the ``limit`` that applied, and the characters ``left_out``."""

    name: str
    size: int
    limit: int
    left_out: int


@dataclass(frozen=True, slots=True)
class FittedFiles:
    """The texts to show, and the files that were cut or ``skipped`` because the budget was used up."""

    texts: Mapping[str, str]
    used: int
    cut: tuple[ShortenedFile, ...] = ()
    skipped: tuple[ShortenedFile, ...] = ()


def fit_to_budget(files: Mapping[str, str], overhead: Mapping[str, int], options: BootstrapOptions) -> FittedFiles:
    """Fit files into the budget. ``overhead`` is the number of characters that the host adds around each file.

    ``texts`` has the order of ``files``.
    """
    remaining = options.total_max_chars * USED_PERCENT // 100
    kept: dict[str, str] = {}
    shortened: list[ShortenedFile] = []
    skipped: list[ShortenedFile] = []
    exhausted = False
    for name in sort_by_priority(files, options.priority):
        text = files[name]
        room = remaining - overhead.get(name, 0)
        exhausted = exhausted or room < options.min_budget
        limit = min(options.max_chars, room)
        whole = len(text) <= limit
        short = None
        if not exhausted and not whole:
            short = cut(text, name, limit=limit, head_ratio=options.head_ratio, tail_ratio=options.tail_ratio)
        if exhausted or not (whole or short):
            skipped.append(ShortenedFile(name, len(text), 0 if exhausted else limit, len(text)))
            continue
        if short is not None:
            shortened.append(ShortenedFile(name, len(text), limit, short.left_out))
        kept[name] = short.text if short is not None else text
        remaining -= overhead.get(name, 0) + len(kept[name])
    return FittedFiles(
        {name: kept[name] for name in files if name in kept},
        used=options.total_max_chars * USED_PERCENT // 100 - remaining,
        cut=tuple(shortened),
        skipped=tuple(skipped),
    )


def sort_by_priority(names: Iterable[str], priority: tuple[str, ...]) -> list[str]:
    """Return names by priority. Names that match the same pattern keep their order.

    A pattern is compared with the whole name and with the last part of its path. Names that match none come in place of
    `OTHERS`, or at the end.
    """
    others = priority.index(OTHERS) if OTHERS in priority else len(priority)

    def rank(name: str) -> int:
        last = name.replace("\\", "/").rpartition("/")[2]
        for place, pattern in enumerate(priority):
            if pattern != OTHERS and (fnmatchcase(name, pattern) or fnmatchcase(last, pattern)):
                return place
        return others

    return sorted(names, key=rank)


# Warnings that are remembered, so that each is logged only once.
_MOST_WARNINGS = 256
# Characters of both ends that identify a text: hashing 50 MB would take longer than cutting them.
_HASHED_CHARS = 10_000
_HINT = "Shorten the file, or raise bootstrap.maxChars and totalMaxChars."


class BootstrapPlugin:
    """Keeps the files that open a prompt within the budget."""

    Options = BootstrapOptions

    def __init__(self) -> None:
        self._warned: BoundedDict[bytes, None] = BoundedDict(_MOST_WARNINGS)

    @hookimpl
    def trim_bootstrap(
        self, files: Mapping[str, str], overhead: Mapping[str, int], context: PluginContext
    ) -> dict[str, str]:
        """Return the texts of the files as they fit into the budget."""
        shown = fit_to_budget(files, overhead, context.options)
        for file in shown.cut:
            if self._is_new_warning(file, files[file.name]):
                logger.warning(
                    "bootstrap file {} has {} characters (limit {}): {} are left out of the prompt",
                    file.name, file.size, file.limit, file.left_out,
                )  # fmt: skip
        for file in shown.skipped:
            if self._is_new_warning(file, files[file.name]):
                logger.warning(
                    "bootstrap file {} ({} characters) is left out of the prompt: the budget of {} characters is spent",
                    file.name, file.size, context.options.total_max_chars,
                )  # fmt: skip
        return dict(shown.texts)

    @hookimpl
    def diagnose(self, context: PluginContext) -> list[Finding]:
        """Report the size of the workspace's bootstrap files, and what is left out of them."""
        options: BootstrapOptions = context.options
        files = bootstrap_files(context.workspace, options.priority)
        shown = fit_to_budget(files, {name: default_overhead(name) for name in files}, options)
        return [_size_finding(shown, options), *map(_shortened_finding, (*shown.cut, *shown.skipped))]

    def _is_new_warning(self, file: ShortenedFile, text: str) -> bool:
        """Return whether no warning was logged yet for this file with this text, and remember it."""
        facts = f"{file.name}\0{file.limit > 0}\0{file.size}\0{text[:_HASHED_CHARS]}{text[-_HASHED_CHARS:]}"
        key = blake2b(facts.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        if key in self._warned:
            self._warned.move_to_end(key)
            return False
        self._warned[key] = None
        return True


def bootstrap_files(workspace: Path, names: tuple[str, ...]) -> dict[str, str]:
    """Return the readable files with these names in the workspace and in its memory folder. Patterns are skipped."""
    found: dict[str, str] = {}
    for name in names:
        if any(sign in name for sign in "*?["):
            continue
        for place in (name, f"memory/{name}"):
            text = read_text(workspace / place)
            if text is not None:
                found[place] = text
    return found


def _size_finding(shown: FittedFiles, options: BootstrapOptions) -> Finding:
    if not shown.texts:
        return Finding("bootstrap files", "none yet")
    tokens = sum(estimate_tokens(text) for text in shown.texts.values())
    state = Sentence(
        "{texts}: {used:,} of {total_max_chars:,} characters, about {tokens:,} tokens in each prompt",
        texts=", ".join(shown.texts),
        used=shown.used,
        total_max_chars=options.total_max_chars,
        tokens=tokens,
    )
    return Finding("bootstrap files", state)


def _shortened_finding(file: ShortenedFile) -> Finding:
    what = Sentence(
        "{left_out:,} of {size:,} characters are left out of the prompt", left_out=file.left_out, size=file.size
    )
    return Finding(Sentence("bootstrap file {name}", name=file.name), what, Health.DEGRADED, hint=_HINT)
