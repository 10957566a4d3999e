"""What the broker itself tells of the home: devices that nobody had to list."""
