"""`sog tournament`: a round robin between several agents."""
