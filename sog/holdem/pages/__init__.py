"""Pages of `sog serve`: spots of hold'em to set up, solve and walk through.

They alone of hold'em import `sog.web`, which loads them; without it nothing does.
"""
