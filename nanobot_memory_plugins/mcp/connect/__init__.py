"""Setting clients up: where each keeps its servers, in which form, and writing ours among them."""
