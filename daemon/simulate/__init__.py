"""The embedded broker and a simulated home."""
