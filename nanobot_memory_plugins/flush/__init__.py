"""What a conversation leaves worth remembering, saved before history is cut."""
