"""Lists that people keep: what to buy, what to do."""
