"""`sog evaluate`; `command.py` is the entry point."""
