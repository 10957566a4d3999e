"""Conversation: questions, answers, replies."""
