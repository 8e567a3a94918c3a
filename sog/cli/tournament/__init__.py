"""`sog tournament`: each of several agents plays each other one."""
