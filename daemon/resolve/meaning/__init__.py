"""What words mean, by a small encoder: whose name was meant though it was not said, and whether anything was for us."""
