"""Adapters for agent frameworks, one module each. Only that module imports its framework.

`hosts.langchain` is a middleware of LangChain, `hosts.pydantic_ai` a capability of pydantic-ai,
`hosts.openai_agents` hooks, tools and a session for the OpenAI Agents SDK, `hosts.adk` a plugin of Google's ADK, and
`hosts.hermes` a memory provider of Hermes Agent.
"""
