"""The owner of the memory that a call is about: sessions, people, group chats, and what may be seen on their behalf."""
