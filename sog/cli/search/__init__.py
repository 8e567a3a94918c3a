"""`sog search`; `command.py` runs it."""
