import deadline_plugin


def test_a_deadline_becomes_a_note(run_hook):
    options = deadline_plugin.Options(tags=("work",))
    (note,) = run_hook(deadline_plugin, "on_message_received", text="It is due Friday 7.", options=options)
    assert (note.tldr, note.tags) == ("Deadline: due Friday 7", ("work",))


def test_a_message_without_one_is_left_alone(run_hook):
    assert run_hook(deadline_plugin, "on_message_received", text="How do you do?") == []
