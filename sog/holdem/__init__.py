"""Heads-up hold'em: rules and ranges, spots and their solver, blueprints, and poker programs."""
