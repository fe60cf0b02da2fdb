"""Which sentences are taken out around forgotten words: as a reader would tell them, in JSON too."""

import json
import time

from nanobot_memory_plugins.core.erasure.sentences import Sentences
from tests.support.each import each


def around(text: str, words: str, *, is_escaped: bool = False) -> str:
    start = text.index(words)
    begin, end = Sentences(text, is_escaped=is_escaped).around(start, start + len(words))
    return text[begin:end]


@each(
    ("text", "words", "goes"),
    [
        ("Hi. My dentist is Dr. Lee. Bye.", "Lee", "My dentist is Dr. Lee."),
        ("1. Bread\n2. Call Ann about it\n3. Milk", "Ann", "Call Ann about it"),
        ("- I owe Ann 3.50 euros; e.g. for tea. Well.", "Ann", "I owe Ann 3.50 euros;"),
        ("他走了。安娜住在罗马！好的。", "安娜", "安娜住在罗马！"),
        ("He said “Ann lives in Rome.” Then he left.", "Ann", "He said “Ann lives in Rome.”"),
        ("tl;dr: Ann lives in Rome", "Ann", "Ann lives in Rome"),
    ],
)
def test_a_sentence_goes_whole_and_alone(text: str, words: str, goes: str):
    assert around(text, words) == goes


@each("end", [".", "!", "?", "。", "…", "", "!’", " (or Bonn)."])
def test_json_stays_json_without_the_sentence(end: str):
    text = json.dumps({"said": f"Well.\nAnn lives in Rome{end}", "by": "Bob"}, ensure_ascii=False)
    gone = around(text, "Ann", is_escaped=True)
    assert gone.startswith("Ann lives in Rome")
    assert json.loads(text.replace(gone, ""))["by"] == "Bob"


def test_json_within_json_ends_a_sentence_at_its_quotation_mark():
    text = json.dumps({"raw": json.dumps({"said": "Ann lives in Rome!", "next": "Fine."})})
    assert around(text, "Ann", is_escaped=True) == "Ann lives in Rome!"


@each("is_escaped", [False, True])
@each("mark", [".", "\\", "!", '"', "n", "1. "])
def test_a_long_run_of_one_mark_takes_no_time(mark: str, is_escaped: bool):
    text = f"Ann {mark * 20_000}x"
    began = time.process_time()
    around(text, "Ann", is_escaped=is_escaped)
    assert time.process_time() - began < 5
