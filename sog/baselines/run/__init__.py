"""`sog run`: measures the convergence of methods that learn by sampling, over many seeds."""
