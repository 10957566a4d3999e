"""Acting: plan, read fresh, decide conditions, send, read back."""
