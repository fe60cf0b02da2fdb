"""What a user says puts an end to what is known, also where the model mixes up the fields."""

import pytest

from nanobot_memory_plugins.consolidation.extraction.answer import Candidate
from nanobot_memory_plugins.consolidation.extraction.without_quotes.supersession import (
    Believed,
    Closeness,
    plainly_ends,
    touched,
    with_replaced,
)
from nanobot_memory_plugins.consolidation.model.entry import Category, Entry
from tests.consolidation.made_entries import entry
from tests.support.chinese import in_both_scripts
from tests.support.each import each

pytestmark = pytest.mark.leaving

MOVED = "I moved from Berlin to Lisbon last month"


def candidate(content: str, **more: str) -> Candidate:
    return Candidate(content=content, category=Category.FACT, **more)


def cosine_of(value: float) -> Closeness:
    """Every statement is as close as this to every entry."""
    return lambda _statement, _entry: value


def replaced(
    said: str, *candidates: Candidate, known: dict[str, Entry], same: str = "", cosine: float = 0.0
) -> list[tuple[str, str]]:
    believed = [Believed(one, said, same if place == 0 else "") for place, one in enumerate(candidates)]
    found = with_replaced(believed, candidates, known, cosine_of(cosine))
    return [(one.candidate.content, id_) for one, id_ in found]


def known(*texts: str) -> dict[str, Entry]:
    return {f"k{n}": entry(f"k{n}", text, 0.8) for n, text in enumerate(texts)}


def test_the_id_that_the_model_names_is_replaced_when_it_is_spoken_of():
    here = known("The user lives in Berlin", "The user has a dog")
    new = candidate("The user lives in Lisbon", contradicts="k0")
    assert replaced(MOVED, new, known=here) == [(new.content, "k0")]
    wrong = candidate("The user lives in Lisbon", contradicts="k1")
    assert replaced("I live in Lisbon", wrong, known=here) == [(wrong.content, "")]


def test_the_old_text_as_what_contradicts_is_left_out_and_the_new_one_takes_its_place():
    old, new = candidate("The user lives in Berlin", contradicts="k0"), candidate("The user moved to Lisbon")
    assert replaced(MOVED, old, new, known=known("The user lives in Berlin"), same="k0") == [(new.content, "k0")]


@pytest.mark.parametrize(
    ("entry_text", "said", "new"),
    in_both_scripts(
        [
            ("The user works at a bank", "I quit the bank, I work for a bicycle maker now", "The user makes bicycles"),
            ("用户的猫叫咪咪", "咪咪改名了，现在我的猫叫饼干", "用户的猫叫饼干"),
        ]
    ),
)
def test_what_is_said_to_confirm_and_has_come_to_an_end_is_replaced(entry_text: str, said: str, new: str):
    one = candidate(new, reinforces="k0")
    assert replaced(said, one, known=known(entry_text)) == [(new, "k0")]


@pytest.mark.parametrize(
    ("entry_text", "said", "new"),
    in_both_scripts(
        [
            ("The user rents a flat", "We don't rent the flat any more, we bought it", "The user bought a flat"),
            ("每周五部署", "以后改成周二部署，每周五不再部署了", "每周二部署"),
        ]
    ),
)
def test_a_plain_change_needs_no_id(entry_text: str, said: str, new: str):
    assert replaced(said, candidate(new), known=known(entry_text, "The user has a dog")) == [(new, "k0")]


@pytest.mark.parametrize(
    ("entry_text", "said", "new"),
    in_both_scripts(
        [
            ("The user lives in Berlin", "I live in Berlin, and I moved the sofa", "The user moved the sofa"),
            ("The user likes green tea", "I bought green tea and I like it", "The user bought green tea"),
            ("用户住在上海", "我换了一部新手机", "用户换了新手机"),
        ]
    ),
)
def test_what_only_stands_beside_a_change_stays(entry_text: str, said: str, new: str):
    one = candidate(new, reinforces="nothing")
    assert replaced(said, one, known=known(entry_text)) == [(new, "")]


@pytest.mark.parametrize(("cosine", "old"), [(0.4, "k0"), (0.1, "")])
def test_a_statement_without_a_word_of_the_entry_speaks_of_it_when_the_vectors_say_so(cosine: float, old: str):
    new = candidate("The user eats meat", contradicts="k0")
    said = "I eat meat again since the summer"
    assert replaced(said, new, known=known("The user is vegetarian"), cosine=cosine) == [(new.content, old)]


def test_vectors_alone_put_no_end_to_an_entry_when_no_change_is_announced():
    new = candidate("The user eats meat", contradicts="k0")
    assert replaced("I eat meat", new, known=known("The user is vegetarian"), cosine=0.4) == [(new.content, "")]


def test_what_the_model_holds_for_true_as_it_was_is_replaced_only_when_it_is_denied_or_left():
    new = candidate("The user's sister lives in York")
    here = known("The user's sister lives in Leeds")
    told = [Believed(new, "My sister has moved from Leeds to York")]
    assert [id_ for _, id_ in with_replaced(told, [new], here, unchanged={"k0"})] == ["k0"]
    other = candidate("The user's sister moved to Berlin")
    told = [Believed(other, "My sister moved to Berlin last year")]
    assert [id_ for _, id_ in with_replaced(told, [other], known("The user lives in Berlin"), unchanged={"k0"})] == [""]


@each(
    ("entry_text", "said", "ended"),
    in_both_scripts(
        [
            ("The user is allergic to nuts", "Turns out I was never allergic to nuts", True),
            ("用户对花生过敏", "检查结果出来了，我其实对花生不过敏", True),
            ("The user's sister lives in Leeds", "My sister has moved from Leeds to York", True),
            ("用户的团队有六个人", "团队又来了两个人，现在八个人", True),
            ("The standup meeting is at 9:30", "Heads up, the standup meeting is at ten from now on", True),
            ("The standup meeting is at 9:30", "The standup meeting took 20 minutes", False),
            ("The user lives in Berlin", "My sister moved to Berlin last year", False),
            ("The user has a dog called Rex", "I do not like cats", False),
            ("The user plays the violin", "My violin was repaired, it sounds wonderful now", False),
            ("用户住在北京", "我姐姐去年搬到北京了", False),
        ]
    ),
)
def test_a_statement_ends_an_entry_plainly_when_it_denies_it_or_leaves_its_subject(entry_text, said, ended):
    assert plainly_ends(said, known(entry_text)["k0"]) is ended


def test_a_statement_touches_an_entry_by_the_weight_of_its_terms():
    (one,) = known("The user lives in Berlin").values()
    assert touched(MOVED, one) == 1.0
    assert touched("I have a dog", one) == 0.0
