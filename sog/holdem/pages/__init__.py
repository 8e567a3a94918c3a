"""Pages of `sog serve`: set up, solve and browse spots of hold'em.

Only these modules of hold'em import `sog.web`, and only it loads them.
"""
