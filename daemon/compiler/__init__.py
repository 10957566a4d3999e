"""Compiles to an IR what the grammar cannot read: a small model proposes a draft, and code makes a program of it."""
