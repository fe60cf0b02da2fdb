"""An agent of LangChain that answers lines of JSON, ``{"session": ..., "text": ...}``, until its input ends."""

import json
import sys

from langchain.agents import create_agent
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver

from nanobot_memory_plugins.core import MemoryService, load_config
from nanobot_memory_plugins.hosts.langchain import MemoryMiddleware


def main(workspace: str, config_file: str, base_url: str) -> None:
    """Answer the lines of standard input."""
    model = ChatOpenAI(model="scripted", base_url=base_url, api_key="none", max_retries=0)
    with MemoryService(workspace, config=load_config(config_file)[0]) as memory:
        agent = create_agent(model, [], middleware=[MemoryMiddleware(memory)], checkpointer=InMemorySaver())
        for line in sys.stdin:
            asked = json.loads(line)
            given = {"messages": [("user", asked["text"])]}
            state = agent.invoke(given, {"configurable": {"thread_id": asked["session"]}})
            print(json.dumps({"answer": state["messages"][-1].text}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
