"""`sog evaluate`; `command.py` runs it."""
