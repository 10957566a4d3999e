"""Speaking: reply -> sound."""
