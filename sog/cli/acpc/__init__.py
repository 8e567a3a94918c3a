"""`sog acpc`; `command.py` runs it."""
