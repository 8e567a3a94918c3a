"""`sog uci`: a player as a UCI engine."""
