"""A conversation as text: in its language, complete if it fits, and always within its budget."""

from hypothesis import given, settings
from hypothesis import strategies as st

from nanobot_memory_plugins.core.text.conversation import dominant_language, render_conversation
from nanobot_memory_plugins.core.text.tokens import estimate_tokens
from nanobot_memory_plugins.core.values.conversation import messages_from_chat
from tests.support.examples import examples


def chat(*pairs: tuple[str, str]):
    return messages_from_chat({"role": role, "content": text} for role, text in pairs)


def test_the_language_is_that_of_the_user_not_of_tools_and_answers():
    assert dominant_language(chat(("user", "请把端口改成8080"), ("assistant", "Done, the port is 8080 now."))) == "zh"
    assert dominant_language(chat(("user", "What does 你好 mean in English?"), ("assistant", "它是问候语"))) == "en"
    assert dominant_language(chat(("user", "用 nginx 做 reverse proxy，不要 Apache 了"))) == "zh"
    assert dominant_language(()) == "en"
    assert dominant_language(chat(("assistant", "今天很好"))) == "zh"


@settings(max_examples=examples(80), deadline=None)
@given(
    texts=st.lists(st.tuples(st.sampled_from(["user", "assistant", "tool"]), st.text(max_size=600)), max_size=12),
    tokens=st.integers(0, 400),
)
def test_an_excerpt_never_exceeds_its_budget_and_can_be_encoded(texts, tokens):
    written = render_conversation(chat(*texts), tokens=tokens)
    assert estimate_tokens(written) <= tokens
    written.encode("utf-8")
