"""What is asked for, answered, corrected and taken back, as events for the inner state."""
