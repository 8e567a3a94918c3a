"""Methods that search at every decision; `method.py` has their common part."""
