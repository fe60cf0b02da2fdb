"""Checks of a language model's answer: whether it is empty, a refusal, or grounded in the conversation."""

import re
import unicodedata
import zlib
from collections.abc import Iterable, Sequence

from nanobot_memory_plugins.core.text.folding import fold_text
from nanobot_memory_plugins.core.text.tokens import estimate_tokens
from nanobot_memory_plugins.redaction.lazy import lazy_re
from nanobot_memory_plugins.redaction.script.chinese_script import simplified
from nanobot_memory_plugins.redaction.script.printable import printable

# Answers that mean "nothing": the agreed word in any spelling, or an empty JSON value.
_NO_REPLY = lazy_re(r"(?<![a-z])no[\s_\-]*reply(?![a-z])")
_EMPTY_JSON = lazy_re(r"(\[\s*\]|\{\s*\}|null|none|\{\s*\"\w+\"\s*:\s*(\[\s*\]|null|\"\")\s*\})")
_FENCE_LINE = lazy_re(r"^[^\S\n]*+(?:`{3,}|~{3,})\w*+[^\S\n]*+$", re.MULTILINE)
# Reasoning in an answer, up to its closing mark, or to the end of a truncated answer.
_REASONING = lazy_re(
    r"<(think|thinking|thought|reasoning|reflection|seed:think)>.*?(?:</\1>|\Z)"
    r"|\[THINK\].*?(?:\[/THINK\]|\Z)|◁think▷.*?(?:◁/think▷|\Z)"
    r"|<\|START_THINKING\|>.*?(?:<\|END_THINKING\|>|\Z)"
    r"|<\|channel\|>(?:analysis|commentary).*?(?:<\|channel\|>final|\Z)|<\|(?:message|start|end|return)\|>",
    re.DOTALL | re.IGNORECASE,
)
# Some chat templates open the reasoning themselves, so that only its closing mark is in the answer.
_UNOPENED_REASONING = lazy_re(
    r"\A(?!\s*[\[{`]).*?(?:</(?:think|thinking|thought|reasoning|seed:think)>|\[/THINK\]|◁/think▷|<\|END_THINKING\|>)",
    re.DOTALL | re.IGNORECASE,
)
_REFUSAL = lazy_re(
    r"^\W*(i'?m sorry|i am sorry|sorry|apologies|i apologi[sz]e|as an ai|i can(no|')?t (help|assist|do|comply|process)"
    r"|i cannot|i am unable|i'?m unable|unfortunately,? i|抱歉|对不起|很抱歉|不好意思|作为一个?(ai|人工智能)"
    r"|我无法|我不能|无法协助)",
    re.IGNORECASE,
)
# Refusals are short: a longer text that begins with an apology has other content.
_REFUSAL_CHARS = 400

_LATIN = lazy_re(r"[a-z0-9à-ÿ][a-z0-9à-ÿ_.@/+-]*", re.IGNORECASE)
_CJK_RUN = lazy_re(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_COMMON_WORDS = frozenset(
    """the and for that this with from are was were has have had will would should can could may not but you your they
    their them his her she its our who what when where which how why all any some one two user users assistant said says
    about into than then there here also been being did does done just like more most other only over such very
    conversation note notes important information""".split()  # noqa: SIM905
)
_COMMON_CJK = frozenset(
    ["用户", "助手", "对话", "我们", "他们", "这个", "那个", "一个", "什么", "可以", "已经", "进行"]
)


def without_reasoning(answer: str) -> str:
    """Return an answer without the reasoning that some models include."""
    if not any(mark in answer for mark in "<[◁"):
        return answer.strip()
    return _UNOPENED_REASONING.sub("", _REASONING.sub("", answer)).strip()


def is_no_reply(answer: str) -> bool:
    """Return whether an answer means "nothing to say": NO_REPLY in any spelling, or an empty JSON value.

    NO_REPLY counts anywhere in the answer, so use its other content first. An empty answer is not one: it is a failure.
    """
    text = unicodedata.normalize("NFKC", printable(without_reasoning(answer))).casefold()
    if _NO_REPLY.search(text.replace("\\_", "_")):
        return True
    return _EMPTY_JSON.fullmatch(_FENCE_LINE.sub("", text).strip().strip(".。`*\"' ")) is not None


def is_refusal(answer: str) -> bool:
    """Return whether an answer declines to answer."""
    text = simplified(without_reasoning(answer))
    return len(text) <= _REFUSAL_CHARS and _REFUSAL.match(text) is not None


def terms(text: str) -> set[str]:
    """Return the terms that roughly describe a text: its longer words, numbers, and pairs of CJK characters."""
    folded = fold_text(text)
    found = {
        word
        for match in _LATIN.findall(folded)
        if (word := match.strip("._-/+@")) and (len(word) > 2 or word.isdigit()) and word not in _COMMON_WORDS
    }
    for run in _CJK_RUN.findall(folded):
        found |= {pair for pair in (run[i : i + 2] for i in range(len(run) - 1)) if pair not in _COMMON_CJK}
        if len(run) == 1:
            found.add(run)
    return found


class Evidence:
    """The terms of the source texts, to check the parts of an answer against."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._terms: set[str] = set()
        for text in texts:
            self._terms |= terms(text)
        # Words are compared by their first letters, so that "decided" supports "decides".
        self._stems = {term[:5] for term in self._terms if len(term) > 5 and term.isascii()}

    def share(self, text: str) -> float:
        """Return the share of the text's terms that occur in the sources, from 0 to 1; 0 for a text without terms."""
        text_terms = terms(text)
        if not text_terms:
            return 0.0
        return sum(map(self.contains, text_terms)) / len(text_terms)

    def contains(self, term: str) -> bool:
        """Return whether a term, or another form of the word, occurs in the sources."""
        return term in self._terms or (term.isascii() and term[:5] in self._stems)


# A summary must share at least this part of its terms, and this number of terms, with its sources.
_GROUNDED_SHARE, _GROUNDED_TERMS = 0.2, 3
# It is an echo when lines copied from the conversation make up more than this share of its characters.
_ECHO_SHARE = 0.7
# From this length on it is repetitive when it compresses to less than this share; prose compresses to about a quarter.
_REPEATED_CHARS, _REPEATED_SHARE = 300, 0.12
# The least tokens of a summary of a long text, the tokens from which a text is long, and the least characters of any
# summary.
_SHORTEST_TOKENS, _LONG_TEXT_TOKENS, _SHORTEST_CHARS = 12, 400, 8

_INTRODUCTION = lazy_re(
    r"\A(?:(?:sure|certainly|of course|okay|ok|here (?:is|are)|below (?:is|are)|好的|当然|以下是|下面是|这是)"
    r"[^\n]{0,120}[:：.。!！]\s*\n|\W*(?:summary|摘要|总结)\s*[:：]\s*)",
    re.IGNORECASE,
)
# The beginnings of data, and of a line of the conversation as prompts show it.
_DATA_STARTS = ("{", "[{", '["', "[[", "<?xml", "<html", "<!doctype")
_SPEAKERS = ("user:", "assistant:", "assistant calls", "tool")


def clean_summary(answer: str) -> str:
    """Return a model's summary without reasoning, a code fence around it, and introductory phrases."""
    text = without_reasoning(printable(answer, control=" "))
    opening, _, rest = text.partition("\n")
    if opening.startswith("```") and "```" not in opening[3:]:
        text = rest.rstrip().removesuffix("```").strip()
    lead = _INTRODUCTION.match(simplified(text))
    return text[lead.end() if lead else 0 :].strip()


def summary_fault(summary: str, sources: Sequence[str], *, prompt: Sequence[str] = ()) -> str:
    """Return what is wrong with a cleaned summary, in a few words, or "" when it can be used.

    ``sources`` are the summarised texts; ``prompt`` holds the fixed texts of the prompt.
    """
    if not summary:
        return "empty"
    is_short = len(summary) <= _REFUSAL_CHARS
    if len(summary) < _SHORTEST_CHARS or (is_short and is_no_reply(summary)):
        return "nothing in it"
    if is_refusal(summary):
        return "refusal"
    if "".join(summary[:_REFUSAL_CHARS].casefold().split()).startswith(_DATA_STARTS):
        return "data, not text"
    if estimate_tokens(summary) < _SHORTEST_TOKENS and sum(map(estimate_tokens, sources)) > _LONG_TEXT_TOKENS:
        return "too short"
    if any(sentence.strip()[:60] in summary for sentence in prompt) or _is_echo(summary, sources):
        return "echo"
    data = summary.encode()
    if len(summary) >= _REPEATED_CHARS and len(zlib.compress(data)) < _REPEATED_SHARE * len(data):
        return "repetition"
    # Terms of the prompt occur in any answer, and do not count.
    summary_terms = terms(summary).difference(*map(terms, prompt))
    grounded = sum(map(Evidence(sources).contains, summary_terms))
    if grounded < _GROUNDED_TERMS or grounded < _GROUNDED_SHARE * len(summary_terms):
        return "not about the conversation"
    return ""


def _is_echo(summary: str, sources: Sequence[str]) -> bool:
    """Return whether a summary mostly repeats the conversation. Lines of an earlier summary may be repeated."""
    lines = [line.strip() for line in summary.splitlines() if line.strip()]
    spoken = [line for line in lines if line.startswith(_SPEAKERS)]
    source_lines = {line.strip() for source in sources for line in source.splitlines()} if spoken else set()
    return sum(len(line) for line in spoken if line in source_lines) > _ECHO_SHARE * sum(map(len, lines))
