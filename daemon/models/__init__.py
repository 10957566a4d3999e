"""Model files: what there are, which are installed, and how they get here."""
