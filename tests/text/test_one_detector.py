"""Sentences, clauses and questions are told in `core/text` alone; who else looks for a part of them is named here."""

import re
from pathlib import Path

import pytest

import nanobot_memory_plugins.core as core

pytestmark = pytest.mark.leaving

NAMESPACE = Path(core.__file__).parents[1]
# Redaction lies below core and sees text alone; the room itself; what shows texts and brings them in.
ELSEWHERE = ("redaction/", "core/text/", "panel/", "bridge/", "tools/", "core/cli/", "core/transfer/")
MARKS = {
    "consolidation/model/redacted_content.py": "the parts of an entry around a placeholder",
    "compaction/answers.py": "the first line of a model's answer",
    "recall/questions.py": "how far a pattern may look",
    "recall/routing.py": "how far a pattern may look",
}
QUESTIONS = {
    "consolidation/commands/chinese.py": "politeness behind what is to be remembered",
    "consolidation/commands/known.py": "the form in which the profile is asked for",
    "consolidation/commands/instructions.py": "a request in the form of a question",
    "consolidation/commands/instruction_words.py": "what is asked of all people tells the assistant nothing",
    "consolidation/model/redacted_content.py": "politeness beside a placeholder",
    "consolidation/model/normalised.py": "particles that weigh nothing",
    "consolidation/commands/answers.py": "what the model is told",
    "core/erasure/chinese_borders.py": "particles behind a word",
    "core/erasure/retold.py": "particles of an answer",
    "recall/trigger_phrases.py": "small talk",
    "search/stopwords.py": "particles that weigh nothing",
}
NAMES = r"_SENTENCE_END\b|\b_?is_question\b|\b_QUESTION\b|\b_NEGATION\b|\b_MONTHS = "


def modules_with(pattern: str) -> set[str]:
    """Return the modules outside of the room whose source has a pattern, comments and docstrings left out."""
    found = set()
    for path in NAMESPACE.rglob("*.py"):
        name = path.relative_to(NAMESPACE).as_posix()
        if name.startswith(ELSEWHERE):
            continue
        source = re.sub(r'"""(?:.|\n)*?"""|^\s*#.*$', "", path.read_text("utf-8"), flags=re.MULTILINE)
        if re.search(pattern, source):
            found.add(name)
    return found


def test_nobody_else_has_a_pattern_for_the_ends_of_sentences():
    assert modules_with(r"\[[^\]\n]*[。！？][^\]\n]*[。！？][^\]\n]*\]") == set(MARKS)


def test_nobody_else_has_a_pattern_for_chinese_questions():
    assert modules_with("吗|是不是|是否(?![,，])") == set(QUESTIONS)


def test_nobody_else_has_a_detector_by_name():
    # A pattern of the calendar's months; a name for one of the room's answers.
    known = {"consolidation/model/normalised.py", "search/index_searcher.py"}
    assert modules_with(NAMES) == known


def test_nobody_else_tells_questions_in_english():
    """By the words with which only a question begins, beside each other; those of orders go on after "remember"."""
    assert modules_with(r"what\|(?:why|when|how)|is\|are\|(?:am|was)\|") == {
        f"consolidation/commands/{name}.py" for name in ("english", "english_words", "instructions")
    }


def test_nobody_else_has_a_table_of_weekdays_or_months():
    assert not modules_with(r"wednes|thurs|(?:周|星期|礼拜)\)?\(?\[一二三四五六")
    assert not modules_with(r"\bapr\||\bapril\|")
