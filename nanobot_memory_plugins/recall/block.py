"""The text that is injected: memories grouped by file, inside a budget, full text first and snippets after."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from nanobot_memory_plugins.core import ContextBlock, Hit, Origin, Tier, estimate_tokens
from nanobot_memory_plugins.core.text.pasted import is_pasted
from nanobot_memory_plugins.recall.date_format import day_in_words, is_chinese
from nanobot_memory_plugins.recall.deduplicate import fold_repeats, one_line
from nanobot_memory_plugins.recall.live_context import LiveContext
from nanobot_memory_plugins.recall.options import RecallOptions
from nanobot_memory_plugins.recall.trace import Reason, RecallTrace
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Room for the fence that core puts around the block: its two markers, their nonces and line ends.
FENCE_CHARS = 150
FENCE_TOKENS = 60
# Of two memories whose scores differ by less than a tenth, one that is half as long as the other goes first.
_NEARLY_THE_SAME = 0.9
_HALF = 2
# Shares of a snippet's length that are tried where not all memories fit: another memory may be worth more than the
# ends of long ones (docs/retrieval.md).
_SHORTER_SNIPPETS = (1.0, 2 / 3, 4 / 9)
# What is looked for stands in a snippet nearly as often as in the whole: in .97, .92 and .88 of the passages of which
# .6, .4 and .25 are shown (docs/retrieval.md). So a memory's worth grows with this power of the share that is shown.
_WORTH_OF_A_SHARE = 0.1
# The best memory stands whole where it takes so much of the block at most.
_ROOM_OF_THE_BEST = 0.3


def build_block(
    hits: Sequence[Hit],
    options: RecallOptions,
    *,
    tier: Tier = Tier.HEAVY,
    watch: RecallTrace | None = None,
    project: str = "",
) -> ContextBlock | None:
    """Return the block for the hits, best first, or None when there is none or nothing fits.

    What is about another project than the ``project`` that is worked in comes behind all else, and says so. The best
    ``max_full_docs`` stand whole, the next ``max_snippets`` by snippet; one that does not fit is left out and the next
    is tried. When not all fit, fewer stand whole (but for the best, if that is not long), a short memory goes before a
    long one that is hardly better, and snippets become shorter, down to four ninths of ``heavy_max_snippet_chars``,
    where that makes room for what is worth more: a memory is worth its score, and a little less by snippet. After a
    light search a structured note stands by its tl;dr and tags, an answer with its question.

    Lines are grouped by source file, and what was said last stands first: of two memories that say different things the
    newer mostly holds. What has no date, as long-term memory, stands before what has.
    """
    hits = _own_first(hits, project)
    lines = _Lines(options, tier, project)
    page = _filled(hits, options, options.max_full_docs, lines)
    if len(page.lines) < len(hits):
        best_fits_well = len(lines.line(hits[0], None)) <= _ROOM_OF_THE_BEST * options.inject_budget_chars
        least_whole = min(int(best_fits_well), options.max_full_docs)
        orders = (hits, _own_first(_short_before_long(hits), project))
        shorter = [_with_snippets(share, options) for share in _SHORTER_SNIPPETS]
        pages = (
            _filled(order, short, most_whole, lines)
            for most_whole in range(options.max_full_docs, least_whole - 1, -1)
            for short in shorter
            for order in orders
        )
        page = max(pages, key=lambda one: one.worth)
    if watch is not None:
        _note_cuts(hits, page, options, watch)
    if not page.lines:
        return None
    shown = sorted((hit for hit in hits if hit.id in page.lines), key=_newest_first)
    return _by_file(_own_first(shown, project), page, project)


def is_of_other_project(hit: Hit, project: str) -> bool:
    """Whether a memory is about a project, and not about the one that is worked in."""
    return hit.scope.project not in ("", project)


def _own_first(hits: Sequence[Hit], project: str) -> list[Hit]:
    """Put what is about other projects last; the order is the same else."""
    return sorted(hits, key=lambda hit: is_of_other_project(hit, project))


def _newest_first(hit: Hit) -> tuple[float, bool]:
    """Put the newest first; of what has no date, what another entry has replaced comes behind the others."""
    return -hit.time.timestamp() if hit.time is not None else -math.inf, hit.superseded


def build_listing(hits: Sequence[Hit], options: RecallOptions, *, project: str = "") -> ContextBlock | None:
    """Return a block of the hits that fit, those that matter most first, in the order of their time.

    So they stand even where some are about another project than the one that is worked in; these say so.
    """
    for share in _SHORTER_SNIPPETS:
        page = _Page(options.inject_budget_chars - FENCE_CHARS, options.max_context_tokens - FENCE_TOKENS)
        short = _with_snippets(share, options)
        shown = [hit for hit in hits if page.add(hit, render(hit, whole=False, options=short, project=project))]
        if len(shown) == len(hits):
            break
    if not shown:
        return None
    return _by_file(
        sorted(shown, key=lambda hit: (hit.time.timestamp() if hit.time else 0.0, hit.path, hit.line)), page
    )


def _by_file(shown: Sequence[Hit], page: "_Page", project: str | None = None) -> ContextBlock:
    """Return the block of what is shown, in its order, the lines of a file under its name.

    With a ``project`` those of a file that are about others stand apart from the rest of it.
    """
    groups: dict[tuple[str, bool], list[str]] = {}
    for hit in shown:
        is_apart = project is not None and is_of_other_project(hit, project)
        groups.setdefault((hit.path, is_apart), []).append(page.lines[hit.id])
    text = "\n".join("\n".join([path, *lines]) for (path, _), lines in groups.items())
    return ContextBlock(text=text, hit_ids=tuple(hit.id for hit in shown))


def render(hit: Hit, *, whole: bool, options: RecallOptions, tier: Tier = Tier.HEAVY, project: str = "") -> str:
    """Return one memory as a line: its date, who said it, its text or snippet, and its line in the file.

    What is about another project than ``project`` names it.
    """
    if tier is Tier.LIGHT and hit.tldr:
        text = f"{hit.tldr} [{', '.join(hit.tags)}]" if hit.tags else hit.tldr
    else:
        text = hit.text if whole else _cut(hit.snippet or hit.text, options.heavy_max_snippet_chars)
    text = one_line(text)
    date = f"[{day_in_words(hit.time.date(), chinese=is_chinese(text))}] " if hit.time else ""
    who = speaker_of(hit)
    if hit.answers:
        asked = one_line(hit.answers)
        who += f"，回答“{asked}”" if is_chinese(asked) else f', asked "{asked}"'
    if is_of_other_project(hit, project):
        other = one_line(hit.scope.project)
        who += f"（另一项目：{other}）" if is_chinese(text) else f" (other project: {other})"
    return f"- {date}{who}: {text} {_place(hit)}"


def speaker_of(hit: Hit) -> str:
    """Return who said a memory; what a user pasted is somebody else's text, and says so."""
    who = hit.speaker or hit.origin.value
    if hit.source == "transcript" and hit.origin is Origin.USER and is_pasted(hit.text):
        return f"{who}（粘贴的文字）" if is_chinese(hit.text) else f"{who}, pasted"
    return who


def is_shown(hit: Hit, live: LiveContext, options: RecallOptions, tier: Tier, project: str = "") -> bool:
    """Whether one of our blocks in the live context shows a memory as this one would, be it by its tl;dr alone."""
    if not live.shows(_place(hit)):  # most are not: their lines need not be made
        return False
    lines = (render(hit, whole=whole, options=options, tier=tier, project=project) for whole in (True, False))
    return any(map(live.shows, lines))


def _place(hit: Hit) -> str:
    return f"(line {hit.line})"


def _cut(text: str, most: int) -> str:
    """Return ``most`` characters of a snippet at most, with a mark where something is left out.

    They are its first ones; but a snippet that is the end of its text was cut before, and what was looked for stands at
    its end.
    """
    if len(text) <= most:
        return text
    if text.startswith("…") and not text.endswith("…"):
        return f"…{text[1 - most :].lstrip()}"
    return f"{text[: most - 1].rstrip()}…"


def _with_snippets(share: float, options: RecallOptions) -> RecallOptions:
    """Return options whose snippets have this share of their length."""
    return _with_snippet_chars(int(share * options.heavy_max_snippet_chars), options)


def _with_snippet_chars(chars: int, options: RecallOptions) -> RecallOptions:
    return options.model_copy(update={"heavy_max_snippet_chars": chars})


def _note_cuts(hits: Sequence[Hit], page: "_Page", options: RecallOptions, watch: RecallTrace) -> None:
    """Note which hits are not on the page, and why."""
    left = [hit for hit in hits if hit.id not in page.lines]
    room = Sentence(
        "{tokens} tokens and {characters} characters (maxContextTokens, injectBudgetChars)",
        tokens=options.max_context_tokens,
        characters=options.inject_budget_chars,
    )
    places = Sentence(
        "maxFullDocs and maxSnippets are {full} and {snippets}",
        full=options.max_full_docs,
        snippets=options.max_snippets,
    )
    watch.cut((hit for hit in left if hit.id in page.refused), Reason.BUDGET, room)
    watch.cut((hit for hit in left if hit.id not in page.refused), Reason.PLACES, places)
    watch.whole.update(page.whole)


def paired(hits: Sequence[Hit], live: LiveContext) -> list[Hit]:
    """Return hits in which each question stands once.

    A message that is mostly the question of an answer among them goes, for the answer says it. One that says more
    stays, and the answer comes without its question; so it does where the live context holds the question.
    """
    asked = [hit.answers for hit in hits if hit.answers]
    left = [hit for hit in hits if not any(one in hit.text and 2 * len(one) >= len(hit.text) for one in asked)]
    return [
        replace(hit, answers="")
        if hit.answers and (live.holds(hit.answers) or any(hit.answers in other.text for other in left))
        else hit
        for hit in left
    ]


def without_live(hits: Iterable[Hit], live: LiveContext, watch: RecallTrace | None = None) -> list[Hit]:
    """Leave out what stands in the live context already, and keep one of those that say the same."""
    listed = list(hits)
    fresh = [hit for hit in listed if not live.holds(hit.text)]
    if watch is not None:
        kept = {hit.id for hit in fresh}
        watch.cut(
            (hit for hit in listed if hit.id not in kept),
            Reason.IN_CONTEXT,
            Sentence("the message or a turn before has it"),
        )
    return fold_repeats(fresh, watch)


@dataclass(slots=True)
class _Page:
    """A block in the making, and what is left of its budget."""

    chars: int
    tokens: int
    paths: set[str] = field(default_factory=set)
    lines: dict[str, str] = field(default_factory=dict)
    whole: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    worth: float = 0.0

    def add(self, hit: Hit, line: str, share: float = 1.0) -> bool:
        """Add a memory, which by itself is worth this ``share`` of its score, unless it does not fit."""
        heading = "" if hit.path in self.paths else f"{hit.path}\n"
        cost_chars = len(line) + len(heading) + 1
        cost_tokens = estimate_tokens(line) + estimate_tokens(heading) + 1
        if cost_chars > self.chars or cost_tokens > self.tokens:
            return False
        self.chars -= cost_chars
        self.tokens -= cost_tokens
        self.paths.add(hit.path)
        self.lines[hit.id] = line
        self.worth += hit.score * share
        return True


@dataclass(slots=True)
class _Lines:
    """The lines of memories, each made once, however many pages are tried."""

    options: RecallOptions
    tier: Tier
    project: str
    made: dict[tuple[str, int | None], str] = field(default_factory=dict)

    def line(self, hit: Hit, chars: int | None) -> str:
        """Return a memory by a snippet of ``chars`` characters at most, or whole where that is None."""
        key = hit.id, chars
        if key not in self.made:
            options = self.options if chars is None else _with_snippet_chars(chars, self.options)
            self.made[key] = render(hit, whole=chars is None, options=options, tier=self.tier, project=self.project)
        return self.made[key]


def _filled(hits: Sequence[Hit], options: RecallOptions, most_whole: int, lines: _Lines) -> _Page:
    """Fill a page with hits in this order, as far as they fit, the first ``most_whole`` of them whole."""
    page = _Page(options.inject_budget_chars - FENCE_CHARS, options.max_context_tokens - FENCE_TOKENS)
    chars = options.heavy_max_snippet_chars
    for rank, hit in enumerate(hits[: options.max_full_docs + options.max_snippets]):
        if rank < most_whole and page.add(hit, lines.line(hit, None)):
            page.whole.append(hit.id)
            continue
        if not page.add(hit, lines.line(hit, chars), (chars / max(chars, len(hit.text))) ** _WORTH_OF_A_SHARE):
            page.refused.append(hit.id)
    return page


def _short_before_long(hits: Sequence[Hit]) -> list[Hit]:
    """Let a hit pass those before it that are hardly better and more than twice as long."""
    order: list[Hit] = []
    for hit in hits:
        place = len(order)
        while (
            place
            and hit.score >= _NEARLY_THE_SAME * order[place - 1].score
            and len(order[place - 1].text) > _HALF * len(hit.text)
        ):
            place -= 1
        order.insert(place, hit)
    return order
