"""Games of ours for sog."""
