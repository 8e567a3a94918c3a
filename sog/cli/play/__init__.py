"""`sog play`; `command.py` runs it."""
