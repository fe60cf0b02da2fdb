import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanobot_memory_plugins.storage.segmentation import query_terms, segment
from tests.support.each import each


def matches_text(query: str, text: str) -> bool:
    return bool(set(query_terms(query)) & set(segment(text).split()))


@each(
    ("query", "text"),
    [
        ("猫", "我家的猫叫小白"),
        ("咖啡", "他每天喝咖啡"),
        ("コーヒー", "毎朝ｺｰﾋｰを飲む"),
        ("커피", "아침마다 커피를 마신다"),
        ("กาแฟ", "ฉันดื่มกาแฟทุกวัน"),
        ("Running", "he RUNS every day"),
        ("cafe", "the Café on the corner"),
        ("ＡＰＩ", "the api"),
        ("ERR_CONN_42", "failed with err_conn_42 again"),
        ("conn", "failed with ERR_CONN_42 again"),
        ("nginx.conf", "edit /etc/nginx/nginx.conf"),
        ("0.3.5", "released v0.3.5"),
        ("v0.3.5", "released 0.3.5"),
        ("userName", "call getUserName()"),
        ("example.com", "write to bob@example.com"),
        ("C++", "written in c++"),
        ("python", "python3 is installed"),
        ("1000", "it costs 1,000 yen"),
        ("Caroline", "Caroline's sister"),
        ("Python", "用Python写的"),
        ("過敏", "我对花生过敏"),
        ("过敏", "我對花生過敏"),
        ("髮型師", "理发型师"),
        ("臺北", "台北的天氣"),
        ("五月八號", "2023年5月8日"),
    ],
)
def test_a_query_matches_other_spellings_of_its_words(query, text):
    assert matches_text(query, text)


@each("text", ["2023-05-08", "2023/5/8", "May 8, 2023", "8th of May 2023", "2023年5月8日", "二〇 2023年五月八日"])
@each("query", ["2023-05-08", "May 8", "8 May", "5月8日", "五月八号", "May 2023", "in May"])
def test_dates_match_in_every_notation(query, text):
    assert matches_text(query, text)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("you may go", "2023-05-08"),
        ("3个月后", "2023-03-01"),
        ("c#", "c++"),
        ("13月40日", "2023-01-04"),
    ],
)
def test_similar_looking_texts_do_not_match(query, text):
    assert not {term for term in query_terms(query) if "-" in term or "#" in term} & set(segment(text).split())


def test_a_query_leaves_out_stop_terms_unless_it_has_no_others():
    assert query_terms("What did Caroline research?") == ("carolin", "research")
    assert query_terms("who are you") == ("who", "are", "you")
    assert query_terms("我的猫叫什么名字") == ("的猫", "猫叫", "叫什", "么名", "名字")
    assert query_terms("什么") == ("什么",)
    assert query_terms("我的貓叫什麼名字") == query_terms("我的猫叫什么名字")


@given(st.text(st.characters(exclude_categories=[]), max_size=200))
def test_no_text_makes_segmentation_raise(text):
    terms = segment(text).split(" ")
    query = query_terms(text)
    assert len(set(query)) == len(query)
    assert all(len(term) <= 80 for term in terms)
    assert set(query) <= set(terms)


@pytest.mark.parametrize(
    "unit", ["a.", "a", "的", "-", "1,", "1.1.1-", "May ", "1月", "一", "20", " ", "http://", "'s"]
)
def test_segmentation_takes_linear_time(unit):
    def seconds(size: int) -> float:
        text = unit * (size // len(unit))
        started = time.thread_time()  # other programs do not count
        segment(text)
        return time.thread_time() - started

    seconds(5_000)
    limit = 20 * 8 * max(seconds(5_000), 0.0005)
    assert any(seconds(100_000) < limit for _ in range(3))
