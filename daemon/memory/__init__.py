"""What was learnt of a home and its people, and where it is kept."""
