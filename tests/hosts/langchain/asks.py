"""Asks one question in a process of its own: ``asks.py WORKSPACE BASE_URL QUESTION THREAD``."""

import sys

from langchain.agents import create_agent
from langchain_openai import ChatOpenAI

from nanobot_memory_plugins.core import MemoryConfig, MemoryService
from nanobot_memory_plugins.hosts.langchain import MemoryMiddleware
from tests.support.hosts import OPTIONS

workspace, base_url, question, thread = sys.argv[1:]
with MemoryService(workspace, config=MemoryConfig.model_validate(OPTIONS)) as memory:
    model = ChatOpenAI(model="scripted", base_url=base_url, api_key="none")
    agent = create_agent(model, [], middleware=[MemoryMiddleware(memory)])
    state = agent.invoke({"messages": [("user", question)]}, {"configurable": {"thread_id": thread}})
    print(state["messages"][-1].content)
