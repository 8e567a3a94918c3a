"""`sog search`; `command.py` is the entry point."""
