import deadline_plugin

from nanobot_memory_plugins.core.testing import run_hook


def test_a_deadline_becomes_a_note():
    (note,) = run_hook(deadline_plugin, "on_message_received", text="It is due Friday 7.")
    assert (note.tldr, note.tags) == ("Deadline: due Friday 7", ("deadline",))
