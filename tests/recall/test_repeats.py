"""Which memories are merged as repetitions, and which one stays."""

from datetime import UTC, datetime, timedelta

from nanobot_memory_plugins.core.values import Hit, Origin
from nanobot_memory_plugins.recall.deduplicate import merge_repeats
from tests.support.each import each

TIME = datetime(2026, 2, 16, tzinfo=UTC)


def hit(key: str, text: str, *, days: int = 0, speaker: str = "", score: float = 1.0) -> Hit:
    return Hit(
        id=key,
        text=text,
        path="memory/a.md",
        line=1,
        score=score,
        origin=Origin.USER,
        time=TIME + timedelta(days=days),
        speaker=speaker,
    )


def merged_texts(*texts: str) -> list[str]:
    return [one.text for one in merge_repeats((hit(str(place), text) for place, text in enumerate(texts)))]


@each(
    ("one", "other", "stays"),
    [
        ("I like tea", "I like   TEA!", "I like tea"),
        ("我喜欢喝绿茶", "我喜欢喝绿茶。", "我喜欢喝绿茶"),
        ("服务器端口是 8080", "服务器端口是８０８０", "服务器端口是 8080"),
    ],
)
def test_hits_that_say_the_same_are_shown_once(one, other, stays):
    assert merged_texts(one, other) == [stays]
    assert len(merged_texts(other, one)) == 1


@each(
    ("one", "other"),
    [
        ("The port is 8080", "The port is 9090"),
        ("My sister lives in Berlin and is a nurse", "My sister lives in Munich and is a nurse"),
        ("I like dogs", "I do not like dogs"),
        ("I can eat nuts", "I can't eat nuts"),
        ("the staging port is 5433", "is the staging port 5433?"),
        ("We use Postgres for billing", "Should we use Postgres for billing?"),
        ("my address is 5 Elm St", "my old address is 5 Elm St"),
        ("I live in Berlin", "I used to live in Berlin"),
        ("I bought the blue car", "I almost bought the blue car"),
        ("I am allergic to nuts", "My son thinks I am allergic to nuts"),
        ("测试端口是5433", "测试端口是5433吗？"),
        ("我住在柏林", "我以前住在柏林"),
        ("我买了那辆蓝色的车", "我差点买了那辆蓝色的车"),
        ("Ann paid Bob", "Bob paid Ann"),
        ("我喜欢狗", "我不喜欢狗"),
        ("我喜欢狗", "我喜欢猫"),
        ("我家的猫没有名字", "我家的猫有名字"),
        ("My editor is Helix", "My editor is Helix, with the gruvbox theme"),
        ("我的猫叫小白", "我的猫叫小白，今年三岁了"),
    ],
)
def test_a_different_number_name_negation_or_more_words_are_not_merged(one, other):
    assert merged_texts(one, other) == [one, other]


def test_the_newest_stays_with_the_rank_and_score_of_the_best():
    hits = [
        hit("old", "The port is 8080", score=1.0),
        hit("other", "I like tea", score=0.9),
        hit("new", "the port is 8080.", score=0.5, days=9),
    ]
    assert [(one.id, one.score) for one in merge_repeats(hits)] == [("new", 1.0), ("other", 0.9)]
