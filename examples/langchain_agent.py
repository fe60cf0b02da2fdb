"""An agent of LangChain with memory: ``langchain_agent.py WORKSPACE BASE_URL [MODEL]`` answers lines of standard input.

It needs ``pip install "nanobot-memory-hosts[plugins,langchain]" langchain-openai``. ``/new`` starts another thread.
"""

import sys
import uuid

from langchain.agents import create_agent
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver

from nanobot_memory_plugins.core import MemoryService
from nanobot_memory_plugins.hosts.langchain import MemoryMiddleware

WINDOW = 128_000  # tokens of the model's window; history is shortened before it is full


def main(workspace: str, base_url: str, name: str = "gpt-5-mini") -> None:
    """Answer each line of standard input, with memory."""
    with MemoryService(workspace) as memory:
        agent = create_agent(
            ChatOpenAI(model=name, base_url=base_url),
            tools=[],
            middleware=[MemoryMiddleware(memory, context_window=WINDOW)],
            checkpointer=InMemorySaver(),
        )
        thread = str(uuid.uuid4())
        for line in map(str.strip, sys.stdin):
            if line == "/new":
                thread = str(uuid.uuid4())
                continue
            # The thread is the session. With several users, "user_id" next to it names the owner.
            state = agent.invoke({"messages": [("user", line)]}, {"configurable": {"thread_id": thread}})
            print(state["messages"][-1].text)


if __name__ == "__main__":
    main(*sys.argv[1:])
