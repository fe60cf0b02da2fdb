"""Operations on entries: remember, edit, forget, restore, undo, purge, import."""
