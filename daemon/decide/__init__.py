"""What is to be done about one clause."""
