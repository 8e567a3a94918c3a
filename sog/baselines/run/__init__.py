"""`sog run`: convergence of methods that learn by sampling, over many seeds."""
