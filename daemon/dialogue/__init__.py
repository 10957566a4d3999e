"""The conversation: what is open, and what an utterance is about."""
