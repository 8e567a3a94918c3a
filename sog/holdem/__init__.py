"""Hold'em: rules, spots, blueprints and programs that play it."""
