"""`sog uci`: a player as a chess engine, for any program that speaks UCI."""
