"""Hypothesis strategies for valid and broken histories."""

from typing import Any

from hypothesis import strategies as st

TEXT = st.one_of(
    st.text(max_size=60),
    st.text(st.characters(codec=None, categories=None), max_size=30),  # lone surrogates, NUL and all
    st.sampled_from(
        [
            "",
            "We decided on plan B. ",
            "记得更新证书，端口8443。",
            "x" * 70,
            "[Summary of the earlier conversation]\nold",
        ]
    ),
    st.builds(
        lambda text, times: text * times,
        st.sampled_from(["word ", "决定 ", "a.b/c-9 ", "{", "\n", "?", "\ud800"]),
        st.integers(1, 4_000),
    ),
)
PART: st.SearchStrategy[Any] = st.one_of(
    st.builds(lambda text: {"type": "text", "text": text}, TEXT),
    st.sampled_from([{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}, {"type": 3}, None, 7]),
    st.builds(lambda text: {"type": "tool_result", "tool_use_id": "c1", "content": text}, TEXT),
    st.just({"type": "tool_use", "id": "c1", "name": "x", "input": {}}),
)
CONTENT: st.SearchStrategy[Any] = st.one_of(
    TEXT, st.none(), st.binary(max_size=40), st.lists(PART, max_size=3), st.integers(), st.just({"type": "image"})
)
IDS = st.sampled_from(["c1", "c2", "c3", "", None, 5])
CALLS: st.SearchStrategy[Any] = st.lists(
    st.one_of(
        st.builds(lambda one, text: {"id": one, "function": {"name": "exec", "arguments": text}}, IDS, TEXT),
        st.sampled_from([None, {}, {"id": "c1"}, {"function": None}, {"name": 4, "arguments": {"a": {1, 2}}}]),
    ),
    max_size=3,
)
ROLE = st.sampled_from(["user", "assistant", "tool", "system", "function", "", None, "x" * 500, "\ud800", 3])
MESSAGE: st.SearchStrategy[Any] = st.one_of(
    st.builds(lambda text: {"role": "user", "content": text}, TEXT),
    st.builds(lambda text: {"role": "assistant", "content": text}, TEXT),
    st.builds(lambda calls: {"role": "assistant", "content": None, "tool_calls": calls}, CALLS),
    st.builds(lambda one, text: {"role": "tool", "tool_call_id": one, "content": text}, IDS, TEXT),
    st.fixed_dictionaries({}, optional={"role": ROLE, "content": CONTENT, "tool_calls": CALLS, "tool_call_id": IDS}),
    st.sampled_from([None, b"bytes \xff", "a bare text", 9, [], {}, {"role": None, "content": None}]),
)
HISTORY = st.lists(MESSAGE, max_size=25)
WINDOW = st.one_of(st.integers(-5, 300), st.sampled_from([1_000, 4_096, 8_000, 16_000, 32_000, 200_000, 10_000_000]))
