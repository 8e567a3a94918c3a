"""`sog serve`; `command.py` runs it."""
