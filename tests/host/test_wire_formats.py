"""Message lists in the wire formats of public APIs: roles, tool calls and tool results."""

import json

from nanobot_memory_plugins.core import Message
from nanobot_memory_plugins.core.values.conversation import messages_from_chat
from tests.support.each import each

CHAT = [
    {"role": "developer", "content": "Be brief."},
    {"role": "user", "content": [{"type": "text", "text": "Which port?"}]},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "ask", "arguments": '{"of": "db"}'}}],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "5433"},
    {"role": "assistant", "content": "It is 5433."},
]
RESPONSES = [
    {"role": "developer", "content": "Be brief."},
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Which port?"}]},
    {"type": "function_call", "call_id": "c1", "name": "ask", "arguments": '{"of": "db"}'},
    {"type": "function_call_output", "call_id": "c1", "output": "5433"},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "It is 5433."}]},
]
ANTHROPIC = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": [{"type": "text", "text": "Which port?"}]},
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "I had better ask."},
            {"type": "tool_use", "id": "c1", "name": "ask", "input": '{"of": "db"}'},
        ],
    },
    {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "5433"}]}],
    },
    {"role": "assistant", "content": [{"type": "text", "text": "It is 5433."}]},
]
GEMINI = [
    {"role": "system", "parts": [{"text": "Be brief."}]},
    {"role": "user", "parts": [{"text": "Which port?"}]},
    {
        "role": "model",
        "parts": [
            {"text": "I had better ask.", "thought": True},
            {"functionCall": {"id": "c1", "name": "ask", "args": '{"of": "db"}'}},
        ],
    },
    {"role": "user", "parts": [{"function_response": {"id": "c1", "name": "ask", "response": 5433}}]},
    {"role": "model", "parts": [{"text": "It is 5433."}]},
]


@each("history", [CHAT, RESPONSES, ANTHROPIC, GEMINI])
def test_a_conversation_is_parsed_equally_from_every_wire_format(history):
    before = json.dumps(history)
    read = messages_from_chat(history)
    assert json.dumps(history) == before
    assert [(one.role, one.text) for one in read] == [
        ("system", "Be brief."),
        ("user", "Which port?"),
        ("assistant", ""),
        ("tool", "5433"),
        ("assistant", "It is 5433."),
    ]
    (call,) = read[2].tool_calls
    assert call["id"] == "c1"
    assert call["function"] == {"name": "ask", "arguments": '{"of": "db"}'}
    assert read[3].tool_call_id == "c1"


def test_only_the_text_next_to_tool_results_is_the_users():
    message = {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "c1", "content": "first result"},
            {"type": "tool_result", "tool_use_id": "c2", "content": "second result"},
            {"type": "text", "text": "And go on."},
        ],
    }
    whole = Message.from_chat(message)
    assert (whole.role, whole.text) == ("user", "And go on.")
