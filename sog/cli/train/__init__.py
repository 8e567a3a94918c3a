"""`sog train`; `command.py` runs it."""
