"""What a name means in this home."""
