"""What is kept for later: commands for a time, rules that wait for something to happen, and timers."""
