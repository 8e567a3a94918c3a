"""`sog policy`; `command.py` runs it."""
