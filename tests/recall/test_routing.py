import pytest

from nanobot_memory_plugins.recall.options import RecallOptions
from nanobot_memory_plugins.recall.routing import RecallTier, choose_tier, tier_after_draft

OPTIONS = RecallOptions()


@pytest.mark.parametrize(
    "text",
    [
        "按之前约定的配置继续",
        "我上次为什么决定不用 embedding？",
        "你说过哪家餐厅好？",
        "What did we discuss about the budget?",
        "Do you remember my dog?",
        "Last time you gave me a command",
    ],
)
def test_explicit_words_choose_heavy(text):
    assert choose_tier(text, [], OPTIONS) is RecallTier.HEAVY


@pytest.mark.parametrize("text", ["给我那个端口和命令", "Which port does it use?", "这个决策不要冲突"])
def test_implicit_words_choose_light_or_more(text):
    assert choose_tier(text, [], OPTIONS) >= RecallTier.LIGHT


@pytest.mark.parametrize("text", ["解释一下这个概念", "Write a poem about rain", "2+2=?", ""])
def test_other_messages_choose_off(text):
    assert choose_tier(text, [], OPTIONS) is RecallTier.OFF


def test_words_inside_other_words_do_not_count():
    assert choose_tier("The portable forecast is mywords", [], OPTIONS) is RecallTier.OFF


def test_a_short_follow_up_takes_the_tier_of_the_turn_before():
    assert choose_tier("那个呢？", ["你还记得我的狗叫啥吗"], OPTIONS) is RecallTier.HEAVY
    assert choose_tier("and that one?", ["do you remember the red one?"], OPTIONS) is RecallTier.HEAVY
    long = "Write a long poem about rain and the sea in winter"
    assert choose_tier(long, ["do you remember the red one?"], OPTIONS) is RecallTier.OFF


def test_the_words_are_configurable():
    options = RecallOptions(explicit_anchors=("hark",), implicit_signals=())
    assert choose_tier("Hark! a poem", [], options) is RecallTier.HEAVY
    assert choose_tier("do you remember?", [], options) is RecallTier.OFF


@pytest.mark.parametrize("draft", ["我不确定，可能是 8080", "Maybe it was 8080.", "I don't recall that."])
def test_an_uncertain_draft_raises_the_tier_by_one(draft):
    assert tier_after_draft(draft, RecallTier.OFF, OPTIONS) is RecallTier.LIGHT
    assert tier_after_draft(draft, RecallTier.LIGHT, OPTIONS) is RecallTier.HEAVY
    assert tier_after_draft(draft, RecallTier.HEAVY, OPTIONS) is RecallTier.HEAVY


def test_a_certain_draft_leaves_the_tier():
    assert tier_after_draft("It is 8080.", RecallTier.OFF, OPTIONS) is RecallTier.OFF
