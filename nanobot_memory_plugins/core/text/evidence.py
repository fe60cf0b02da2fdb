"""What a language model's answer amounts to: nothing, a refusal, or words that the conversation bears out."""

import re
import unicodedata
import zlib
from collections.abc import Iterable, Sequence

from nanobot_memory_plugins.core.text.folding import fold_text
from nanobot_memory_plugins.core.text.tokens import estimate_tokens
from nanobot_memory_plugins.redaction.lazy import lazy_re
from nanobot_memory_plugins.redaction.script.chinese_script import simplified
from nanobot_memory_plugins.redaction.script.printable import printable

# Whole answers that mean "nothing": the agreed word, however it is written or wrapped.
_NO_REPLY = lazy_re(r"(?<![a-z])no[\s_\-]*reply(?![a-z])")
_EMPTY_JSON = lazy_re(r"(\[\s*\]|\{\s*\}|null|none|\{\s*\"\w+\"\s*:\s*(\[\s*\]|null|\"\")\s*\})")
_FENCE_LINE = lazy_re(r"^[^\S\n]*+(?:`{3,}|~{3,})\w*+[^\S\n]*+$", re.MULTILINE)
# Reasoning, as models write it into their answers: up to its end, or up to the end of what was cut off.
_THOUGHTS = lazy_re(
    r"<(think|thinking|thought|reasoning|reflection|seed:think)>.*?(?:</\1>|\Z)"
    r"|\[THINK\].*?(?:\[/THINK\]|\Z)|◁think▷.*?(?:◁/think▷|\Z)"
    r"|<\|START_THINKING\|>.*?(?:<\|END_THINKING\|>|\Z)"
    r"|<\|channel\|>(?:analysis|commentary).*?(?:<\|channel\|>final|\Z)|<\|(?:message|start|end|return)\|>",
    re.DOTALL | re.IGNORECASE,
)
# Some templates begin the reasoning themselves, and only its end is in the answer.
_THOUGHT_BEFORE = lazy_re(
    r"\A(?!\s*[\[{`]).*?(?:</(?:think|thinking|thought|reasoning|seed:think)>|\[/THINK\]|◁/think▷|<\|END_THINKING\|>)",
    re.DOTALL | re.IGNORECASE,
)
_REFUSAL = lazy_re(
    r"^\W*(i'?m sorry|i am sorry|sorry|apologies|i apologi[sz]e|as an ai|i can(no|')?t (help|assist|do|comply|process)"
    r"|i cannot|i am unable|i'?m unable|unfortunately,? i|抱歉|对不起|很抱歉|不好意思|作为一个?(ai|人工智能)"
    r"|我无法|我不能|无法协助)",
    re.IGNORECASE,
)
# Refusals are short; a long text that begins with an apology goes on to say something.
_REFUSAL_CHARS = 400

_LATIN = lazy_re(r"[a-z0-9à-ÿ][a-z0-9à-ÿ_.@/+-]*", re.IGNORECASE)
_CJK_RUN = lazy_re(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_COMMON = frozenset(
    """the and for that this with from are was were has have had will would should can could may not but you your they
    their them his her she its our who what when where which how why all any some one two user users assistant said says
    about into than then there here also been being did does done just like more most other only over such very
    conversation note notes important information""".split()  # noqa: SIM905
)
_COMMON_CJK = frozenset(
    ["用户", "助手", "对话", "我们", "他们", "这个", "那个", "一个", "什么", "可以", "已经", "进行"]
)


def without_reasoning(answer: str) -> str:
    """Return an answer without the reasoning that some models write into it."""
    if not any(mark in answer for mark in "<[◁"):
        return answer.strip()
    return _THOUGHT_BEFORE.sub("", _THOUGHTS.sub("", answer)).strip()


def is_no_reply(answer: str) -> bool:
    """Return whether an answer means "nothing to say": NO_REPLY in any shape, or an explicit empty value.

    The word counts wherever it occurs, so look for what the answer holds besides first. An empty answer says
    nothing of the kind: it is a failure.
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
    """Return what a text is about, roughly: its longer words and numbers, and pairs of CJK characters."""
    folded = fold_text(text)
    found = {
        word
        for match in _LATIN.findall(folded)
        if (word := match.strip("._-/+@")) and (len(word) > 2 or word.isdigit()) and word not in _COMMON
    }
    for run in _CJK_RUN.findall(folded):
        found |= {pair for pair in (run[i : i + 2] for i in range(len(run) - 1)) if pair not in _COMMON_CJK}
        if len(run) == 1:
            found.add(run)
    return found


class Evidence:
    """The texts that an answer may speak of. Built once, asked for each part of the answer."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._terms: set[str] = set()
        for text in texts:
            self._terms |= terms(text)
        # The first letters represent the word: "decides" is grounded by "decided".
        self._stems = {term[:5] for term in self._terms if len(term) > 5 and term.isascii()}

    def share(self, text: str) -> float:
        """Return the share of ``text``'s terms that the texts hold, in 0..1; 0 for a text without terms."""
        asked = terms(text)
        if not asked:
            return 0.0
        return sum(map(self.holds, asked)) / len(asked)

    def holds(self, term: str) -> bool:
        """Return whether the texts hold one of the `terms`, be it in another form."""
        return term in self._terms or (term.isascii() and term[:5] in self._stems)


# A summary is junk when fewer of its terms than this share, or this number, occur in what it was made of.
_GROUNDED_SHARE, _GROUNDED_TERMS = 0.2, 3
# It is an echo when more of its characters than this are whole lines of what was said, with who said it.
_ECHO_SHARE = 0.7
# One of so many characters repeats itself when it is compressed to less than this share; prose is to a quarter.
_REPEATED_CHARS, _REPEATED_SHARE = 300, 0.12
# The shortest summaries: of a long text, and of any.
_SHORTEST_TOKENS, _LONG_TEXT_TOKENS, _SHORTEST_CHARS = 12, 400, 8

_LEAD = lazy_re(
    r"\A(?:(?:sure|certainly|of course|okay|ok|here (?:is|are)|below (?:is|are)|好的|当然|以下是|下面是|这是)"
    r"[^\n]{0,120}[:：.。!！]\s*\n|\W*(?:summary|摘要|总结)\s*[:：]\s*)",
    re.IGNORECASE,
)
# How data begins, and a line of the conversation as prompts show it.
_DATA = ("{", "[{", '["', "[[", "<?xml", "<html", "<!doctype")
_SPOKEN = ("user:", "assistant:", "assistant calls", "tool")


def clean_summary(answer: str) -> str:
    """Return a model's summary without thoughts, code fence and phrases before it."""
    text = without_reasoning(printable(answer, control=" "))
    opening, _, rest = text.partition("\n")
    if opening.startswith("```") and "```" not in opening[3:]:
        text = rest.rstrip().removesuffix("```").strip()
    lead = _LEAD.match(simplified(text))
    return text[lead.end() if lead else 0 :].strip()


def summary_fault(summary: str, sources: Sequence[str], *, prompt: Sequence[str] = ()) -> str:
    """Return what is wrong with a cleaned summary in one or two words; nothing when it can be used.

    ``sources`` are the texts that it was made of; ``prompt`` is what is in each prompt.
    """
    if not summary:
        return "empty"
    is_short = len(summary) <= _REFUSAL_CHARS
    if len(summary) < _SHORTEST_CHARS or (is_short and is_no_reply(summary)):
        return "nothing in it"
    if is_refusal(summary):
        return "refusal"
    if "".join(summary[:_REFUSAL_CHARS].casefold().split()).startswith(_DATA):
        return "data, not text"
    if estimate_tokens(summary) < _SHORTEST_TOKENS and sum(map(estimate_tokens, sources)) > _LONG_TEXT_TOKENS:
        return "too short"
    if any(sentence.strip()[:60] in summary for sentence in prompt) or _is_echo(summary, sources):
        return "echo"
    data = summary.encode()
    if len(summary) >= _REPEATED_CHARS and len(zlib.compress(data)) < _REPEATED_SHARE * len(data):
        return "repetition"
    # What the prompt asks for by name is in any answer, and does not count.
    told = terms(summary).difference(*map(terms, prompt))
    known = sum(map(Evidence(sources).holds, told))
    if known < _GROUNDED_TERMS or known < _GROUNDED_SHARE * len(told):
        return "not about the conversation"
    return ""


def _is_echo(summary: str, sources: Sequence[str]) -> bool:
    """Return whether a summary is what was said; the lines of an earlier summary may occur again."""
    lines = [line.strip() for line in summary.splitlines() if line.strip()]
    spoken = [line for line in lines if line.startswith(_SPOKEN)]
    given = {line.strip() for source in sources for line in source.splitlines()} if spoken else set()
    return sum(len(line) for line in spoken if line in given) > _ECHO_SHARE * sum(map(len, lines))
