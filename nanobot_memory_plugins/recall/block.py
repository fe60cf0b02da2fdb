"""The injected text: the best memories that fit the budget, grouped by source, newest first, summaries last."""

import calendar
import math
import re
from collections.abc import Sequence
from datetime import date, datetime

from nanobot_memory_plugins.core import ContextBlock, Hit, Origin, estimate_tokens, language_of
from nanobot_memory_plugins.core.text.fence import Language
from nanobot_memory_plugins.core.text.pasted import is_pasted
from nanobot_memory_plugins.recall.deduplicate import one_line
from nanobot_memory_plugins.recall.options import RecallOptions

# Room for the fence that core puts around the block: two markers with nonces and line ends.
FENCE_CHARS = 150
FENCE_TOKENS = 40
# Characters of the snippet of a memory that is not shown whole.
_PART_CHARS = 300
_SESSION_HASH = re.compile(r"-[0-9a-f]{16}(?=\.jsonl$)")


def build_block(
    hits: Sequence[Hit], options: RecallOptions, *, project: str = "", today: datetime | None = None
) -> ContextBlock | None:
    """Return the block for the hits, best first, or None when there are none or nothing fits.

    Each hit is shown as a snippet; then the best ones are shown whole, as long as there is room. A hit that does not
    fit is left out and the next one is tried. Memories of other projects than the current ``project`` come last, with
    a remark. The first line names the day ``today`` and explains the order.
    """
    ordered = sorted(hits, key=lambda hit: is_other_project(hit, project))
    if options.size_if_set("max_full_docs") is not None or options.size_if_set("max_snippets") is not None:
        ordered = ordered[: options.max_full_docs + options.max_snippets]
    head = _first_line(today, ordered) if today is not None else ""
    most_chars = options.size_if_set("inject_budget_chars")
    chars = (math.inf if most_chars is None else most_chars) - FENCE_CHARS - len(head)
    tokens = options.max_context_tokens - FENCE_TOKENS - (estimate_tokens(head) + 1 if head else 0)
    lines: dict[str, str] = {}
    sources: set[tuple[str, bool]] = set()
    for whole in (False, True):
        for hit in ordered[: options.size_if_set("max_full_docs") if whole else None]:
            line, before = render_line(hit, options, project=project, whole=whole), lines.get(hit.id)
            source = hit.path, is_other_project(hit, project)
            heading = "" if source in sources else f"{short_name(hit.path)}\n"
            added, removed = f"{heading}{line}\n", "" if before is None else f"{before}\n"
            cost_tokens = estimate_tokens(added) - estimate_tokens(removed)
            cost_chars = len(added) - len(removed)
            if cost_tokens > tokens or cost_chars > chars:
                continue
            tokens, chars = tokens - cost_tokens, chars - cost_chars
            lines[hit.id] = line
            sources.add(source)
    if not lines:
        return None
    shown = sorted((hit for hit in ordered if hit.id in lines), key=_block_order)
    shown.sort(key=lambda hit: is_other_project(hit, project))
    groups: dict[tuple[str, bool], list[str]] = {}
    for hit in shown:
        groups.setdefault((hit.path, is_other_project(hit, project)), []).append(lines[hit.id])
    text = "\n".join("\n".join([short_name(path), *group]) for (path, _), group in groups.items())
    return ContextBlock(text=f"{head}\n{text}" if head else text, hit_ids=tuple(hit.id for hit in shown))


def is_other_project(hit: Hit, project: str) -> bool:
    """Return whether a memory belongs to another project than the current one."""
    return hit.scope.project not in ("", project)


def short_name(path: str) -> str:
    """Return the heading of a source: its path without ``memory/`` and without the hash of a session."""
    return _SESSION_HASH.sub("", path.removeprefix("memory/"))


def render_line(hit: Hit, options: RecallOptions, *, project: str = "", whole: bool = False) -> str:
    """Return one memory as a line: its date, speaker, snippet or ``whole`` text, and line in the file.

    An answer of at most twice the length of its question is shown with the question. A memory of another project than
    ``project`` names its project.
    """
    max_chars = options.size_if_set("heavy_max_snippet_chars") or _PART_CHARS
    text = one_line(hit.text if whole else _shorten(hit.snippet or hit.text, max_chars))
    language = language_of(text)
    day = f"[{day_in_words(hit.time.date(), language)}] " if hit.time else ""
    speaker = speaker_of(hit)
    if hit.answers and len(hit.text) <= 2 * len(hit.answers):
        question = one_line(hit.answers)
        speaker += f"，回答“{question}”" if language_of(question) == "zh" else f', asked "{question}"'
    if is_other_project(hit, project):
        project_name = one_line(hit.scope.project)
        speaker += f"（另一项目：{project_name}）" if language == "zh" else f" (other project: {project_name})"
    return f"- {day}{speaker}: {text} (line {hit.line})"


def _shorten(text: str, max_chars: int) -> str:
    """Return ``max_chars`` characters of a snippet at most, with a mark where something is left out."""
    if len(text) <= max_chars:
        return text
    if text.startswith("…") and not text.endswith("…"):  # the end of its text: the match is near the end
        return f"…{text[1 - max_chars :].lstrip()}"
    return f"{text[: max_chars - 1].rstrip()}…"


def _block_order(hit: Hit) -> tuple[bool, float, bool]:
    """Sort summaries last, and the newest first: of two contradicting memories it usually holds.

    Undated memories, such as long-term ones, come after dated ones, and among them superseded entries last.
    """
    is_summary = hit.origin is Origin.SUMMARY
    return is_summary, -hit.time.timestamp() if hit.time is not None else math.inf, hit.superseded


def _first_line(today: datetime, hits: Sequence[Hit]) -> str:
    language = language_of(hits[0].text if hits else "")
    day = day_in_words(today.date(), language)
    if language == "zh":
        return f"今天是{day}。新的在前，摘要在后。"
    return f"Today is {day}. The newest comes first, summaries last."


def day_in_words(day: date, language: Language) -> str:
    """Return "7 May 2023" or "2023年5月7日", the form in which a model is to answer."""
    if language == "zh":
        return f"{day.year}年{day.month}月{day.day}日"
    return f"{day.day} {calendar.month_name[day.month]} {day.year}"


def speaker_of(hit: Hit) -> str:
    """Return the speaker of a memory; text that a user pasted is marked, since somebody else wrote it."""
    speaker = hit.speaker or hit.origin.value
    if hit.source == "transcript" and hit.origin is Origin.USER and is_pasted(hit.text):
        return f"{speaker}（粘贴的文字）" if language_of(hit.text) == "zh" else f"{speaker}, pasted"
    return speaker
