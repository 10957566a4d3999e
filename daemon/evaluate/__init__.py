"""Evaluation: cases through the whole pipeline on simulated homes."""
