"""The memory in other agent frameworks: a module for each, which alone imports that framework.

`hosts.langchain` is a middleware of LangChain, `hosts.pydantic_ai` a capability of pydantic-ai,
`hosts.openai_agents` what a run of the OpenAI Agents SDK is given, `hosts.adk` a plugin of Google's ADK,
`hosts.hermes` a memory provider of Hermes Agent.
"""
