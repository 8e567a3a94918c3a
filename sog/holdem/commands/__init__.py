"""Commands of hold'em."""
