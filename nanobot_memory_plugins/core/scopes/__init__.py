"""Scopes of calls: sessions, people, group chats and projects, who owns a memory, and who may see it."""
