"""The bootstrap budget: all files of a prompt inside one budget, the important ones first."""

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

# Stands for every file that no other pattern of the priority names.
OTHERS = "*"
# Percent of the total that may be used: the upgrade plan's measure of success.
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
        description="who gets the budget first: names or patterns; a single * stands for all others",
    )


@dataclass(frozen=True, slots=True)
class Shortened:
    """What happened to one file. ``limit`` is the characters that it could have, ``left_out`` what is not shown."""

    name: str
    size: int
    limit: int
    left_out: int


@dataclass(frozen=True, slots=True)
class Allotment:
    """What each file shows. ``skipped`` files show nothing, for the budget was used up."""

    texts: Mapping[str, str]
    used: int
    cut: tuple[Shortened, ...] = ()
    skipped: tuple[Shortened, ...] = ()


def allot(files: Mapping[str, str], overhead: Mapping[str, int], options: BootstrapOptions) -> Allotment:
    """Share the budget out among files, each with the characters that the host puts around it.

    ``texts`` has the order of ``files``.
    """
    remaining = options.total_max_chars * USED_PERCENT // 100
    kept: dict[str, str] = {}
    shortened: list[Shortened] = []
    skipped: list[Shortened] = []
    exhausted = False
    for name in in_order(files, options.priority):
        text = files[name]
        room = remaining - overhead.get(name, 0)
        exhausted = exhausted or room < options.min_budget
        limit = min(options.max_chars, room)
        whole = len(text) <= limit
        short = None
        if not exhausted and not whole:
            short = cut(text, name, limit=limit, head_ratio=options.head_ratio, tail_ratio=options.tail_ratio)
        if exhausted or not (whole or short):
            skipped.append(Shortened(name, len(text), 0 if exhausted else limit, len(text)))
            continue
        if short is not None:
            shortened.append(Shortened(name, len(text), limit, short.left_out))
        kept[name] = short.text if short is not None else text
        remaining -= overhead.get(name, 0) + len(kept[name])
    return Allotment(
        {name: kept[name] for name in files if name in kept},
        used=options.total_max_chars * USED_PERCENT // 100 - remaining,
        cut=tuple(shortened),
        skipped=tuple(skipped),
    )


def in_order(names: Iterable[str], priority: tuple[str, ...]) -> list[str]:
    """Return names by priority; what the same pattern names keeps its order.

    A pattern is compared with the name and with the last part of its path. What nothing names comes where `OTHERS`
    stands, else at the end.
    """
    others = priority.index(OTHERS) if OTHERS in priority else len(priority)

    def rank(name: str) -> int:
        last = name.replace("\\", "/").rpartition("/")[2]
        for place, pattern in enumerate(priority):
            if pattern != OTHERS and (fnmatchcase(name, pattern) or fnmatchcase(last, pattern)):
                return place
        return others

    return sorted(names, key=rank)


# Warnings that are remembered, so that each is given once.
_REMEMBERED = 256
# Characters of each end by which a text is known again; hashing 50 MB would take longer than cutting them.
_COMPARED = 10_000
_HINT = "Shorten the file, or raise bootstrap.maxChars and totalMaxChars."


class BootstrapPlugin:
    """Keeps the files that open a prompt inside a budget."""

    Options = BootstrapOptions

    def __init__(self) -> None:
        self._warned: BoundedDict[bytes, None] = BoundedDict(_REMEMBERED)

    @hookimpl
    def trim_bootstrap(
        self, files: Mapping[str, str], overhead: Mapping[str, int], context: PluginContext
    ) -> dict[str, str]:
        """Return what of each file goes into the prompt."""
        shown = allot(files, overhead, context.options)
        for one in shown.cut:
            if self._is_news(one, files[one.name]):
                logger.warning(
                    "bootstrap file {} has {} characters (limit {}): {} are left out of the prompt",
                    one.name, one.size, one.limit, one.left_out,
                )  # fmt: skip
        for one in shown.skipped:
            if self._is_news(one, files[one.name]):
                logger.warning(
                    "bootstrap file {} ({} characters) is left out of the prompt: the budget of {} characters is spent",
                    one.name, one.size, context.options.total_max_chars,
                )  # fmt: skip
        return dict(shown.texts)

    @hookimpl
    def diagnose(self, context: PluginContext) -> list[Finding]:
        """Say how large the bootstrap files of the workspace are, and what of them is left out."""
        options: BootstrapOptions = context.options
        files = bootstrap_files(context.workspace, options.priority)
        shown = allot(files, {name: default_overhead(name) for name in files}, options)
        return [_size(shown, options), *(_shortened(one) for one in (*shown.cut, *shown.skipped))]

    def _is_news(self, one: Shortened, text: str) -> bool:
        """Return whether this has not been warned of: the same file with the same text, cut or left out."""
        facts = f"{one.name}\0{one.limit > 0}\0{one.size}\0{text[:_COMPARED]}{text[-_COMPARED:]}"
        key = blake2b(facts.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        if key in self._warned:
            self._warned.move_to_end(key)
            return False
        self._warned[key] = None
        return True


def bootstrap_files(workspace: Path, names: tuple[str, ...]) -> dict[str, str]:
    """Return the files of these names that are in the workspace or in its memory folder, and can be read."""
    found: dict[str, str] = {}
    for name in names:
        if any(sign in name for sign in "*?["):
            continue
        for place in (name, f"memory/{name}"):
            text = read_text(workspace / place)
            if text is not None:
                found[place] = text
    return found


def _size(shown: Allotment, options: BootstrapOptions) -> Finding:
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


def _shortened(one: Shortened) -> Finding:
    what = Sentence(
        "{left_out:,} of {size:,} characters are left out of the prompt", left_out=one.left_out, size=one.size
    )
    return Finding(Sentence("bootstrap file {name}", name=one.name), what, Health.DEGRADED, hint=_HINT)
