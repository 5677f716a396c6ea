"""What the agent's own words leave: questions that are open, things to choose from, an answer that was given."""
