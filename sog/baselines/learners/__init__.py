"""Methods that learn a policy of the whole game by sampling it; see `learning.py` first."""
