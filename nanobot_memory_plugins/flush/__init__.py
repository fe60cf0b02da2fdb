"""The flush plugin: saves what is worth remembering before history is cut."""
