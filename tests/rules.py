"""The rules as they lie in the checkout, loaded once by each process that runs tests."""

from pathlib import Path

from daemon.converse.replies import Replies
from daemon.understand.grammar import Grammar

RULES = Path(__file__).resolve().parent.parent / "rules"
HELD = 1_000_000
"""Of what a grammar makes for thousands of sentences: a hundred bytes each, and none is made twice."""
GRAMMAR = Grammar.load(RULES, HELD)
REPLIES = Replies.load(RULES)
